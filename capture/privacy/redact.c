#include "capture/privacy/redact.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "capture/privacy/redact_pieces.h"
#include "capture/privacy/redact_ranges.h"
#include "capture/privacy/redact_tree.h"

#define TIME_LIMIT 2000000000u /* ns of processor time, for the user's own patterns on one body */
#define LEAST_SECRET 5         /* bytes; a shorter text cannot contain a secret by itself */
#define OTHER_STATE 1          /* state of a placeholder that shares nothing with the token's */

struct work {
	struct redaction *r;
	struct claim claim; /* for all the memory below */
	char *body;
	struct redact_pieces pieces;
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
static void fill_range(struct work *w, const struct range *r, struct redact_piece **group, size_t n,
        size_t *next_piece)
{
	struct span text = buf_span(&w->text);
	uint64_t state = 0;
	for (size_t at = r->from; at < r->to;) {
		for (; *next_piece < n && group[*next_piece]->text_at <= at; ++*next_piece) {
			group[*next_piece]->state = state;
		}
		at += redact_fill_one(
		        w->r->key, &state, text.data + at, r->to - at, w->filled.data + at);
	}
}

/* Keeps the old text of a replaced token, which is needed to fill the alternatives at its
 * position. */
static void keep_token(struct work *w, struct redact_piece *p, const struct range *r)
{
	uint32_t lead = r->from > p->text_at ? (uint32_t)(r->from - p->text_at) : 0;
	if (p->flags & REDACT_PIECE_REPLACED) {
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
	p->flags |= REDACT_PIECE_REPLACED;
	buf_append(&w->tokens, w->text.data + p->text_at, p->text_len);
	buf_append(&w->tokens, w->filled.data + p->text_at, p->text_len);
}

static void write_piece(struct work *w, const struct redact_piece *p, const char *text)
{
	redact_encode((enum redact_spelling)p->spelling, w->body + p->at, p->len, text);
}

static void write_group(struct work *w, struct redact_piece **group, size_t n)
{
	size_t r = 0;
	for (size_t i = 0; i < n; i++) {
		struct redact_piece *p = group[i];
		while (r < w->found.n && w->found.ranges[r].to <= p->text_at) {
			r++;
		}
		if (r == w->found.n || w->found.ranges[r].from >= p->text_at + p->text_len) {
			continue;
		}
		write_piece(w, p, w->filled.data + p->text_at);
		if (p->in[REDACT_PIECE_SLOT]) {
			keep_token(w, p, &w->found.ranges[r]);
		} else {
			p->flags |= REDACT_PIECE_REPLACED;
		}
	}
}

/* Decodes the group's pieces into text, and reserves as much in filled. False: there is no room. */
static bool decode_group(struct work *w, struct redact_piece **group, size_t n)
{
	buf_clear(&w->text);
	buf_clear(&w->filled);
	for (size_t i = 0; i < n; i++) {
		struct redact_piece *p = group[i];
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

/* The text of the document to which piece i of the group belongs. *ret_next: the first piece after
 * it. */
static struct span document_at(const struct work *w, struct redact_piece *const *group, size_t n,
        size_t i, size_t *ret_next)
{
	const struct redact_piece *first = group[i], *last = first;
	for (; i < n && group[i]->document == first->document; i++) {
		last = group[i];
	}
	*ret_next = i;
	return (struct span){
	        w->text.data + first->text_at, last->text_at + last->text_len - first->text_at};
}

/* Each document of these n pieces begins with the text of the one before. whole: the text of the
 * last one. */
static void find_in_chain(
        struct work *w, struct redact_piece *const *group, size_t n, struct span whole)
{
	struct redact_ranges *f = &w->found;
	size_t offset = (size_t)(whole.data - w->text.data), first = f->n;
	if (n == 0 || group[0]->document == group[n - 1]->document) {
		return;
	}
	redact_ranges_in(f, whole, offset);
	if (!redact_ranges_sort(f, first)) {
		return;
	}
	size_t end = f->n;
	for (size_t at = 0, next; at < n; at = next) {
		struct span text = document_at(w, group, n, at, &next);
		size_t begin = group[at]->text_at;
		/* Ranges are sorted: after the first one beyond the text, all are beyond it. */
		for (size_t i = first; i < end && !f->error; i++) {
			struct range r = f->ranges[i];
			if (r.from - offset >= text.len) {
				break;
			}
			redact_ranges_add(f, begin + r.from - offset,
			        begin + MIN(r.to - offset, text.len), r.kind);
		}
	}
}

/* Finds secrets in the events of a stream that sends all text so far in each event. Only later
 * events have the whole secret; earlier ones have its beginning, which is private too. */
static void find_beginnings(struct work *w, struct redact_piece *const *group, size_t n)
{
	struct span last = {w->text.data, 0};
	size_t from = 0, at = 0;
	for (size_t next; at < n && !w->found.error; at = next) {
		struct span document = document_at(w, group, n, at, &next);
		if (document.len == 0) {
			continue; /* an event without new text does not end the chain */
		}
		if (!span_has_prefix(document, last)) {
			find_in_chain(w, group + from, at - from, last);
			from = at;
		}
		last = document;
	}
	find_in_chain(w, group + from, at - from, last);
}

static void find_in_group(struct work *w, struct redact_piece **group, size_t n)
{
	struct span text = buf_span(&w->text);
	bool private = false;
	for (size_t i = 0; i < n; i++) {
		struct redact_piece *p = group[i];
		bool whole = p->flags & (REDACT_PIECE_PRIVATE | REDACT_PIECE_BLANK);
		private = private || whole;
		if (whole && p->text_len) {
			redact_ranges_add(
			        &w->found, p->text_at, p->text_at + p->text_len, KIND_MEMBER);
		} else if (n > 1 && !(p->flags & REDACT_PIECE_TOKEN) &&
		           p->text_len >= LEAST_SECRET) {
			/* Pieces of one group need not belong together, so each is also examined
			 * by itself. */
			redact_ranges_in(&w->found,
			        (struct span){text.data + p->text_at, p->text_len}, p->text_at);
		}
	}
	if (!private && text.len >= LEAST_SECRET) {
		redact_ranges_in(&w->found, text, 0);
		find_beginnings(w, group, n);
	}
}

/* Replaces the digits of a number, or malformed text except for characters that may be JSON
 * syntax. */
static void put_apart(struct work *w, const struct redact_piece *p)
{
	for (size_t i = 0; i < w->found.n; i++) {
		const struct range *r = &w->found.ranges[i];
		struct span was = {w->text.data + r->from, r->to - r->from};
		char *out = w->filled.data + r->from;
		uint64_t state = 0;
		if (p->flags & REDACT_PIECE_DIGITS) {
			redact_fill_digits(w->r->key, &state, was, out);
			continue;
		}
		redact_fill(w->r->key, &state, was, out);
		for (size_t k = 0; k < was.len; k++) {
			out[k] = memchr("\"\\{}[]:,", was.data[k], 8) ? was.data[k] : out[k];
		}
	}
	write_piece(w, p, w->filled.data);
}

/* Redacts pieces that together spell one text. */
static void redact_group(void *arg, struct redact_piece **group, size_t n)
{
	struct work *w = arg;
	w->found.n = 0;
	if (w->found.error || !decode_group(w, group, n)) {
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
	bool counts = !(group[0]->flags & (REDACT_PIECE_TOKEN | REDACT_PIECE_BLANK));
	for (size_t i = 0; i < w->found.n && counts; i++) {
		count(&w->r->counts, w->found.ranges[i].kind);
	}
	if (group[0]->flags & (REDACT_PIECE_DIGITS | REDACT_PIECE_JUNK)) {
		put_apart(w, group[0]);
	} else {
		size_t next = 0;
		for (size_t i = 0; i < w->found.n; i++) {
			fill_range(w, &w->found.ranges[i], group, n, &next);
		}
		write_group(w, group, n);
	}
}

/* Replaces every number outside of strings by 0. */
static void put_zeros(struct work *w, const struct redact_piece *p)
{
	struct span body = {w->body, p->at + p->len};
	bool inside = false;
	for (size_t i = p->at; i < body.len; i++) {
		char c = w->body[i];
		if (c == '"') {
			i = redact_tree_string_end(body, i + 1);
			inside = false;
			continue;
		}
		bool number = c && strchr("+-.0123456789eE", c);
		w->body[i] = !number ? c : inside ? ' ' : '0';
		inside = number;
	}
}

static bool is_choice(const struct redact_piece *p)
{
	return p->in[REDACT_PIECE_SLOT] &&
	       !(p->flags & (REDACT_PIECE_ALTERNATIVE | REDACT_PIECE_ID));
}

/* Fills an alternative of a replaced token. The replacement resembles the token's replacement as
 * much as the alternative resembled the token. */
static void fill_alternative(
        struct work *w, struct redact_piece *a, const struct redact_piece *token)
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
static const struct redact_piece *find_replaced(
        struct redact_piece **slot, size_t n, const struct redact_piece *like)
{
	const struct redact_piece *any = NULL;
	for (size_t i = 0; i < n; i++) {
		if (is_choice(slot[i]) && slot[i]->flags & REDACT_PIECE_REPLACED) {
			any = slot[i];
			if ((any->spelling == REDACT_BYTES) == (like->spelling == REDACT_BYTES)) {
				return any;
			}
		}
	}
	return any;
}

static void redact_slot(void *arg, struct redact_piece **slot, size_t n)
{
	struct work *w = arg;
	for (size_t i = 0; i < n && !w->found.error; i++) {
		struct redact_piece *p = slot[i];
		const struct redact_piece *token = find_replaced(slot, n, p);
		if (token && p->flags & REDACT_PIECE_ID) {
			put_zeros(w, p);
		} else if (token && !(p->flags & REDACT_PIECE_REPLACED)) {
			fill_alternative(w, p, token);
		} else if (!token && p->flags & REDACT_PIECE_ALTERNATIVE) {
			redact_group(w, &p, 1);
		}
	}
}

static void redact_singles(struct work *w, bool junk)
{
	bool has_blanks = false; /* the tokens of a prompt count as one list */
	for (size_t i = 0; i < w->pieces.n && !w->found.error; i++) {
		struct redact_piece *p = &w->pieces.items[i];
		if (p->in[REDACT_PIECE_CHANNEL] || p->in[REDACT_PIECE_SLOT] ||
		        junk != ((p->flags & REDACT_PIECE_JUNK) != 0)) {
			continue;
		}
		if (p->flags & REDACT_PIECE_IDS) {
			put_zeros(w, p);
			w->r->counts.ids += !(p->flags & REDACT_PIECE_BLANK);
		} else {
			redact_group(w, &p, 1);
		}
		has_blanks |= (p->flags & REDACT_PIECE_BLANK) != 0;
	}
	w->r->counts.ids += has_blanks;
}

static int redact_pieces(struct work *w)
{
	struct redact_pieces *p = &w->pieces;
	/* The content of a private member also occurs in the answer's tokens. */
	for (size_t i = 0; p->has_private && i < p->n; i++) {
		p->items[i].flags |=
		        p->items[i].flags & REDACT_PIECE_TOKEN ? REDACT_PIECE_PRIVATE : 0;
	}
	redact_singles(w, false);
	redact_pieces_each(p, REDACT_PIECE_CHANNEL, redact_group, w);
	if (redact_pieces_regroup(p)) {
		redact_pieces_each(p, REDACT_PIECE_CHANNEL, redact_group, w);
	}
	redact_pieces_each(p, REDACT_PIECE_SLOT, redact_slot, w);
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

static void free_work(struct work *w)
{
	redact_pieces_finish(&w->pieces);
	redact_ranges_finish(&w->found);
	buf_finish(&w->text);
	buf_finish(&w->filled);
	buf_finish(&w->tokens);
	claim_close(&w->claim);
}

bool redact_body(struct redaction *r, char *body, size_t len)
{
	struct work w;
	init_work(&w, r, body, r->budget);
	int code = redact_pieces_cut(&w.pieces, r->policy, (struct span){body, len});
	code = code == 0 ? redact_pieces(&w) : code;
	r->counts.refused += code < 0 && code != -ENOMEM;
	r->counts.no_room += code == -ENOMEM;
	free_work(&w);
	return code == 0;
}

void redact_text(struct redaction *r, char *text, size_t len)
{
	struct redact_piece piece = {.len = (uint32_t)len, .spelling = REDACT_PLAIN};
	struct redact_piece *group = &piece;
	struct work w;
	init_work(&w, r, text, NULL);
	piece.flags = r->policy->everything ? REDACT_PIECE_PRIVATE : 0;
	redact_group(&w, &group, 1);
	if (w.found.error) {
		memset(text, '?', len);
	}
	free_work(&w);
}
