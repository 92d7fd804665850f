#include "base/json_scan.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#define LOW ' ' /* maps [ to { and ] to }, and no other byte to either */

const char *json_scan_end_scalar(const char *at, const char *end)
{
	bool within = false, escaped = false;
	size_t depth = 1;
	for (; at < end; at++) {
		char c = *at;
		if (c == '"' && !escaped) {
			within = !within;
		} else if (!within && (c | LOW) == '{') {
			depth++;
		} else if (!within && (c | LOW) == '}' && --depth == 0) {
			return at + 1;
		}
		escaped = c == '\\' && !escaped;
	}
	return NULL;
}

#ifdef __x86_64__
#define BLOCK 64
#define WIDE static inline __attribute__((target("avx2,popcnt")))

/* A bit for each byte of a block. */
struct marks {
	uint64_t quotes, backslashes, open, close;
};

WIDE uint64_t equal(__m256i v, char c)
{
	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_set1_epi8(c)));
}

WIDE struct marks mark(const char *block)
{
	const __m256i *halves = (const __m256i *)(const void *)block;
	__m256i a = _mm256_loadu_si256(halves), b = _mm256_loadu_si256(halves + 1);
	__m256i low = _mm256_set1_epi8(LOW);
	__m256i lowered_a = _mm256_or_si256(a, low), lowered_b = _mm256_or_si256(b, low);
	return (struct marks){
	        .quotes = equal(a, '"') | equal(b, '"') << 32,
	        .backslashes = equal(a, '\\') | equal(b, '\\') << 32,
	        .open = equal(lowered_a, '{') | equal(lowered_b, '{') << 32,
	        .close = equal(lowered_a, '}') | equal(lowered_b, '}') << 32,
	};
}

/* Marks the bytes that a backslash escapes. *first: whether the block's first byte is escaped;
 * on return, the same for the next block. */
WIDE uint64_t escaped(uint64_t backslashes, uint64_t *first)
{
	uint64_t found = *first;
	backslashes &= ~*first;
	*first = 0;
	while (backslashes) {
		uint64_t backslash = backslashes & -backslashes, behind = backslash << 1;
		found |= behind;
		*first = !behind;
		backslashes &= ~(backslash | behind);
	}
	return found;
}

/* Marks the bytes from each opening quote to before the closing one. */
WIDE uint64_t between(uint64_t quotes)
{
	for (int n = 1; n < BLOCK; n *= 2) {
		quotes ^= quotes << n;
	}
	return quotes;
}

/* Returns where in a block the last open bracket is closed; *depth brackets are open at its
 * beginning. -1: nowhere. */
WIDE int closed(uint64_t open, uint64_t close, size_t *depth)
{
	size_t closing = (size_t)_mm_popcnt_u64(close);
	if (closing < *depth) {
		*depth += (size_t)_mm_popcnt_u64(open) - closing;
		return -1;
	}
	for (uint64_t brackets = open | close; brackets; brackets &= brackets - 1) {
		*depth += open & brackets & -brackets ? 1 : (size_t)-1;
		if (*depth == 0) {
			return __builtin_ctzll(brackets);
		}
	}
	return -1;
}

WIDE const char *end_by_blocks(const char *at, const char *end)
{
	char last[BLOCK] = {0};
	uint64_t within = 0, first = 0; /* within: all ones where the block begins in a string */
	size_t depth = 1;
	for (; at < end; at += BLOCK) {
		const char *block = at;
		if (end - at < BLOCK) {
			memcpy(last, at, (size_t)(end - at));
			block = last;
		}
		struct marks m = mark(block);
		uint64_t strings = between(m.quotes & ~escaped(m.backslashes, &first)) ^ within;
		within = -(strings >> (BLOCK - 1));
		int found = closed(m.open & ~strings, m.close & ~strings, &depth);
		if (found >= 0) {
			return at + found + 1;
		}
		if (block == last) {
			break;
		}
	}
	return NULL;
}

const char *json_scan_end(const char *at, const char *end)
{
	return __builtin_cpu_supports("avx2") ? end_by_blocks(at, end)
	                                      : json_scan_end_scalar(at, end);
}
#else
const char *json_scan_end(const char *at, const char *end)
{
	return json_scan_end_scalar(at, end);
}
#endif
