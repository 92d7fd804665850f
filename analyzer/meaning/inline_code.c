#include "analyzer/meaning/inline_code.h"

#include <string.h>

#include "analyzer/meaning/markup.h"
#include "base/letters.h"

static bool pass(struct span *rest, struct span code)
{
	const char *at = memmem(rest->data, rest->len, code.data, code.len);
	if (at) {
		*rest = span_between(at + code.len, rest->data + rest->len);
	}
	return at != NULL;
}

/* The next that lies within the part; *at counts the places passed. */
static bool next(const struct inline_code *of, size_t *at, struct span *ret)
{
	const struct markup_place *places =
	        (const struct markup_place *)(const void *)of->places->data;
	while (*at < of->places->len / sizeof(*places)) {
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

static bool stand_in(const struct inline_code *a, struct span words)
{
	struct span code;
	size_t at = 0;
	while (next(a, &at, &code)) {
		if (!pass(&words, code)) {
			return false;
		}
	}
	return true;
}

bool inline_code_agree(const struct inline_code *a, const struct inline_code *b)
{
	size_t n = count(a), m = count(b);
	return n == m ? are_equal(a, b) : stand_in(a, b->part) && stand_in(b, a->part);
}
