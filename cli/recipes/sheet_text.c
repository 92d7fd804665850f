/*
 * Sheets for people: plain text and Markdown.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/manifest.h"
#include "base/mem.h"
#include "cli/capture/capture_verbs.h"
#include "cli/recipes/sheet.h"

#define TITLE_WIDTH 38
#define VALUE_WIDTH 44
#define VALUE_LIMIT 600

struct out {
	struct buf *to;
	bool markdown;
};

/* What an engine or a file says goes to a terminal, or into a table. */
static void put_said(struct out *o, const char *text, size_t limit)
{
	struct buf clean = {0};
	verbs_put_text(&clean, span_of(text), limit);
	for (size_t i = 0; i < clean.len; i++) {
		if (o->markdown && strchr("|`*_<>[]\\", clean.data[i])) {
			buf_append_char(o->to, '\\');
		}
		buf_append_char(o->to, clean.data[i]);
	}
	buf_finish(&clean);
}

static size_t width_of(const char *text)
{
	size_t n = 0;
	for (; *text; text++) {
		n += ((unsigned char)*text & 0xc0) != 0x80;
	}
	return n;
}

static void put_padded(struct out *o, const char *text, size_t width)
{
	put_said(o, text, VALUE_LIMIT);
	for (size_t n = width_of(text); n < width; n++) {
		buf_append_char(o->to, ' ');
	}
}

static const char *name_of(const struct sheet *s)
{
	return s->backend && *s->backend ? s->backend : s->url ? s->url : "?";
}

static void put_heading(struct out *o, const struct sheet *s)
{
	buf_append_str(o->to, o->markdown ? "## Stack of " : "Stack of ");
	put_said(o, name_of(s), 200);
	if (s->backend) {
		buf_printf(o->to, " (%s)", role_name(s->role));
		if (s->url) {
			buf_append_str(o->to, ", ");
			put_said(o, s->url, 200);
		}
	}
	buf_append_str(o->to, "\n\n");
	if (!s->now) {
		buf_append_str(o->to,
		        "Nothing is known of it: it was not asked who it is, or did not "
		        "answer.\n\n");
		return;
	}
	buf_printf(o->to, "Dialect %s; learned ", s->now->dialect);
	verbs_put_time(o->to, s->now->wall_ns);
	if (s->legs) {
		buf_printf(o->to, "; %" PRIu64 " answers", s->legs);
	}
	buf_append_str(o->to, "\n\n");
	if (s->now->partial) {
		buf_append_str(o->to,
		        "It did not answer all questions in time: some that is unknown "
		        "may be told when it is asked again.\n\n");
	}
}

static void put_item(struct out *o, const struct sheet_item *i)
{
	const char *mark = i->status == ITEM_ASSUMED ? " (assumed)" : "";
	if (o->markdown) {
		buf_printf(o->to, "| %s | ", i->name->title);
		put_said(o, i->value, VALUE_LIMIT);
		buf_printf(o->to, "%s | ", mark);
		put_said(o, i->source, 200);
		buf_append_str(o->to, " |\n");
		return;
	}
	buf_append_str(o->to, "  ");
	put_padded(o, i->name->title, TITLE_WIDTH);
	char *value = xasprintf("%s%s", i->value, mark);
	put_padded(o, value, VALUE_WIDTH);
	free(value);
	buf_append_str(o->to, "  ");
	put_said(o, i->source, 200);
	buf_append_char(o->to, '\n');
}

static void put_section(struct out *o, const char *section)
{
	if (o->markdown) {
		buf_printf(o->to, "### %s\n\n| Item | Value | Source |\n|---|---|---|\n", section);
	} else {
		buf_printf(o->to, "%s\n", section);
	}
}

static void put_known(struct out *o, const struct sheet *s)
{
	size_t n;
	const struct manifest_name *names = manifest_names(&n);
	const char *section = NULL;
	for (size_t i = 0; i < n; i++) {
		struct sheet_item item;
		sheet_item(s, &names[i], &item);
		if (item.status != ITEM_UNKNOWN) {
			if (!section || strcmp(section, names[i].section) != 0) {
				buf_append_str(o->to, section ? "\n" : "");
				section = names[i].section;
				put_section(o, section);
			}
			put_item(o, &item);
		}
		sheet_item_finish(&item);
	}
	buf_append_str(o->to, section ? "\n" : "");
}

static void put_notes(struct out *o, const struct sheet *s)
{
	bool any = false;
	for (size_t i = 0; s->now && i < s->now->n_facts; i++) {
		const struct fact *f = &s->now->facts[i];
		if (strncmp(f->name, "note.", 5) != 0) {
			continue;
		}
		if (!any) {
			put_section(o, "Notes");
			any = true;
		}
		struct manifest_name name = {.title = f->name + 5};
		struct sheet_item item = {&name, ITEM_CONFIGURED, f->value, f->source};
		put_item(o, &item);
	}
	buf_append_str(o->to, any ? "\n" : "");
}

static void put_parameters(struct out *o, const struct sheet *s)
{
	if (!s->legs) {
		return;
	}
	put_section(o, "Requests");
	for (size_t i = 0; i < SHEET_PARAMETERS; i++) {
		const struct sheet_parameter *p = &s->parameters[i];
		char *value = !p->set             ? xstrdup("never set")
		              : p->low == p->high ? xasprintf("%.6g", p->low)
		                                  : xasprintf("%.6g to %.6g", p->low, p->high);
		char *source = xasprintf("in %" PRIu64 " of %" PRIu64, p->set, s->legs);
		struct manifest_name name = {.title = p->name};
		struct sheet_item item = {&name, ITEM_TOLD, value, source};
		put_item(o, &item);
		free(value);
		free(source);
	}
	buf_append_char(o->to, '\n');
}

static void put_unknown(struct out *o, const struct sheet *s)
{
	size_t n;
	const struct manifest_name *names = manifest_names(&n);
	buf_append_str(o->to, o->markdown ? "### Still unknown\n\nA" : "Still unknown; a");
	buf_append_str(o->to, " publication must name what is marked !\n");
	buf_append_str(o->to, o->markdown ? "\n" : "");
	for (size_t i = 0; i < n; i++) {
		struct sheet_item item;
		sheet_item(s, &names[i], &item);
		if (item.status == ITEM_UNKNOWN) {
			buf_append_str(o->to, o->markdown ? "- " : "  ");
			buf_append_str(o->to, names[i].must ? "! " : o->markdown ? "" : "  ");
			put_padded(o, names[i].title, o->markdown ? 0 : TITLE_WIDTH - 2);
			buf_append_str(o->to, o->markdown ? ": " : "");
			put_said(o, names[i].hint, 300);
			buf_append_char(o->to, '\n');
		}
		sheet_item_finish(&item);
	}
	buf_append_char(o->to, '\n');
}

static void put_change(struct out *o, const struct manifest_change *c)
{
	buf_append_str(o->to, o->markdown ? "  - " : "      ");
	put_said(o, c->name, 200);
	buf_append_str(o->to, ": ");
	put_said(o, c->was ? c->was : "unknown", 200);
	buf_append_str(o->to, " -> ");
	put_said(o, c->is ? c->is : "unknown", 200);
	buf_append_char(o->to, '\n');
}

static void put_state(struct out *o, const struct sheet_state *state, const struct manifest *before)
{
	char id[ID_TEXT_SIZE];
	buf_append_str(o->to, o->markdown ? "- " : "  ");
	if (state->legs) {
		verbs_put_time(o->to, state->first_ns);
		buf_append_str(o->to, " to ");
		verbs_put_time(o->to, state->last_ns);
		buf_printf(o->to, "  %" PRIu64 " answers", state->legs);
	} else {
		buf_append_str(o->to, "no answers");
	}
	if (!state->manifest) {
		buf_append_str(o->to, "  before anything was known\n");
		return;
	}
	buf_printf(o->to, "  stack %s\n", id_format(state->id, id));
	if (!before) {
		return;
	}
	size_t n;
	struct manifest_change *changes = manifest_diff(before, state->manifest, &n);
	for (size_t i = 0; i < n; i++) {
		put_change(o, &changes[i]);
	}
	free(changes);
}

static void put_states(struct out *o, const struct sheet *s)
{
	if (s->n_states < 2) {
		return;
	}
	const struct manifest *before = NULL;
	buf_append_str(o->to, o->markdown ? "### Changes within the capture\n\n"
	                                  : "Changes within the capture\n");
	for (size_t i = 0; i < s->n_states; i++) {
		put_state(o, &s->states[i], before);
		before = s->states[i].manifest ? s->states[i].manifest : before;
	}
	buf_append_char(o->to, '\n');
}

static void put_replicas(struct out *o, const struct sheet *s)
{
	if (!s->n_replicas) {
		return;
	}
	buf_append_str(o->to, o->markdown ? "### Replicas\n\n" : "Replicas\n");
	for (size_t i = 0; i < s->n_replicas; i++) {
		buf_append_str(o->to, o->markdown ? "- " : "  ");
		put_padded(o, s->replicas[i].name, o->markdown ? 0 : TITLE_WIDTH);
		buf_printf(o->to, " %" PRIu64 " answers\n", s->replicas[i].legs);
	}
	if (s->other_replicas) {
		buf_printf(o->to, "  others: %" PRIu64 " answers\n", s->other_replicas);
	}
	buf_append_char(o->to, '\n');
}

void sheets_put_text(const struct sheets *s, bool markdown, struct buf *to)
{
	struct out o = {to, markdown};
	for (size_t i = 0; i < s->n; i++) {
		put_heading(&o, &s->items[i]);
		put_known(&o, &s->items[i]);
		put_notes(&o, &s->items[i]);
		put_parameters(&o, &s->items[i]);
		put_states(&o, &s->items[i]);
		put_replicas(&o, &s->items[i]);
		put_unknown(&o, &s->items[i]);
	}
}
