#include <inttypes.h>
#include <stdbool.h>

#include "analyzer/report/node.h"
#include "analyzer/report/screen/summary_parts.h"
#include "base/plural.h"

/* "prod, server 2" */
static struct buf *put_name(struct writer *w, const json_t *side)
{
	struct buf *text = writer_text(w);
	const char *replica = node_text(side, "replica");
	buf_append_str(text, node_text(side, "backend"));
	if (replica[0]) {
		buf_printf(text, " (%s)", replica);
	}
	return text;
}

static void write_found(struct writer *w, const json_t *side)
{
	NODE_EACH(f, json_object_get(side, "findings")) {
		struct buf *text = put_name(w, side);
		buf_printf(text, " %s", node_text(f, "text"));
		writer_item(w, "", "%s.", buf_cstr(text));
	}
}

/* Writes what is known about sampling although nothing was found. */
static void write_rest(struct writer *w, const json_t *side)
{
	const json_t *temperature = json_object_get(side, "temperature");
	const json_t *truncation = json_object_get(side, "truncation");
	struct buf *text = put_name(w, side);
	buf_printf(text,
	        ": nothing found in %.0f draws; %s; no cut is seen within its lists of %.0f",
	        node_number(side, "draws"), node_text(temperature, "text"),
	        node_number(truncation, "within"));
	writer_item(w, "", "%s.", buf_cstr(text));
}

/* "prod: not tested: 40 answers (response format), 7 answers (no lists)." */
static void write_excluded(struct writer *w, const json_t *side)
{
	const char *before = ": not tested: ";
	json_t *excluded = json_object_get(side, "excluded");
	if (json_object_size(excluded) == 0) {
		return;
	}
	struct buf *text = put_name(w, side);
	NODE_MEMBERS(reason, excluded) {
		uint64_t count = (uint64_t)json_integer_value(reason.value);
		buf_printf(text, "%s%" PRIu64 " %s (", before, count,
		        plural(count, "answer", "answers"));
		for (const char *c = reason.key; *c; c++) {
			buf_append_char(text, *c == '_' ? ' ' : *c);
		}
		buf_append_char(text, ')');
		before = ", ";
	}
	writer_item(w, "", "%s.", buf_cstr(text));
}

static bool has_findings(const json_t *side)
{
	return json_array_size(json_object_get(side, "findings")) > 0;
}

void summary_sampling(const json_t *document, bool found, struct writer *w)
{
	const json_t *sides = json_object_get(document, "sampling");
	bool any = false, begun = false;
	NODE_EACH(each, sides) {
		any |= has_findings(each);
	}
	for (size_t i = 0; any == found && i < json_array_size(sides); i++) {
		const json_t *side = json_array_get(sides, i);
		bool drawn = node_number(side, "draws") > 0;
		bool excluded = json_object_size(json_object_get(side, "excluded")) > 0;
		if ((drawn || excluded) && !begun) {
			writer_heading(w, "How tokens are drawn");
			begun = true;
		}
		if (has_findings(side)) {
			write_found(w, side);
		} else if (drawn) {
			write_rest(w, side);
		}
		write_excluded(w, side);
	}
}
