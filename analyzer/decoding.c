#include "analyzer/decoding.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

const char *decoding_name(enum decoding d)
{
	static const char *const NAMES[] = {"greedy", "sampled", "unlike", "unknown"};
	expect(d < N_DECODINGS);
	return NAMES[d];
}

static bool is_greedy(const struct request_facts *f)
{
	return f->temperature == 0 || f->top_k == 1;
}

/* Unset equals unset only: what the engine puts in its place is not known. */
static bool same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* What still acts when the most probable token is always taken. */
static bool same_beyond_sampling(const struct request_facts *a, const struct request_facts *b)
{
	return same(a->presence_penalty, b->presence_penalty) &&
	       same(a->frequency_penalty, b->frequency_penalty) &&
	       same(a->repetition_penalty, b->repetition_penalty) && a->n == b->n &&
	       a->max_tokens == b->max_tokens;
}

static bool same_sampling(const struct request_facts *a, const struct request_facts *b)
{
	return same(a->temperature, b->temperature) && same(a->top_p, b->top_p) &&
	       same(a->top_k, b->top_k) && same(a->min_p, b->min_p);
}

enum decoding decoding_of_pair(const struct request_facts *base, const struct request_facts *test)
{
	if (!base->is_json || !test->is_json) {
		return DECODING_UNKNOWN;
	}
	if (!same_beyond_sampling(base, test)) {
		return DECODING_UNLIKE;
	}
	if (is_greedy(base) && is_greedy(test)) {
		return DECODING_GREEDY;
	}
	if (is_greedy(base) || is_greedy(test) || !same_sampling(base, test)) {
		return DECODING_UNLIKE;
	}
	return isnan(base->temperature) ? DECODING_UNKNOWN : DECODING_SAMPLED;
}

bool decoding_may_differ(const struct leg_row *leg)
{
	static const char *const WORDS[] = {"temperature", "top_p", "top_k", "min_p", "penalty",
	        "\"n\"", "max_tokens", "max_completion_tokens"};
	for (size_t i = 0; i < leg->n_edits; i++) {
		const struct edit *e = &leg->edits[i];
		if (e->removed > 0) {
			return true;
		}
		for (size_t w = 0; w < ARRAY_LEN(WORDS) && e->inserted.len > 0; w++) {
			if (memmem(e->inserted.data, e->inserted.len, WORDS[w], strlen(WORDS[w]))) {
				return true;
			}
		}
	}
	return false;
}
