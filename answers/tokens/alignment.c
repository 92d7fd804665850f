#include "answers/tokens/alignment.h"

#include <stdlib.h>
#include <string.h>

#include "answers/calls/text_calls.h"
#include "answers/tokens/spelling.h"
#include "base/ascii.h"
#include "base/mem.h"

/* A piece of the answer's text, and the flags of its tokens: 0 for marks and calls. */
struct piece {
	uint32_t to;
	uint8_t flag;
};

struct walk {
	struct buf pieces; /* struct piece, for the whole text in order */
	size_t piece;      /* index of the current piece */
	const char *begin; /* of the tokens' bytes */
	uint8_t *flags;    /* one per byte of the tokens */
};

static void add_piece(struct buf *pieces, uint32_t to, uint8_t flag)
{
	struct piece p = {to, flag};
	buf_append(pieces, &p, sizeof(p));
}

/* The text as pieces: thoughts, their marks, calls, and between them the answer. */
static void split_text(const struct choice *c, struct buf *pieces)
{
	struct buf places = {0};
	text_calls_places(c, &places);
	const struct text_place *call = (const struct text_place *)(const void *)places.data;
	const struct text_place *calls_end = call ? call + places.len / sizeof(*call) : NULL;
	for (size_t i = 0; i <= c->n_thoughts; i++) {
		const struct thought *t = i < c->n_thoughts ? &c->thoughts[i] : NULL;
		uint32_t to = t ? t->open : (uint32_t)c->text.len;
		for (; call && call < calls_end && call->from < to; call++) {
			add_piece(pieces, call->from, TOKEN_OF_ANSWER);
			add_piece(pieces, call->to, 0);
		}
		add_piece(pieces, to, TOKEN_OF_ANSWER);
		if (t) {
			add_piece(pieces, t->from, 0);
			add_piece(pieces, t->to, TOKEN_OF_REASONING);
			add_piece(pieces, t->close, 0);
		}
	}
	buf_finish(&places);
}

static void flag_bytes(struct walk *w, const char *from, const char *to, uint8_t flag)
{
	memset(w->flags + (from - w->begin), flag, (size_t)(to - from));
}

/* Flags the stretch [from, to) of the text, which is the bytes [p, end) of the tokens. */
static void flag_text(struct walk *w, const struct choice *c, size_t from, size_t to, const char *p,
        const char *end)
{
	const struct piece *pieces = (const struct piece *)(const void *)w->pieces.data;
	size_t n = w->pieces.len / sizeof(*pieces);
	while (from < to && w->piece < n) {
		size_t until = MIN(to, (size_t)pieces[w->piece].to);
		struct span text = {c->text.data + from, until - from};
		const char *next = until == to ? end : spelling_walk(text, p, end);
		if (!next) {
			next = end; /* broken bytes on the border: the rest stays unflagged */
			until = to;
		} else {
			flag_bytes(w, p, next, pieces[w->piece].flag);
		}
		p = next;
		from = until;
		while (w->piece < n && from >= pieces[w->piece].to) {
			w->piece++;
		}
	}
}

static bool walk_stretches(
        struct walk *w, const struct choice *c, const struct stretch *stretches, size_t n)
{
	const char *p = w->begin, *end = p + c->columns.bytes_end[c->columns.n - 1], *from;
	size_t done[3] = {0};
	bool text_only = spelling_is_text_only(c, stretches, n), is_first = true;
	for (size_t i = 0; i < n; i++) {
		enum stretch_kind kind = stretches[i].kind;
		struct span text = spelling_stretch(c, &stretches[i], done[kind]);
		if (text_only && kind == STRETCH_REASONING) {
			continue;
		}
		p = spelling_place(text, kind, is_first, p, end, &from);
		is_first = false;
		if (!p) {
			return false;
		}
		if (kind == STRETCH_TEXT) {
			flag_text(w, c, done[kind], done[kind] + text.len, from, p);
		} else {
			flag_bytes(w, from, p,
			        kind == STRETCH_REASONING ? TOKEN_OF_REASONING : TOKEN_OF_ANSWER);
		}
		done[kind] += text.len;
	}
	return true;
}

static uint8_t flag_of(const struct walk *w, struct span token)
{
	uint8_t blank = 0;
	bool all_blank = true;
	const uint8_t *flags = w->flags + (token.data - w->begin);
	for (size_t i = 0; i < token.len; i++) {
		if (!is_layout(token.data[i])) {
			all_blank = false;
			if (flags[i]) {
				return flags[i];
			}
		} else if (!blank) {
			blank = flags[i];
		}
	}
	return all_blank ? blank : 0;
}

void alignment_flag(struct choice *c, const struct stretch *stretches, size_t n)
{
	struct columns *col = &c->columns;
	size_t len = col->n ? col->bytes_end[col->n - 1] : 0;
	if (len == 0 || n == 0) {
		return;
	}
	struct walk w = {.begin = col->bytes, .flags = xcalloc(len, 1)};
	split_text(c, &w.pieces);
	if (walk_stretches(&w, c, stretches, n)) {
		for (uint32_t i = 0; i < col->n; i++) {
			col->flags[i] |= flag_of(&w, columns_token(col, i));
		}
	}
	free(w.flags);
	buf_finish(&w.pieces);
}
