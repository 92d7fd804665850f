#include "analyzer/compare/meaning/inline_code.h"

#include <string.h>

#include "analyzer/compare/meaning/markup.h"
#include "base/letters.h"

#define TRIES_MAX 8 /* places at which a code is sought in the other's words */

static const struct markup_place *places_of(const struct buf *places, size_t *ret_n)
{
	*ret_n = places->len / sizeof(struct markup_place);
	return (const struct markup_place *)(const void *)places->data;
}

static bool is_within(struct markup_place a, struct markup_place b)
{
	return a.from >= b.from && a.to <= b.to;
}

/* What lies there is in no code, in one, or around one; *k is the first code that may reach into it, of all that are
 * asked for in order. */
static bool is_one(struct markup_place here, const struct buf *others, size_t *k)
{
	size_t n, i;
	const struct markup_place *places = places_of(others, &n);
	while (*k < n && places[*k].to <= here.from) {
		(*k)++;
	}
	i = *k;
	while (i < n && places[i].from == places[i].to) {
		i++;
	}
	if (i == n || places[i].from >= here.to) {
		return true;
	}
	bool more = i + 1 < n && places[i + 1].from < here.to;
	return !more && (is_within(here, places[i]) || is_within(places[i], here));
}

/* Passes the code's next place in the words of the other side; *k: of the codes there. */
static bool pass(const struct inline_code *of, size_t *k, struct span *rest, struct span code)
{
	for (size_t tries = 0; tries < TRIES_MAX; tries++) {
		const char *at = memmem(rest->data, rest->len, code.data, code.len);
		if (!at) {
			return false;
		}
		size_t from = (size_t)(at - of->words.data);
		struct markup_place here = {from, from + code.len};
		bool one = is_one(here, of->places, k);
		*rest = span_between(at + (one ? code.len : 1), rest->data + rest->len);
		if (one) {
			return true;
		}
	}
	return false;
}

/* The next that lies within the part; *at counts the places passed. */
static bool next(const struct inline_code *of, size_t *at, struct span *ret)
{
	size_t n;
	const struct markup_place *places = places_of(of->places, &n);
	while (*at < n) {
		struct markup_place p = places[(*at)++];
		struct span code = span_trim((struct span){of->words.data + p.from, p.to - p.from});
		bool within = code.data >= of->part.data &&
		              code.data + code.len <= of->part.data + of->part.len;
		if (code.len && within) {
			*ret = code;
			return true;
		}
	}
	return false;
}

static size_t count(const struct inline_code *of)
{
	struct span code;
	size_t at = 0, n = 0;
	while (next(of, &at, &code)) {
		n++;
	}
	return n;
}

static bool are_equal(const struct inline_code *a, const struct inline_code *b)
{
	struct span code, other;
	size_t at = 0, there = 0;
	while (next(a, &at, &code) && next(b, &there, &other)) {
		if (!span_equal(code, other)) {
			return false;
		}
	}
	return true;
}

static bool stand_in(const struct inline_code *a, const struct inline_code *b)
{
	struct span code, words = b->part;
	size_t at = 0, k = 0;
	while (next(a, &at, &code)) {
		if (!pass(b, &k, &words, code)) {
			return false;
		}
	}
	return true;
}

bool inline_code_agree(const struct inline_code *a, const struct inline_code *b)
{
	size_t n = count(a), m = count(b);
	return n == m ? are_equal(a, b) : stand_in(a, b) && stand_in(b, a);
}

static bool are_ones(const struct buf *a, const struct buf *b)
{
	size_t n, k = 0;
	const struct markup_place *places = places_of(a, &n);
	for (size_t i = 0; i < n; i++) {
		if (places[i].from < places[i].to && !is_one(places[i], b, &k)) {
			return false;
		}
	}
	return true;
}

bool inline_code_borders_agree(const struct buf *a, const struct buf *b)
{
	return are_ones(a, b) && are_ones(b, a);
}
