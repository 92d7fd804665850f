#include "capture/formats/filler.h"

#include "base/rng.h"

static const char *const WORDS[] = {"the", "of", "and", "to", "in", "is", "you", "that", "it", "he",
        "was", "for", "on", "are", "as", "with", "his", "they", "at", "be", "this", "have", "from",
        "or", "one", "had", "by", "word", "but", "not", "what", "all", "were", "we", "when", "your",
        "can", "said", "there", "use", "each", "which", "she", "do", "how", "their", "if", "will",
        "up", "other", "about", "out", "many", "then", "them", "these", "so", "some", "her",
        "would", "make", "like", "him", "into"};

_Static_assert(ARRAY_LEN(WORDS) == 64, "six bits choose one");

void filler_words(struct buf *to, uint64_t seed, size_t n)
{
	struct rng rng = {seed};
	for (size_t i = 0; i < n; i++) {
		buf_append_char(to, ' ');
		buf_append_str(to, WORDS[rng_next(&rng) >> 58]);
	}
}
