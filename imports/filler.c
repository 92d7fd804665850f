#include "imports/filler.h"

static const char *const WORDS[] = {"the", "of", "and", "to", "in", "is", "you", "that", "it", "he",
        "was", "for", "on", "are", "as", "with", "his", "they", "at", "be", "this", "have", "from",
        "or", "one", "had", "by", "word", "but", "not", "what", "all", "were", "we", "when", "your",
        "can", "said", "there", "use", "each", "which", "she", "do", "how", "their", "if", "will",
        "up", "other", "about", "out", "many", "then", "them", "these", "so", "some", "her",
        "would", "make", "like", "him", "into"};

_Static_assert(ARRAY_LEN(WORDS) == 64, "six bits choose one");

/* splitmix64 */
static uint64_t next(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void filler_words(struct buf *to, uint64_t seed, size_t n)
{
	uint64_t state = seed;
	for (size_t i = 0; i < n; i++) {
		buf_append_char(to, ' ');
		buf_append_str(to, WORDS[next(&state) >> 58]);
	}
}
