#include "backends/scoring/score_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/utf8.h"

static bool starts(struct span text, size_t at, struct span token)
{
	return token.len <= text.len - at && memcmp(text.data + at, token.data, token.len) == 0;
}

/* Whether the tokens spell the text, and how many of their bytes do. Engines remove space before a
 * text, and the end of sequence after it. */
static bool tokens_spell_text(const struct choice *c, size_t *ret_len)
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
static bool has_all_tokens(const struct reading *r, const struct choice *c)
{
	for (uint32_t i = 0; c->has_columns && i < c->columns.n; i++) {
		if (token_is_lossy(columns_token(&c->columns, i))) {
			return false;
		}
	}
	return c->has_columns && c->columns.n > 0 && r->n_choices == 1 &&
	       r->usage.completion_tokens >= 0 &&
	       (int64_t)c->columns.n + 1 >= r->usage.completion_tokens;
}

/* Returns the length up to the first broken character. What follows was generated after bytes that
 * a text cannot contain. */
static size_t valid_length(struct span text)
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
	bool other_parts = c->reasoning.len > 0 || c->refusal.len > 0;
	for (size_t i = 0; i < c->n_calls; i++) {
		other_parts |= !c->calls[i].in_text;
	}
	struct span text = buf_span(&c->text);
	size_t len;
	if (other_parts && has_all_tokens(r, c)) {
		text = (struct span){c->columns.bytes, c->columns.bytes_end[c->columns.n - 1]};
		other_parts = false;
	} else if (!other_parts && tokens_spell_text(c, &len)) {
		text = (struct span){c->columns.bytes, len};
	}
	buf_append(to, text.data, valid_length(text));
	return !other_parts;
}

/* After tokens without bytes, moves *p over broken characters to the next token. False: it is not
 * there. */
static bool skip_broken(struct span text, size_t *p, struct span token)
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
	bool after_broken = false;
	for (uint32_t i = from; i < to; i++) {
		ret_at[i - from] = SCORE_NONE;
	}
	for (uint32_t i = from; i < to && p < text.len; i++) {
		struct span token = columns_token(c, i);
		if (token_is_lossy(token)) {
			after_broken = true;
			continue;
		}
		if (after_broken && !skip_broken(text, &p, token)) {
			break;
		}
		if (!starts(text, p, token)) {
			break;
		}
		ret_at[i - from] = (uint32_t)p;
		p += token.len;
		covered += token.len;
		after_broken = false;
	}
	return covered;
}

static bool match_by_ids(const struct columns *a, const struct score_place *place, uint32_t *ret)
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

/* Returns where the first scored token begins in the answer: at 0, unless the token before it
 * extends from the prompt into the answer. */
static size_t first_byte(const struct score_place *place, struct span text)
{
	const struct columns *s = place->columns;
	if (place->at == 0 || place->at > s->n) {
		return 0;
	}
	struct span before = columns_token(s, place->at - 1);
	size_t remaining = s->bytes_end[s->n - place->tail - 1] - s->bytes_end[place->at - 1];
	size_t overlap = remaining < text.len ? text.len - remaining : 0;
	bool reaches = overlap > 0 && overlap < before.len &&
	               memcmp(before.data + before.len - overlap, text.data, overlap) == 0;
	return reaches ? overlap : 0;
}

static uint32_t match_by_position(
        const struct columns *a, struct span text, const struct score_place *place, uint32_t *ret)
{
	const struct columns *s = place->columns;
	uint32_t to = s->n - place->tail, n = to - place->at, matched = 0;
	uint32_t *answer_at = xmalloc((a->n + 1) * sizeof(*answer_at));
	uint32_t *scored_at = xmalloc((n + 1) * sizeof(*scored_at));
	score_match_bytes(a, 0, a->n, text, 0, answer_at);
	score_match_bytes(s, place->at, to, text, first_byte(place, text), scored_at);
	for (uint32_t i = 0, j = 0; i < a->n; i++) {
		ret[i] = SCORE_NONE;
		if (answer_at[i] == SCORE_NONE) {
			continue;
		}
		while (j < n && (scored_at[j] == SCORE_NONE || scored_at[j] < answer_at[i])) {
			j++;
		}
		if (j < n && scored_at[j] == answer_at[i] &&
		        columns_token(a, i).len == columns_token(s, place->at + j).len) {
			ret[i] = place->at + j;
			matched++;
		}
	}
	free(answer_at);
	free(scored_at);
	return matched;
}

/* Placeholders have as many bytes as the tokens. If all of them together have as many as the
 * answer, tokens of the same length up to here cover the same bytes. */
static uint32_t match_by_length(
        const struct columns *a, struct span text, const struct score_place *place, uint32_t *ret)
{
	const struct columns *s = place->columns;
	uint32_t to = s->n - place->tail, n = 0;
	size_t before = place->at ? s->bytes_end[place->at - 1] : 0;
	size_t len = to > place->at ? s->bytes_end[to - 1] - before : 0;
	bool whole = a->n > 0 && len > 0 && (len == text.len || len == a->bytes_end[a->n - 1]);
	while (whole && n < a->n && n < to - place->at &&
	        columns_token(a, n).len == columns_token(s, place->at + n).len) {
		ret[n] = place->at + n;
		n++;
	}
	for (uint32_t i = n; i < a->n; i++) {
		ret[i] = SCORE_NONE;
	}
	return n;
}

uint32_t score_match(const struct reading *r, const struct choice *answer,
        const struct score_place *place, uint32_t *ret)
{
	const struct columns *a = &answer->columns, *s = place->columns;
	if (!answer->has_columns || place->tail > s->n || place->at > s->n - place->tail) {
		return 0;
	}
	if (!place->redacted && match_by_ids(a, place, ret)) {
		return a->n;
	}
	struct buf text = {0};
	score_answer_text(r, answer, &text);
	uint32_t n = place->redacted ? match_by_length(a, buf_span(&text), place, ret)
	                             : match_by_position(a, buf_span(&text), place, ret);
	buf_finish(&text);
	return n;
}
