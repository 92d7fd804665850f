#include "analyzer/compare/meaning/format_markup.h"

#include "analyzer/compare/meaning/format_space.h"
#include "base/ascii.h"

static void put_edited(struct space *to, struct span text, const struct markup_edit **edit,
        const struct markup_edit *end)
{
	const char *p = text.data, *stop = text.data + text.len;
	for (; *edit < end && (*edit)->at < stop; (*edit)++) {
		const struct markup_edit *e = *edit;
		if (e->len == 0 || e->at < p) {
			continue;
		}
		space_put(to, span_between(p, e->at));
		if (e->with) {
			space_put(to, span_of(e->with));
		}
		p = MIN(e->at + e->len, stop);
	}
	space_put(to, span_between(p, stop));
}

/* Removes the empty lines before and after the text. */
static struct span trim_lines(struct span s)
{
	while (s.len && is_space(s.data[s.len - 1])) {
		s.len--;
	}
	size_t line = 0;
	for (size_t i = 0; i < s.len && is_space(s.data[i]); i++) {
		line = s.data[i] == '\n' ? i + 1 : line;
	}
	return span_from(s, line);
}

static void put_block(struct space *to, const struct markup_piece *p, bool marked)
{
	static const char mark[] = {MARKUP_BLOCK};
	bool has_line_of_own = p->kind != MARKUP_PIECE_JSON;
	space_put(to, span_of(has_line_of_own ? "\n" : ""));
	if (!marked && p->about.len) {
		space_put_verbatim(to, p->about);
		space_put(to, SPAN("\n"));
	}
	space_put_verbatim(to, marked ? (struct span){mark, 1} : trim_lines(p->inside));
	space_put(to, span_of(has_line_of_own ? "\n" : ""));
}

static void put_inline(
        struct space *to, struct span code, bool marked, size_t begin, struct buf *places)
{
	static const char mark[] = {MARKUP_CODE};
	space_put_verbatim(to, (struct span){mark, marked});
	space_put_verbatim(to, code);
	if (places) {
		size_t end = to->to->len - begin;
		struct markup_place place = {end - code.len, end};
		buf_append(places, &place, sizeof(place));
	}
	space_put_verbatim(to, (struct span){mark, marked});
}

static void put_plain(
        struct span text, const struct buf *pieces, bool marked, struct buf *to, struct buf *places)
{
	size_t begin = to->len;
	struct buf edits = {0};
	struct space space;
	buf_reserve(&edits, 1); /* to give it an address */
	markup_edits_find(text, pieces, &edits);
	const struct markup_edit *edit = (const struct markup_edit *)(const void *)edits.data;
	const struct markup_edit *end = edit + edits.len / sizeof(*edit);
	space_init(&space, text, to);
	for (size_t i = 0; i < markup_count(pieces); i++) {
		const struct markup_piece *p = markup_piece(pieces, i);
		if (p->kind == MARKUP_PIECE_PROSE) {
			put_edited(&space, p->all, &edit, end);
		} else if (p->kind == MARKUP_PIECE_INLINE) {
			put_inline(&space, p->inside, marked, begin, places);
		} else {
			put_block(&space, p, marked);
		}
	}
	buf_finish(&edits);
}

void markup_plain(struct span text, const struct buf *pieces, bool marked, struct buf *to)
{
	put_plain(text, pieces, marked, to, NULL);
}

void markup_plain_placed(
        struct span text, const struct buf *pieces, struct buf *to, struct buf *places)
{
	put_plain(text, pieces, false, to, places);
}

bool markup_places_agree(const struct buf *a, const struct buf *b)
{
	return a->len == 0 || b->len == 0 || span_equal(buf_span(a), buf_span(b));
}
