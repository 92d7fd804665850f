#include "backends/engine/batch_effects.h"

#include <stdlib.h>

#include <criterion/criterion.h>

static struct fault_set faults_of(const char *text)
{
	struct fault_set set = {0};
	char *problem = NULL;
	cr_assert(fault_parse(span_of(text), &set, &problem), "%s", problem);
	return set;
}

Test(engine_company, noise_grows_with_the_batch_and_with_a_warm_cache)
{
	struct batch_effects c;
	batch_effects_init(&c);
	struct tokens prompt = {0};
	struct presence some[3] = {0};
	struct fault_set faults = faults_of("load=0.03;cache=0.08");
	cr_assert_eq(batch_effects_noise(&c, &faults, 0), 0);
	for (int i = 0; i < 3; i++) {
		batch_effects_enter(&c, &some[i], &prompt);
	}
	cr_assert_float_eq(batch_effects_noise(&c, &faults, 0), 0.06, 1e-12);
	cr_assert_float_eq(batch_effects_noise(&c, &faults, 16), 0.1, 1e-12);
	batch_effects_leave(&c, &some[1]);
	batch_effects_leave(&c, &some[1]);
	cr_assert_float_eq(batch_effects_noise(&c, &faults, 0), 0.03, 1e-12);
	faults = faults_of("noise");
	cr_assert_eq(batch_effects_noise(&c, &faults, 16), 0, "a fault that is off adds nothing");
}

Test(engine_company, a_failure_spoils_the_answers_after_it_and_no_more)
{
	struct batch_effects c;
	batch_effects_init(&c);
	struct fault_set off = {0}, on = faults_of("poison=2");
	batch_effects_failed(&c, &off);
	cr_assert_not(batch_effects_spoils(&c));
	batch_effects_failed(&c, &on);
	cr_assert(batch_effects_spoils(&c));
	cr_assert(batch_effects_spoils(&c));
	cr_assert_not(batch_effects_spoils(&c));
}

Test(engine_company, what_is_overheard_is_the_end_of_another_present_prompt)
{
	struct batch_effects c;
	batch_effects_init(&c);
	struct tokens prompts[3] = {0}, heard = {0};
	struct presence some[3] = {0};
	struct fault_set always = faults_of("crosstalk=1"), never = faults_of("crosstalk=0");
	struct rng random = {1 + RNG_STEP};
	for (uint32_t i = 0; i < 3; i++) {
		for (uint32_t k = 0; k < 40; k++) {
			tokens_push(&prompts[i], TOKEN_CONTROLS + 100 * i + k);
		}
		tokens_push(&prompts[i], TOKEN_TURN_END);
	}
	batch_effects_enter(&c, &some[0], &prompts[0]);
	batch_effects_overhear(&c, &some[0], &always, &random, &heard);
	cr_assert_eq(heard.n, 0, "alone, there is nobody to overhear");

	batch_effects_enter(&c, &some[1], &prompts[1]);
	batch_effects_enter(&c, &some[2], &prompts[2]);
	batch_effects_overhear(&c, &some[0], &never, &random, &heard);
	cr_assert_eq(heard.n, 0);
	bool from[3] = {false};
	for (int i = 0; i < 64; i++) {
		heard.n = 0;
		batch_effects_overhear(&c, &some[0], &always, &random, &heard);
		cr_assert_eq(heard.n, 11, "twelve tokens, controls left out");
		from[(heard.items[0] - TOKEN_CONTROLS) / 100] = true;
		cr_assert_eq((heard.items[10] - TOKEN_CONTROLS) % 100, 39);
	}
	cr_assert(!from[0] && from[1] && from[2]);
	for (int i = 0; i < 3; i++) {
		batch_effects_leave(&c, &some[i]);
		tokens_finish(&prompts[i]);
	}
	tokens_finish(&heard);
}

Test(engine_company, a_mix_up_is_with_another_present_prompt_and_with_nobody_alone)
{
	struct batch_effects c;
	batch_effects_init(&c);
	struct tokens prompts[2] = {0};
	struct presence some[2] = {0};
	struct fault_set always = faults_of("mixup=1"), half = faults_of("mixup=0.5"), off = {0};
	struct rng random = {1 + RNG_STEP};
	unsigned n = 0;
	for (uint32_t i = 0; i < 2; i++) {
		tokens_push(&prompts[i], TOKEN_CONTROLS + i);
	}
	batch_effects_enter(&c, &some[0], &prompts[0]);
	cr_assert_eq(batch_effects_mix_up(&c, &some[0], &always, &random), 0);
	batch_effects_enter(&c, &some[1], &prompts[1]);
	cr_assert_eq(batch_effects_mix_up(&c, &some[0], &off, &random), 0);
	uint64_t first = batch_effects_mix_up(&c, &some[0], &always, &random);
	cr_assert_neq(first, 0);
	cr_assert_neq(batch_effects_mix_up(&c, &some[1], &always, &random), first);
	for (int i = 0; i < 1000; i++) {
		n += batch_effects_mix_up(&c, &some[0], &half, &random) != 0;
	}
	cr_assert(n > 420 && n < 580);
	for (int i = 0; i < 2; i++) {
		batch_effects_leave(&c, &some[i]);
		tokens_finish(&prompts[i]);
	}
}
