#include "analyzer/report/document_selection.h"

#include "analyzer/report/document_values.h"
#include "base/moment.h"

static json_t *moment(uint64_t ns)
{
	char text[MOMENT_TEXT_SIZE];
	return ns > 0 ? json_string(moment_format(ns, text)) : json_null();
}

json_t *report_selection_json(const struct analysis *a)
{
	const struct selection *s = &a->selection;
	const struct selection_counts *n = &a->counts.left_out;
	if (!selection_chooses(s)) {
		return json_null();
	}
	json_t *o = json_object(), *where = json_array(), *out = json_object();
	for (size_t i = 0; i < s->filters.n; i++) {
		const struct filter *f = &s->filters.items[i];
		json_t *text = json_sprintf(
		        "%s%s%s", filter_key_name(f->key), f->not ? "!=" : "=", f->value);
		json_array_append_new(where, text ? text : json_null());
	}
	json_object_set_new(o, "since", moment(s->since_ns));
	json_object_set_new(o, "until", moment(s->until_ns));
	json_object_set_new(o, "where", where);
	json_object_set_new(out, "before", report_integer(n->before));
	json_object_set_new(out, "after", report_integer(n->after));
	json_object_set_new(out, "where", report_integer(n->others));
	json_object_set_new(out, "answers", report_integer(n->legs));
	json_object_set_new(o, "left_out", out);
	return o;
}
