#include "base/nest.h"

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define BLOCK 64

/* A bit for each byte of a block. */
struct marks {
	uint64_t quotes, backslashes, open, close;
};

#ifdef __SSE2__
static struct marks mark(const char *block)
{
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
	const __m128i open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}');
	const __m128i low = _mm_set1_epi8(' '); /* which makes { of [ and } of ] */
	struct marks m = {0};
	for (int i = 0; i < BLOCK; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(block + i));
		__m128i lowered = _mm_or_si128(v, low);
#define MARKED(v, c) ((uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8((v), (c))) << i)
		m.quotes |= MARKED(v, quote);
		m.backslashes |= MARKED(v, backslash);
		m.open |= MARKED(lowered, open);
		m.close |= MARKED(lowered, close);
#undef MARKED
	}
	return m;
}
#else
static struct marks mark(const char *block)
{
	struct marks m = {0};
	for (int i = 0; i < BLOCK; i++) {
		char c = block[i];
		m.quotes |= (uint64_t)(c == '"') << i;
		m.backslashes |= (uint64_t)(c == '\\') << i;
		m.open |= (uint64_t)((c | ' ') == '{') << i;
		m.close |= (uint64_t)((c | ' ') == '}') << i;
	}
	return m;
}
#endif

/* The bytes behind a backslash that is none itself; *first: the block's first byte is one, then the next block's. */
static uint64_t escaped(uint64_t backslashes, uint64_t *first)
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

/* From each quote to before the next one. */
static uint64_t between(uint64_t quotes)
{
	for (int n = 1; n < BLOCK; n *= 2) {
		quotes ^= quotes << n;
	}
	return quotes;
}

const char *nest_end(const char *at, const char *end)
{
	char last[BLOCK] = {0};
	uint64_t within = 0, first = 0; /* all ones: the block begins in a string */
	size_t depth = 1;
	for (; at < end; at += BLOCK) {
		const char *block = at;
		if (end - at < BLOCK) {
			memcpy(last, at, (size_t)(end - at));
			block = last;
		}
		struct marks m = mark(block);
		uint64_t strings = between(m.quotes & ~escaped(m.backslashes, &first)) ^ within;
		uint64_t brackets = (m.open | m.close) & ~strings;
		within = -(strings >> (BLOCK - 1));
		for (; brackets; brackets &= brackets - 1) {
			depth += m.open & brackets & -brackets ? 1 : (size_t)-1;
			if (depth == 0) {
				return at + __builtin_ctzll(brackets) + 1;
			}
		}
		if (block == last) {
			break;
		}
	}
	return NULL;
}
