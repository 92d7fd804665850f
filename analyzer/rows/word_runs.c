#include "analyzer/rows/word_runs.h"

#include <xxhash.h>

#include "base/ascii.h"

#define WORDS_LIMIT (WORD_RUNS_LIMIT + WORD_RUN - 1)

/* Writes the hash of each word to ret and returns their number. The letter of a JSON escape
 * belongs to no word. */
static size_t hash_words(struct span text, uint64_t ret[WORDS_LIMIT])
{
	size_t n = 0;
	const char *end = text.data + text.len;
	for (const char *at = text.data; at < end && n < WORDS_LIMIT;) {
		const char *word = at;
		while (at < end && (is_letter(*at) || is_digit(*at))) {
			at++;
		}
		if (at > word) {
			ret[n++] = XXH3_64bits(word, (size_t)(at - word));
		} else {
			at += *at == '\\' && end - at > 1 ? 2 : 1;
		}
	}
	return n;
}

size_t word_runs_read(struct span text, uint64_t ret[WORD_RUNS_LIMIT])
{
	uint64_t words[WORDS_LIMIT];
	size_t n = hash_words(text, words);
	size_t runs = n < WORD_RUN ? 0 : n - (WORD_RUN - 1);
	for (size_t i = 0; i < runs; i++) {
		ret[i] = XXH3_64bits(words + i, WORD_RUN * sizeof(*words));
	}
	return runs;
}
