#include "analyzer/report/screen/checklist.h"

#include <math.h>
#include <string.h>

#include "analyzer/report/node.h"
#include "base/moment.h"
#include "base/plural.h"

static void put_time(struct buf *to, const json_t *o, const char *name)
{
	char text[MOMENT_TEXT_SIZE];
	double ns = node_number(o, name);
	buf_append_str(to, ns > 0 && ns < 1e19 ? moment_format((uint64_t)ns, text) : "?");
}

static void put_answers(struct buf *to, const json_t *of)
{
	double n = node_number(of, "answers");
	buf_printf(to, "%.0f %s", n, plural(n, "answer", "answers"));
}

static void write_heading(struct writer *w, const json_t *stack)
{
	const char *name = node_text(stack, "backend"), *url = node_text(stack, "url");
	const char *role = node_text(stack, "role"), *dialect = node_text(stack, "dialect");
	struct buf *text = writer_text(w);
	buf_printf(text, "Stack of %s", *name ? name : *url ? url : "?");
	if (*role) {
		buf_printf(text, " (%s)%s%s", role, *url ? ", " : "", url);
	}
	writer_title(w, buf_cstr(text));
	if (!*dialect) {
		writer_paragraph(w, "plumbline knows nothing about it: it did not query this "
		                    "backend, or got no answer.");
		return;
	}
	text = writer_text(w);
	buf_printf(text, "Dialect: %s; facts of ", dialect);
	put_time(text, stack, "learned_ns");
	if (node_number(stack, "answers") > 0) {
		buf_append_str(text, "; ");
		put_answers(text, stack);
	}
	writer_paragraph(w, "%s", buf_cstr(text));
	if (node_flag(stack, "partial")) {
		writer_paragraph(w, "It did not answer all questions in time: run the command "
		                    "again to find more.");
	}
}

/* Begins a list on a terminal, where long values are wrapped; else a table. */
static void begin_section(struct writer *w, const char *section)
{
	static const struct writer_column COLUMNS[] = {{"Item", 38}, {"Value", 44}, {"Source", 30}};
	writer_heading(w, "%s", section);
	writer_table(w, COLUMNS, ARRAY_LEN(COLUMNS));
}

static void write_item(struct writer *w, const char *title, const char *value, const char *source)
{
	if (w->form == WRITER_TEXT) {
		writer_item(w, title, "%s%s%s", value, *source ? "; " : "", source);
	} else {
		buf_append_str(writer_cell(w), title);
		buf_append_str(writer_cell(w), value);
		buf_append_str(writer_cell(w), source);
		writer_row(w);
	}
}

static void write_known(struct writer *w, const json_t *items)
{
	const char *section = "";
	NODE_EACH(item, items) {
		if (node_is(item, "status", "unknown")) {
			continue;
		}
		if (strcmp(section, node_text(item, "section")) != 0) {
			section = node_text(item, "section");
			begin_section(w, section);
		}
		struct buf *value = writer_text(w);
		buf_printf(value, "%s%s", node_text(item, "value"),
		        node_is(item, "status", "assumed") ? " (assumed)" : "");
		write_item(w, node_text(item, "title"), buf_cstr(value), node_text(item, "source"));
	}
}

static void write_notes(struct writer *w, json_t *notes)
{
	if (json_object_size(notes) > 0) {
		begin_section(w, "Notes");
	}
	NODE_MEMBERS(note, notes) {
		write_item(w, note.key, node_text(notes, note.key), "configuration");
	}
}

static void write_requests(struct writer *w, const json_t *stack)
{
	json_t *requests = json_object_get(stack, "requests");
	if (json_object_size(requests) > 0) {
		begin_section(w, "Requests");
	}
	NODE_MEMBERS(p, requests) {
		double low = node_number(p.value, "low"), high = node_number(p.value, "high");
		double asked = node_number(stack, "requests_as_asked");
		char value[64], source[96];
		snprintf(value, sizeof(value),
		        isnan(low)    ? "never set"
		        : low == high ? "%.6g"
		                      : "%.6g to %.6g",
		        low, high);
		int n = snprintf(source, sizeof(source), "in %.0f of %.0f",
		        node_number(p.value, "set"), node_number(stack, "answers"));
		if (asked > 0) {
			snprintf(source + n, sizeof(source) - (size_t)n,
			        "; %.0f as the client sent them", asked);
		}
		write_item(w, p.key, value, source);
	}
}

static void write_unknown(struct writer *w, const json_t *items)
{
	writer_heading(w, "Still unknown; a publication must name what is marked !");
	NODE_EACH(item, items) {
		if (node_is(item, "status", "unknown")) {
			bool must = node_flag(item, "must");
			struct buf *title = writer_text(w);
			buf_printf(title, "%s%s", must ? "! " : "", node_text(item, "title"));
			writer_item(w, buf_cstr(title), "%s", node_text(item, "hint"));
		}
	}
}

static void write_state(struct writer *w, const json_t *state)
{
	const char *id = node_text(state, "id");
	struct buf *text = writer_text(w);
	if (node_number(state, "answers") > 0) {
		put_time(text, state, "first_ns");
		buf_append_str(text, " to ");
		put_time(text, state, "last_ns");
		buf_append_str(text, ", ");
		put_answers(text, state);
		buf_append_str(text, ", ");
	} else {
		buf_append_str(text, "no answers, ");
	}
	buf_printf(text, "%s%s", *id ? "stack " : "before anything was known", id);
	writer_item(w, "", "%s", buf_cstr(text));
	NODE_EACH(change, json_object_get(state, "changes")) {
		const char *was = node_text(change, "was"), *is = node_text(change, "is");
		writer_item(w, node_text(change, "name"), "%s -> %s", *was ? was : "unknown",
		        *is ? is : "unknown");
	}
}

static void write_states(struct writer *w, const json_t *states)
{
	if (json_array_size(states) > 1) {
		writer_heading(w, "Changes within the capture");
		NODE_EACH(state, states) {
			write_state(w, state);
		}
	}
}

static void write_replicas(struct writer *w, const json_t *replicas)
{
	if (json_array_size(replicas) > 0) {
		writer_heading(w, "Replicas");
	}
	NODE_EACH(replica, replicas) {
		struct buf *text = writer_text(w);
		put_answers(text, replica);
		writer_item(w, node_text(replica, "name"), "%s", buf_cstr(text));
	}
}

void checklist_write(const json_t *manifest, enum writer_form form, FILE *to)
{
	NODE_EACH(stack, json_object_get(manifest, "stacks")) {
		const json_t *items = json_object_get(stack, "items");
		struct writer w; /* one for each stack: the length of Markdown is limited */
		writer_begin(&w, form, to);
		write_heading(&w, stack);
		write_known(&w, items);
		write_notes(&w, json_object_get(stack, "notes"));
		write_requests(&w, stack);
		write_states(&w, json_object_get(stack, "states"));
		write_replicas(&w, json_object_get(stack, "replicas"));
		write_unknown(&w, items);
		writer_end(&w);
	}
}
