/*
 * Sheets for people: plain text and Markdown.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/writer.h"
#include "capture/manifest.h"
#include "base/mem.h"
#include "cli/capture/capture_verbs.h"
#include "cli/recipes/sheet.h"

static void write_heading(struct writer *w, const struct sheet *s)
{
	const char *name = s->backend && *s->backend ? s->backend : s->url ? s->url : "?";
	struct buf *text = writer_text(w);
	buf_printf(text, "Stack of %s", name);
	if (s->backend) {
		buf_printf(text, " (%s)%s%s", role_name(s->role), s->url ? ", " : "",
		        s->url ? s->url : "");
	}
	writer_title(w, buf_cstr(text));
	if (!s->now) {
		writer_paragraph(w,
		        "Nothing is known of it: it was not asked who it is, or did not "
		        "answer.");
		return;
	}
	text = writer_text(w);
	buf_printf(text, "Dialect %s; learned ", s->now->dialect);
	verbs_put_time(text, s->now->wall_ns);
	if (s->legs) {
		buf_printf(text, "; %" PRIu64 " answers", s->legs);
	}
	writer_paragraph(w, "%s", buf_cstr(text));
	if (s->now->partial) {
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

static void write_item(struct writer *w, const char *title, enum item_status status,
        const char *value, const char *source)
{
	const char *mark = status == ITEM_ASSUMED ? " (assumed)" : "";
	if (w->form == WRITER_TEXT) {
		writer_item(w, title, "%s%s; %s", value, mark, source);
	} else {
		buf_append_str(writer_cell(w), title);
		buf_printf(writer_cell(w), "%s%s", value, mark);
		buf_append_str(writer_cell(w), source);
		writer_row(w);
	}
}

static void write_known(struct writer *w, const struct sheet *s)
{
	size_t n;
	const struct manifest_name *names = manifest_names(&n);
	const char *section = "";
	for (size_t i = 0; i < n; i++) {
		struct sheet_item item;
		sheet_item(s, &names[i], &item);
		if (item.status != ITEM_UNKNOWN) {
			if (strcmp(section, names[i].section) != 0) {
				section = names[i].section;
				begin_section(w, section);
			}
			write_item(w, names[i].title, item.status, item.value, item.source);
		}
		sheet_item_finish(&item);
	}
}

static void write_notes(struct writer *w, const struct sheet *s)
{
	bool any = false;
	for (size_t i = 0; s->now && i < s->now->n_facts; i++) {
		const struct fact *f = &s->now->facts[i];
		if (strncmp(f->name, "note.", 5) == 0) {
			if (!any) {
				begin_section(w, "Notes");
			}
			any = true;
			write_item(w, f->name + 5, ITEM_CONFIGURED, f->value, f->source);
		}
	}
}

static void write_parameters(struct writer *w, const struct sheet *s)
{
	if (!s->legs) {
		return;
	}
	begin_section(w, "Requests");
	for (size_t i = 0; i < SHEET_PARAMETERS; i++) {
		const struct sheet_parameter *p = &s->parameters[i];
		char *value = !p->set             ? xstrdup("never set")
		              : p->low == p->high ? xasprintf("%.6g", p->low)
		                                  : xasprintf("%.6g to %.6g", p->low, p->high);
		char *source = xasprintf("in %" PRIu64 " of %" PRIu64, p->set, s->legs);
		write_item(w, p->name, ITEM_TOLD, value, source);
		free(value);
		free(source);
	}
}

static void write_unknown(struct writer *w, const struct sheet *s)
{
	size_t n;
	const struct manifest_name *names = manifest_names(&n);
	writer_heading(w, "Still unknown; a publication must name what is marked !");
	for (size_t i = 0; i < n; i++) {
		struct sheet_item item;
		sheet_item(s, &names[i], &item);
		if (item.status == ITEM_UNKNOWN) {
			struct buf *title = writer_text(w);
			buf_printf(title, "%s%s", names[i].must ? "! " : "", names[i].title);
			writer_item(w, buf_cstr(title), "%s", names[i].hint);
		}
		sheet_item_finish(&item);
	}
}

static void write_state(
        struct writer *w, const struct sheet_state *state, const struct manifest *before)
{
	char id[ID_TEXT_SIZE];
	struct buf *text = writer_text(w);
	size_t n = 0;
	if (state->legs) {
		verbs_put_time(text, state->first_ns);
		buf_append_str(text, " to ");
		verbs_put_time(text, state->last_ns);
		buf_printf(text, ", %" PRIu64 " answers, ", state->legs);
	} else {
		buf_append_str(text, "no answers, ");
	}
	if (!state->manifest) {
		writer_item(w, "", "%sbefore anything was known", buf_cstr(text));
		return;
	}
	writer_item(w, "", "%sstack %s", buf_cstr(text), id_format(state->id, id));
	struct manifest_change *changes =
	        before ? manifest_diff(before, state->manifest, &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		const struct manifest_change *c = &changes[i];
		writer_item(w, c->name, "%s -> %s", c->was ? c->was : "unknown",
		        c->is ? c->is : "unknown");
	}
	free(changes);
}

static void write_states(struct writer *w, const struct sheet *s)
{
	const struct manifest *before = NULL;
	if (s->n_states < 2) {
		return;
	}
	writer_heading(w, "Changes within the capture");
	for (size_t i = 0; i < s->n_states; i++) {
		write_state(w, &s->states[i], before);
		before = s->states[i].manifest ? s->states[i].manifest : before;
	}
}

static void write_replicas(struct writer *w, const struct sheet *s)
{
	if (s->n_replicas) {
		writer_heading(w, "Replicas");
	}
	for (size_t i = 0; i < s->n_replicas; i++) {
		writer_item(w, s->replicas[i].name, "%" PRIu64 " answers", s->replicas[i].legs);
	}
	if (s->other_replicas) {
		writer_item(w, "others", "%" PRIu64 " answers", s->other_replicas);
	}
}

void sheets_write(const struct sheets *s, enum writer_form form, FILE *to)
{
	struct writer w;
	writer_begin(&w, form, to);
	for (size_t i = 0; i < s->n; i++) {
		write_heading(&w, &s->items[i]);
		write_known(&w, &s->items[i]);
		write_notes(&w, &s->items[i]);
		write_parameters(&w, &s->items[i]);
		write_states(&w, &s->items[i]);
		write_replicas(&w, &s->items[i]);
		write_unknown(&w, &s->items[i]);
	}
	writer_end(&w);
}
