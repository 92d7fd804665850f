#include "analyzer/tokens/listing.h"

#include <criterion/criterion.h>

#include "analyzer/tokens/plain.h"
#include "made_lists.h"

#define ROUNDS 300

/* What is said of many tokens, asked of one alone; of lists that are all plain. */
static bool chose_best(const struct listing *l)
{
	return !(listing_flags(l) & TOKEN_NOT_TOP) && plain_best(l) == 0 &&
	       listed_is(listing_row(l, l->from), listing_chosen(l));
}

Test(listing, of_short_tokens_as_many_chose_the_best_as_do_one_by_one)
{
	size_t best = 0, others = 0;
	random_state = 3;
	for (size_t round = 0; round < ROUNDS; round++) {
		struct columns c, unused;
		struct listings l;
		make(1 + below(90), &c, &unused);
		listings_begin(&l, &c);
		for (uint32_t i = 0; i < c.n; i++) {
			struct listing at = listings_at(&l, i);
			bool is_long = l.keys[i] & LISTING_LONG, last = i == c.n - 1;
			uint32_t n = listing_chose_best(&c, l.keys, i);
			cr_assert(n == 0 || (!is_long && chose_best(&at)));
			cr_assert(n > 0 || is_long || last || !chose_best(&at));
			cr_assert(n <= 1 || listing_chose_best(&c, l.keys, i + 1) == n - 1);
			best += n > 0;
			others += n == 0;
		}
		listings_end(&l);
		columns_finish(&c);
		columns_finish(&unused);
	}
	cr_assert(best > 1000 && others > 1000, "%zu, %zu", best, others);
}
