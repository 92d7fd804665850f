#include "analyzer/compare/tokens/end_token.h"

#include "answers/finish.h"

#define KNOWN_LEAST 3

bool end_token_is_in(const struct choice *c)
{
	enum finish f = finish_of(c->finish);
	return f == FINISH_STOP || f == FINISH_CALLS;
}

/* The engine's count of tokens minus the tokens that spell the answer; -1 if not known. */
static int64_t beyond(const struct choice *c, int64_t tokens)
{
	int64_t n = c->has_columns && c->n_calls == 0 ? c->columns.n : 0;
	while (n > 0 && !(c->columns.flags[n - 1] & (TOKEN_OF_ANSWER | TOKEN_OF_REASONING))) {
		n--;
	}
	int64_t more = tokens - n;
	return n > 0 && (more == 0 || more == 1) ? more : -1;
}

static bool have_equal_texts(const struct choice *a, const struct choice *b)
{
	return a->n_calls == 0 && b->n_calls == 0 &&
	       span_equal(buf_span(&a->text), buf_span(&b->text)) &&
	       span_equal(buf_span(&a->reasoning), buf_span(&b->reasoning)) &&
	       span_equal(buf_span(&a->refusal), buf_span(&b->refusal));
}

bool end_token_compare(const struct choice *base, const struct choice *test, int64_t base_tokens,
        int64_t test_tokens, int64_t *ret_longer)
{
	if (base_tokens < 0 || test_tokens < 0 || !end_token_is_in(base) ||
	        !end_token_is_in(test)) {
		return false;
	}
	int64_t of_base = beyond(base, base_tokens), of_test = beyond(test, test_tokens);
	if (of_base >= 0 && of_test >= 0) {
		*ret_longer = of_test - of_base;
		return true;
	}
	*ret_longer = test_tokens - base_tokens;
	return have_equal_texts(base, test);
}

void end_tokens_add(struct end_tokens *e, int64_t longer)
{
	e->known++;
	e->of_base += longer == -1;
	e->of_test += longer == 1;
}

enum end_token end_tokens_judge(const struct end_tokens *e)
{
	if (e->known < KNOWN_LEAST) {
		return END_TOKEN_ALIKE;
	}
	return e->of_base == e->known   ? END_TOKEN_OF_BASE
	       : e->of_test == e->known ? END_TOKEN_OF_TEST
	                                : END_TOKEN_ALIKE;
}
