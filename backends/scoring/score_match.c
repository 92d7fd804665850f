#include "backends/scoring/score_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/utf8.h"

bool score_token_is_broken(struct span token)
{
	return token.len == 0 || memmem(token.data, token.len, "\xef\xbf\xbd", 3);
}

static bool starts(struct span text, size_t at, struct span token)
{
	return token.len <= text.len - at && memcmp(text.data + at, token.data, token.len) == 0;
}

/* Engines trim space from the front of a text and leave ends of sequence out of it. */
static bool tokens_spell(const struct choice *c, size_t *ret_len)
{
	const struct columns *k = &c->columns;
	if (!c->has_columns || k->n == 0) {
		return false;
	}
	size_t len = k->bytes_end[k->n - 1], trimmed = 0;
	while (trimmed < len && is_space(k->bytes[trimmed]) &&
	        !starts((struct span){k->bytes, len}, trimmed, buf_span(&c->text))) {
		trimmed++;
	}
	struct span all = {k->bytes, len};
	if (c->text.len == 0 || !starts(all, trimmed, buf_span(&c->text))) {
		return false;
	}
	*ret_len = trimmed + c->text.len;
	return true;
}

/* Whether all tokens are present with their bytes. An end of sequence may be counted but absent. */
static bool tokens_are_all(const struct reading *r, const struct choice *c)
{
	for (uint32_t i = 0; c->has_columns && i < c->columns.n; i++) {
		if (score_token_is_broken(columns_token(&c->columns, i))) {
			return false;
		}
	}
	return c->has_columns && c->columns.n > 0 && r->n_choices == 1 &&
	       r->usage.completion_tokens >= 0 &&
	       (int64_t)c->columns.n + 1 >= r->usage.completion_tokens;
}

/* Returns the length up to the first broken character: what follows it was generated after bytes
 * that a text cannot contain. */
static size_t sound_length(struct span text)
{
	const char *p = text.data, *end = p + text.len;
	while (p < end) {
		size_t n = utf8_length(p, end);
		if (n == 0 || (n == 3 && memcmp(p, "\xef\xbf\xbd", 3) == 0)) {
			break;
		}
		p += n;
	}
	return text.len ? (size_t)(p - text.data) : 0;
}

bool score_answer_text(const struct reading *r, const struct choice *c, struct buf *to)
{
	bool beside = c->reasoning.len > 0 || c->refusal.len > 0;
	for (size_t i = 0; i < c->n_calls; i++) {
		beside |= !c->calls[i].in_text;
	}
	struct span text = buf_span(&c->text);
	size_t len;
	if (beside && tokens_are_all(r, c)) {
		text = (struct span){c->columns.bytes, c->columns.bytes_end[c->columns.n - 1]};
		beside = false;
	} else if (!beside && tokens_spell(c, &len)) {
		text = (struct span){c->columns.bytes, len};
	}
	buf_append(to, text.data, sound_length(text));
	return !beside;
}

/* Behind tokens without bytes: on to where the next one stands, over broken characters alone. */
static bool catch_up(struct span text, size_t *p, struct span token)
{
	size_t q = *p;
	while (q < text.len && !starts(text, q, token) && (text.data[q] & 0x80)) {
		q++;
	}
	if (q > text.len || !starts(text, q, token)) {
		return false;
	}
	*p = q;
	return true;
}

size_t score_match_bytes(const struct columns *c, uint32_t from, uint32_t to, struct span text,
        size_t at, uint32_t *ret_at)
{
	size_t p = at, covered = 0;
	bool loose = false;
	for (uint32_t i = from; i < to; i++) {
		ret_at[i - from] = SCORE_NONE;
	}
	for (uint32_t i = from; i < to && p < text.len; i++) {
		struct span token = columns_token(c, i);
		if (score_token_is_broken(token)) {
			loose = true;
			continue;
		}
		if (loose && !catch_up(text, &p, token)) {
			break;
		}
		if (!starts(text, p, token)) {
			break;
		}
		ret_at[i - from] = (uint32_t)p;
		p += token.len;
		covered += token.len;
		loose = false;
	}
	return covered;
}

static bool by_ids(const struct columns *a, const struct score_place *place, uint32_t *ret)
{
	const struct columns *s = place->columns;
	if (a->n == 0 || place->at + a->n > s->n) {
		return false;
	}
	for (uint32_t i = 0; i < a->n; i++) {
		if (a->ids[i] < 0 || a->ids[i] != s->ids[place->at + i]) {
			return false;
		}
	}
	for (uint32_t i = 0; i < a->n; i++) {
		ret[i] = place->at + i;
	}
	return true;
}

/*
 * Where the first scored token stands in the answer: at its begin, unless the token before it
 * reaches over from the prompt.
 */
static size_t first_byte(const struct score_place *place, struct span text)
{
	const struct columns *s = place->columns;
	if (place->at == 0 || place->at > s->n) {
		return 0;
	}
	struct span before = columns_token(s, place->at - 1);
	size_t behind = s->bytes_end[s->n - place->tail - 1] - s->bytes_end[place->at - 1];
	size_t over = behind < text.len ? text.len - behind : 0;
	bool reaches = over > 0 && over < before.len &&
	               memcmp(before.data + before.len - over, text.data, over) == 0;
	return reaches ? over : 0;
}

static uint32_t by_place(
        const struct columns *a, struct span text, const struct score_place *place, uint32_t *ret)
{
	const struct columns *s = place->columns;
	uint32_t to = s->n - place->tail, n = to - place->at, matched = 0;
	uint32_t *mine = xmalloc((a->n + 1) * sizeof(*mine));
	uint32_t *theirs = xmalloc((n + 1) * sizeof(*theirs));
	score_match_bytes(a, 0, a->n, text, 0, mine);
	score_match_bytes(s, place->at, to, text, first_byte(place, text), theirs);
	for (uint32_t i = 0, j = 0; i < a->n; i++) {
		ret[i] = SCORE_NONE;
		if (mine[i] == SCORE_NONE) {
			continue;
		}
		while (j < n && (theirs[j] == SCORE_NONE || theirs[j] < mine[i])) {
			j++;
		}
		if (j < n && theirs[j] == mine[i] &&
		        columns_token(a, i).len == columns_token(s, place->at + j).len) {
			ret[i] = place->at + j;
			matched++;
		}
	}
	free(mine);
	free(theirs);
	return matched;
}

uint32_t score_match(const struct reading *r, const struct choice *answer,
        const struct score_place *place, uint32_t *ret)
{
	const struct columns *a = &answer->columns, *s = place->columns;
	if (!answer->has_columns || place->tail > s->n || place->at > s->n - place->tail) {
		return 0;
	}
	if (by_ids(a, place, ret)) {
		return a->n;
	}
	struct buf text = {0};
	score_answer_text(r, answer, &text);
	uint32_t n = by_place(a, buf_span(&text), place, ret);
	buf_finish(&text);
	return n;
}
