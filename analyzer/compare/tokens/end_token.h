#pragma once
/*
 * end_token - does one engine count the token that ends an answer, and the other one not?
 *
 * Then the same answer has one token more on one side, which is no difference in length. Told by
 * answers that ended by themselves: each must show the same difference. Counted; nothing to be
 * freed.
 */
#include "answers/reading.h"

struct end_tokens {
	/* Answers whose counts tell, and those where one side counts one token more. */
	uint64_t told, of_base, of_test;
};

enum end_token {
	END_TOKEN_ALIKE, /* both count it or neither does; or it is not known */
	END_TOKEN_OF_BASE,
	END_TOKEN_OF_TEST,
};

/* Did the answer end by itself, so that there was such a token? */
bool end_token_is_in(const struct choice *c);
/*
 * How many more tokens the test counts for the end of an answer that both sides ended by themselves. tokens: as
 * the engines counted them; -1 where unknown. False: the pair does not tell.
 */
bool end_token_compare(const struct choice *base, const struct choice *test, int64_t base_tokens,
        int64_t test_tokens, int64_t *ret_longer) MUST_CHECK;
/* longer: of a pair that tells. */
void end_tokens_add(struct end_tokens *e, int64_t longer);
enum end_token end_tokens_judge(const struct end_tokens *e);
