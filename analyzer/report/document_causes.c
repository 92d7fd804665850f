#include "analyzer/report/document_causes.h"

#include <math.h>

#include "analyzer/report/document_values.h"
#include "base/mem.h"

static json_t *explained(const struct cause *c)
{
	json_t *o = json_object();
	json_object_set_new(o, "n", json_integer((json_int_t)c->n));
	json_object_set_new(o, "of", json_integer((json_int_t)c->of));
	json_object_set_new(o, "rate", report_number(c->of ? (double)c->n / (double)c->of : NAN));
	json_object_set_new(
	        o, "ci95", c->of ? report_interval(stats_wilson(c->n, c->of)) : json_null());
	return o;
}

json_t *report_cause_json(const struct cause *c)
{
	json_t *o = json_object(), *ids = json_array();
	for (size_t i = 0; i < c->exchanges.n; i++) {
		char id[ID_TEXT_SIZE];
		json_array_append_new(ids, json_string(id_format(c->exchanges.ids[i], id)));
	}
	json_object_set_new(o, "key", json_string(cause_key(c->kind)));
	json_object_set_new(o, "title", json_string(cause_title(c->kind)));
	json_object_set_new(o, "text", document_full_sentence(xstrdup(c->text)));
	json_object_set_new(o, "side", json_string(cause_side_name(c->side)));
	json_object_set_new(o, "explained", explained(c));
	json_object_set_new(o, "p", report_number(c->p));
	json_object_set_new(o, "exchanges", ids);
	json_object_set_new(o, "fix", document_text(c->fix));
	json_object_set_new(o, "confirm", document_text(c->confirm));
	return o;
}

json_t *report_causes_json(const struct analysis_group *g)
{
	json_t *list = json_array();
	for (size_t i = 0; i < g->found.n; i++) {
		json_array_append_new(list, report_cause_json(&g->found.items[i]));
	}
	return list;
}
