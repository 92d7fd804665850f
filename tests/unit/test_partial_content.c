#include "analyzer/rows/partial_content.h"

#include <math.h>

#include <criterion/criterion.h>

#include "analyzer/stats/proportion.h"

#define PROMPTS 10

static char stop[] = "stop", length[] = "length";

/* A pair without texts; session 0: none. */
static void add(struct partial_content *k, uint8_t session, uint8_t prompt, bool differs,
        double temperature)
{
	struct exchange_row e = {.content = CONTENT_METADATA};
	struct leg_row base = {.outcome = OUTCOME_COMPLETE, .status = 200, .finish = stop};
	struct leg_row test = base;
	struct metadata_pair pair;
	e.facts.is_json = true;
	e.facts.temperature = temperature;
	e.hashes.session[15] = session;
	e.hashes.prompt[15] = prompt;
	base.answer_hash[0] = test.answer_hash[0] = 1;
	test.answer_hash[1] = differs;
	test.finish = differs ? length : stop;
	partial_content_compare(&e, &base, &test, &pair);
	partial_content_add_metadata(k, clusters_key_of(&e), &pair);
}

Test(partial_content, repeats_of_a_prompt_and_turns_of_a_session_are_one_each)
{
	struct partial_content k = {0};
	struct partial_content_rate r;
	for (uint8_t i = 0; i < PROMPTS; i++) {
		for (unsigned n = 0; n < 20; n++) {
			add(&k, 0, i + 1, i == 0, 0);
			add(&k, i + 1, (uint8_t)(n + 100), i < 2, 0.7);
		}
	}
	partial_content_estimate(&k, PARTIAL_CONTENT_GREEDY, &r);
	cr_assert(r.n == 20 * PROMPTS && r.differ == 20);
	cr_assert_float_eq(r.estimate.value, 0.1, 1e-12);
	struct interval of_ten = proportion_mid_p(1, PROMPTS, 0.05);
	cr_expect(r.estimate.effective_n <= PROMPTS && r.estimate.effective_n > PROMPTS / 2.0);
	cr_expect(r.estimate.ci.low <= of_ten.low && r.estimate.ci.high >= of_ten.high);
	partial_content_estimate(&k, PARTIAL_CONTENT_OTHER, &r);
	cr_assert(r.n == 20 * PROMPTS && r.differ == 40);
	cr_expect_gt(r.estimate.ci.high - r.estimate.ci.low, 0.4, "ten sessions, not 200 answers");
	partial_content_estimate(&k, PARTIAL_CONTENT_FINISH, &r);
	cr_expect(r.n == 40 * PROMPTS && r.differ == 60);
	partial_content_finish(&k);
}
