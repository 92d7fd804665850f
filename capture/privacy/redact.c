#include "capture/privacy/redact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "capture/privacy/redact_beginnings.h"
#include "capture/privacy/redact_documents.h"
#include "capture/privacy/redact_ranges.h"

#define TIME_LIMIT 2000000000u /* ns of processor time, for the user's own patterns on one body */
#define LEAST_SECRET 5         /* bytes; a shorter text cannot contain a secret by itself */
#define OTHER_STATE 1          /* state of a placeholder that shares nothing with the token's */

struct work {
	struct redaction *r;
	struct claim claim; /* for all the memory below */
	char *body;
	struct pieces pieces;
	struct piece **order; /* sorted by channel, then by position */
	struct buf text, filled;
	struct buf tokens; /* for each replaced token: its old text, then its new one */
	struct redact_ranges found;
};

static void count(struct redact_counts *c, int kind)
{
	if (kind < N_SECRETS) {
		c->secrets[kind]++;
	} else if (kind == KIND_PATTERN) {
		c->patterns++;
	} else {
		c->members++;
	}
}

/* Fills the range with its replacement, and stores in each piece that begins within it the
 * filler's state there. */
static void fill_range(
        struct work *w, const struct range *r, struct piece **group, size_t n, size_t *next_piece)
{
	struct span text = buf_span(&w->text);
	uint64_t state = 0;
	for (size_t at = r->from; at < r->to;) {
		for (; *next_piece < n && group[*next_piece]->text_at <= at; ++*next_piece) {
			group[*next_piece]->state =
			        group[*next_piece]->text_at > r->from || state ? state : 0;
		}
		at += redact_fill_one(
		        w->r->key, &state, text.data + at, r->to - at, w->filled.data + at);
	}
}

/* Keeps the old text of a replaced token, which is needed to fill the alternatives at its
 * position. */
static void keep_token(struct work *w, struct piece *p, const struct range *r)
{
	uint32_t lead = r->from > p->text_at ? (uint32_t)(r->from - p->text_at) : 0;
	if (p->flags & PIECE_REPLACED) {
		p->lead = MIN(p->lead, lead);
		memcpy(w->tokens.data + p->original_at + p->text_len, w->filled.data + p->text_at,
		        p->text_len);
		return;
	}
	p->lead = lead;
	p->original_at = (uint32_t)w->tokens.len;
	if (!claim_reserve(&w->claim, &w->tokens, 2 * (size_t)p->text_len)) {
		w->found.error = -ENOMEM;
		return;
	}
	p->flags |= PIECE_REPLACED;
	buf_append(&w->tokens, w->text.data + p->text_at, p->text_len);
	buf_append(&w->tokens, w->filled.data + p->text_at, p->text_len);
}

static void write_piece(struct work *w, const struct piece *p, const char *text)
{
	redact_encode((enum redact_spelling)p->spelling, w->body + p->at, p->len, text);
}

static void write_group(struct work *w, struct piece **group, size_t n)
{
	size_t r = 0;
	for (size_t i = 0; i < n; i++) {
		struct piece *p = group[i];
		while (r < w->found.n && w->found.ranges[r].to <= p->text_at) {
			r++;
		}
		if (r == w->found.n || w->found.ranges[r].from >= p->text_at + p->text_len) {
			continue;
		}
		write_piece(w, p, w->filled.data + p->text_at);
		if (p->slot) {
			keep_token(w, p, &w->found.ranges[r]);
		} else {
			p->flags |= PIECE_REPLACED;
		}
	}
}

/* Decodes the group's pieces into text, and reserves as much in filled. False: there is no room. */
static bool decode_group(struct work *w, struct piece **group, size_t n)
{
	buf_clear(&w->text);
	buf_clear(&w->filled);
	for (size_t i = 0; i < n; i++) {
		struct piece *p = group[i];
		/* Decoded text is never longer than its source. */
		if (!claim_reserve(&w->claim, &w->text, p->len)) {
			w->found.error = -ENOMEM;
			return false;
		}
		p->text_at = (uint32_t)w->text.len;
		redact_decode((enum redact_spelling)p->spelling,
		        (struct span){w->body + p->at, p->len}, &w->text);
		p->text_len = (uint32_t)(w->text.len - p->text_at);
	}
	bool room = claim_reserve(&w->claim, &w->filled, w->text.len);
	w->found.error = room ? w->found.error : -ENOMEM;
	return room;
}

static void find_in_group(struct work *w, struct piece **group, size_t n)
{
	struct span text = buf_span(&w->text);
	bool private = false;
	for (size_t i = 0; i < n; i++) {
		struct piece *p = group[i];
		private = private || p->flags & PIECE_PRIVATE;
		if (p->flags & PIECE_PRIVATE && p->text_len) {
			redact_ranges_add(
			        &w->found, p->text_at, p->text_at + p->text_len, KIND_MEMBER);
		} else if (n > 1 && !(p->flags & PIECE_TOKEN) && p->text_len >= LEAST_SECRET) {
			/* Pieces of one group need not belong together, so each is also examined
			 * by itself. */
			redact_ranges_in(&w->found,
			        (struct span){text.data + p->text_at, p->text_len}, p->text_at);
		}
	}
	if (!private && text.len >= LEAST_SECRET) {
		redact_ranges_in(&w->found, text, 0);
		redact_beginnings_find(&w->found, text, group, n);
	}
}

static void put_digits(struct work *w, const struct piece *p)
{
	for (size_t i = 0; i < w->found.n; i++) {
		uint64_t state = 0;
		const struct range *r = &w->found.ranges[i];
		redact_fill_digits(w->r->key, &state,
		        (struct span){w->text.data + r->from, r->to - r->from},
		        w->filled.data + r->from);
	}
	write_piece(w, p, w->filled.data);
}

/* Redacts malformed text, but keeps characters that may be JSON syntax. */
static void put_junk(struct work *w, const struct piece *p)
{
	for (size_t i = 0; i < w->found.n; i++) {
		const struct range *r = &w->found.ranges[i];
		uint64_t state = 0;
		redact_fill(w->r->key, &state,
		        (struct span){w->text.data + r->from, r->to - r->from},
		        w->filled.data + r->from);
		for (size_t at = r->from; at < r->to; at++) {
			if (memchr("\"\\{}[]:,", w->text.data[at], 8)) {
				w->filled.data[at] = w->text.data[at];
			}
		}
	}
	write_piece(w, p, w->filled.data);
}

/* Redacts pieces that together spell one text. */
static void redact_group(struct work *w, struct piece **group, size_t n)
{
	w->found.n = 0;
	if (!decode_group(w, group, n)) {
		return;
	}
	find_in_group(w, group, n);
	if (w->found.n) {
		redact_ranges_merge(&w->found, buf_span(&w->text));
	}
	if (!w->found.n || w->found.error) {
		return;
	}
	buf_append_span(&w->filled, buf_span(&w->text));
	for (size_t i = 0; i < w->found.n && !(group[0]->flags & PIECE_TOKEN); i++) {
		count(&w->r->counts, w->found.ranges[i].kind);
	}
	if (group[0]->flags & PIECE_DIGITS) {
		put_digits(w, group[0]);
	} else if (group[0]->flags & PIECE_JUNK) {
		put_junk(w, group[0]);
	} else {
		size_t next = 0;
		for (size_t i = 0; i < w->found.n; i++) {
			fill_range(w, &w->found.ranges[i], group, n, &next);
		}
		write_group(w, group, n);
	}
}

/* The end of the string that begins at `at`, as redact_tree reads it. */
static size_t string_end(const char *body, size_t at, size_t end)
{
	for (at++; at < end && body[at] != '"' && body[at] != '\n'; at++) {
		at += body[at] == '\\' && at + 1 < end && body[at + 1] != '\n';
	}
	return at;
}

/* Replaces every number outside of strings by 0. */
static void put_zeros(struct work *w, const struct piece *p)
{
	bool inside = false;
	for (size_t i = p->at; i < p->at + p->len; i++) {
		char c = w->body[i];
		if (c == '"') {
			i = string_end(w->body, i, p->at + p->len);
			inside = false;
			continue;
		}
		bool number = c && strchr("+-.0123456789eE", c);
		w->body[i] = !number ? c : inside ? ' ' : '0';
		inside = number;
	}
}

static void put_blank(struct work *w, struct piece *p)
{
	uint64_t state = 0;
	if (!decode_group(w, &p, 1)) {
		return;
	}
	buf_append_span(&w->filled, buf_span(&w->text));
	if (p->flags & PIECE_DIGITS) {
		redact_fill_digits(w->r->key, &state, buf_span(&w->text), w->filled.data);
	} else {
		redact_fill(w->r->key, &state, buf_span(&w->text), w->filled.data);
	}
	write_piece(w, p, w->filled.data);
}

/* Orders the pieces of tokens by slot. */

static int by_slot(const void *a, const void *b)
{
	const struct piece *x = *(struct piece *const *)a, *y = *(struct piece *const *)b;
	if (x->slot != y->slot) {
		return x->slot < y->slot ? -1 : 1;
	}
	return x->order < y->order ? -1 : x->order > y->order;
}

static bool is_choice(const struct piece *p)
{
	return p->slot && !(p->flags & (PIECE_ALTERNATIVE | PIECE_ID));
}

/* Fills an alternative of a replaced token. The replacement resembles the token's replacement as
 * much as the alternative resembled the token. */
static void fill_alternative(struct work *w, struct piece *a, const struct piece *token)
{
	if (!decode_group(w, &a, 1)) {
		return;
	}
	struct span text = buf_span(&w->text);
	struct span was = {w->tokens.data + token->original_at, token->text_len};
	buf_append_span(&w->filled, text);
	size_t lead = token->lead;
	if (span_equal(text, was)) {
		memcpy(w->filled.data, was.data + was.len, was.len);
	} else if (text.len >= lead && memcmp(text.data, was.data, lead) == 0) {
		uint64_t state = lead ? 0 : token->state;
		redact_fill(w->r->key, &state, (struct span){text.data + lead, text.len - lead},
		        w->filled.data + lead);
	} else {
		uint64_t state = OTHER_STATE;
		redact_fill(w->r->key, &state, text, w->filled.data);
	}
	write_piece(w, a, w->filled.data);
	w->r->counts.alternatives++;
}

/* Returns the replaced token of a slot that is spelled in the same way as `like`, or else any
 * replaced one. */
static const struct piece *find_replaced(struct piece **slot, size_t n, const struct piece *like)
{
	const struct piece *any = NULL;
	for (size_t i = 0; i < n; i++) {
		if (is_choice(slot[i]) && slot[i]->flags & PIECE_REPLACED) {
			any = slot[i];
			if ((any->spelling == REDACT_BYTES) == (like->spelling == REDACT_BYTES)) {
				return any;
			}
		}
	}
	return any;
}

static void redact_slot(struct work *w, struct piece **slot, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct piece *p = slot[i];
		const struct piece *token = find_replaced(slot, n, p);
		if (token && p->flags & PIECE_ID) {
			put_zeros(w, p);
		} else if (token && !(p->flags & PIECE_REPLACED)) {
			fill_alternative(w, p, token);
		} else if (!token && p->flags & PIECE_ALTERNATIVE) {
			redact_group(w, &p, 1);
		}
	}
}

static void redact_slots(struct work *w)
{
	size_t n = 0;
	for (size_t i = 0; i < w->pieces.n; i++) {
		if (w->pieces.items[i].slot) {
			w->order[n++] = &w->pieces.items[i];
		}
	}
	qsort(w->order, n, sizeof(struct piece *), by_slot);
	for (size_t i = 0, end; i < n && !w->found.error; i = end) {
		for (end = i + 1; end < n && w->order[end]->slot == w->order[i]->slot; end++) {
		}
		redact_slot(w, w->order + i, end - i);
	}
}

static int by_channel(const void *a, const void *b)
{
	const struct piece *x = *(struct piece *const *)a, *y = *(struct piece *const *)b;
	if (x->channel != y->channel) {
		return x->channel < y->channel ? -1 : 1;
	}
	return x->order < y->order ? -1 : x->order > y->order;
}

static void redact_channels(struct work *w)
{
	size_t n = 0;
	for (size_t i = 0; i < w->pieces.n; i++) {
		if (w->pieces.items[i].channel) {
			w->order[n++] = &w->pieces.items[i];
		}
	}
	qsort(w->order, n, sizeof(struct piece *), by_channel);
	for (size_t i = 0, end; i < n && !w->found.error; i = end) {
		for (end = i + 1; end < n && w->order[end]->channel == w->order[i]->channel;
		        end++) {
		}
		redact_group(w, w->order + i, end - i);
	}
}

static void redact_singles(struct work *w, bool junk)
{
	bool has_blanks = false; /* the tokens of a prompt count as one list */
	for (size_t i = 0; i < w->pieces.n && !w->found.error; i++) {
		struct piece *p = &w->pieces.items[i];
		if (p->channel || p->slot || junk != ((p->flags & PIECE_JUNK) != 0)) {
			continue;
		}
		if (p->flags & PIECE_IDS) {
			put_zeros(w, p);
			w->r->counts.ids += !(p->flags & PIECE_BLANK);
		} else if (p->flags & PIECE_BLANK) {
			put_blank(w, p);
		} else {
			redact_group(w, &p, 1);
		}
		has_blanks |= (p->flags & PIECE_BLANK) != 0;
	}
	w->r->counts.ids += has_blanks;
}

/* The content of a private member also occurs in the answer's tokens. */
static void spread_private(struct pieces *p)
{
	for (size_t i = 0; p->has_private && p->has_tokens && i < p->n; i++) {
		p->items[i].flags |= p->items[i].flags & PIECE_TOKEN ? PIECE_PRIVATE : 0;
	}
}

static void free_work(struct work *w)
{
	redact_pieces_finish(&w->pieces);
	free(w->order);
	redact_ranges_finish(&w->found);
	buf_finish(&w->text);
	buf_finish(&w->filled);
	buf_finish(&w->tokens);
	claim_close(&w->claim);
}

static int redact_pieces(struct work *w)
{
	/* A pointer for each piece, and as much again for qsort(), which works in a copy. */
	size_t size = (w->pieces.n + 1) * sizeof(*w->order);
	if (!claim_take(&w->claim, 2 * size)) {
		return -ENOMEM;
	}
	w->order = xcalloc(1, size);
	spread_private(&w->pieces);
	redact_singles(w, false);
	redact_channels(w);
	if (redact_pieces_regroup(&w->pieces, w->order)) {
		redact_channels(w);
	}
	redact_slots(w);
	/* These pieces overlap the others and must see their redacted text. */
	redact_singles(w, true);
	return w->found.error;
}

static void init_work(struct work *w, struct redaction *r, char *body, struct budget *budget)
{
	*w = (struct work){.r = r, .body = body, .claim = {.budget = budget}};
	w->pieces.claim = &w->claim;
	w->found = (struct redact_ranges){
	        .policy = r->policy, .claim = &w->claim, .deadline = clock_thread() + TIME_LIMIT};
}

bool redact_body(struct redaction *r, char *body, size_t len)
{
	struct work w;
	init_work(&w, r, body, r->budget);
	int code = redact_documents_cut(&w.pieces, r->policy, (struct span){body, len});
	if (code == 0) {
		code = redact_pieces(&w);
	}
	r->counts.refused += code < 0 && code != -ENOMEM;
	r->counts.no_room += code == -ENOMEM;
	free_work(&w);
	return code == 0;
}

void redact_text(struct redaction *r, char *text, size_t len)
{
	struct piece piece = {.len = (uint32_t)len, .spelling = REDACT_PLAIN};
	struct piece *group = &piece;
	struct work w;
	init_work(&w, r, text, NULL);
	piece.flags = r->policy->everything ? PIECE_PRIVATE : 0;
	redact_group(&w, &group, 1);
	if (w.found.error) {
		memset(text, '?', len);
	}
	free_work(&w);
}
