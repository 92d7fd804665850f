#pragma once
/*
 * end_token - finds out whether only one engine counts the token that ends an answer.
 *
 * If so, the same answer has one token more on one side, which is not a difference in length. The
 * evidence is pairs of answers that ended by themselves: at least three, and all must show the
 * same. Needs no freeing.
 */
#include "answers/reading.h"

struct end_tokens { /* zero-initialised: empty */
	/* known: pairs that show whether both engines count the end token. of_base, of_test:
	 * those of them in which this side counts one token more. */
	uint64_t known, of_base, of_test;
};

enum end_token {
	END_TOKEN_ALIKE,   /* both count it, neither does, or it is unknown */
	END_TOKEN_OF_BASE, /* only the base counts it */
	END_TOKEN_OF_TEST,
};

/* True if the finish reason says that the answer ended by itself or with tool calls, so that it
 * has an end token. */
bool end_token_is_in(const struct choice *c);
/*
 * Sets *ret_longer to the number of tokens that the test counts for the end of an answer, minus the
 * base's number: -1, 0 or 1 if the tokens of both answers show it; else, if the texts are equal,
 * test_tokens - base_tokens. False: the pair shows nothing, for example because an answer did not
 * end by itself; *ret_longer is then undefined. base_tokens, test_tokens: answer_facts.tokens
 * (comparison.h).
 */
bool end_token_compare(const struct choice *base, const struct choice *test, int64_t base_tokens,
        int64_t test_tokens, int64_t *ret_longer) MUST_CHECK;
/* Adds a pair. longer: from end_token_compare(), which returned true. */
void end_tokens_add(struct end_tokens *e, int64_t longer);
enum end_token end_tokens_judge(const struct end_tokens *e);
