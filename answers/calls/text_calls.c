#include "answers/calls/text_calls.h"

#include "answers/calls/call_forms.h"
#include "answers/code_fence.h"
#include "base/ascii.h"

/* Limit of marks that introduce no call. Beyond it the rest of the text is not searched. */
#define FAILURES_LIMIT 64
/* A line with more leading blanks is code. */
#define INDENT_LIMIT 3

struct finding {
	const struct choice *choice;
	struct call_list list;
	struct buf places; /* struct text_place */
	size_t failures;
};

static void add_place(struct finding *f, const char *from, const char *to)
{
	const char *text = f->choice->text.data;
	struct text_place place = {(uint32_t)(from - text), (uint32_t)(to - text)};
	buf_append(&f->places, &place, sizeof(place));
}

/* Whether only a few blanks are between p and the beginning of its line, or the end of the text
 * removed before it. */
static bool begins_line(const char *from, const char *p)
{
	const char *line = p;
	while (line > from && (line[-1] == ' ' || line[-1] == '\t')) {
		line--;
	}
	return line == from || (line[-1] == '\n' && p - line <= INDENT_LIMIT);
}

/*
 * Returns where the text continues after the calls whose mark is at p; NULL: there are no calls.
 * Calls that are only mentioned are skipped with their content. from: the end of the last call, or
 * the beginning of the piece.
 */
static const char *skip_calls(struct finding *f, const char *from, const char *p, const char *end)
{
	struct cursor at = {p, end};
	if (is_space(*p)) {
		return NULL; /* no mark: blanks are counted once, from where they end */
	}
	bool leads = begins_line(from, p);
	const struct call_form *form = call_form_at(&at, leads);
	if (!form) {
		return NULL;
	}
	size_t kept = call_list_count(&f->list);
	if (!call_form_read(form, &at, &f->list)) {
		f->failures++;
		return NULL;
	}
	if (call_form_is_used(form, span_between(from, end), span_between(p, at.p), leads)) {
		add_place(f, p, at.p);
	} else {
		call_list_cut(&f->list, kept);
	}
	return at.p;
}

/* Calls in a piece of the text between thoughts. */
static void find_in_piece(struct finding *f, struct span piece)
{
	const char *p = piece.data, *end = p + piece.len;
	const char *after = p; /* the last call */
	struct code_fence fence = {0};
	while (p < end && f->failures < FAILURES_LIMIT) {
		if (p == piece.data || p[-1] == '\n') {
			code_fence_line(&fence, p, end);
		}
		const char *next = fence.open ? NULL : skip_calls(f, after, p, end);
		if (next) {
			after = next;
		}
		p = next ? next : p + 1;
	}
}

/* The whole answer is calls without a mark. */
static void find_bare(struct finding *f)
{
	const struct choice *c = f->choice;
	size_t from = c->n_thoughts ? c->thoughts[c->n_thoughts - 1].close : 0;
	struct span whole = span_trim(buf_part(&c->text, from, c->text.len));
	if (call_form_read_bare(whole, &f->list)) {
		add_place(f, whole.data, whole.data + whole.len);
	}
}

static void move_contents(struct buf *from, struct buf *to)
{
	if (to && from->len) {
		buf_append_span(to, buf_span(from));
		from->len = 0;
	}
}

size_t text_calls_find(const struct choice *c, const struct offered *offered, struct buf *ret_calls,
        struct buf *ret_places)
{
	struct finding f = {.choice = c, .list.offered = offered};
	size_t from = 0;
	for (size_t i = 0; i <= c->n_thoughts; i++) {
		size_t to = i < c->n_thoughts ? c->thoughts[i].open : c->text.len;
		if (from < to) {
			find_in_piece(&f, (struct span){c->text.data + from, to - from});
		}
		from = i < c->n_thoughts ? c->thoughts[i].close : to;
	}
	size_t n = call_list_count(&f.list);
	if (n == 0 && offered->n) {
		find_bare(&f);
		n = call_list_count(&f.list);
	}
	move_contents(&f.list.calls, ret_calls);
	move_contents(&f.places, ret_places);
	call_list_finish(&f.list);
	buf_finish(&f.places);
	return n;
}

void text_calls_places(const struct choice *c, struct buf *ret)
{
	struct offered called = {0};
	for (size_t i = 0; i < c->n_calls; i++) {
		struct span name = span_of(c->calls[i].name ? c->calls[i].name : "");
		if (!offered_has(&called, name)) {
			offered_add(&called, name);
		}
	}
	if (c->n_calls && c->calls[0].in_text) {
		(void)text_calls_find(c, &called, NULL, ret);
	}
}
