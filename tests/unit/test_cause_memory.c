#include "analyzer/tokens/cause_memory.h"

#include <criterion/criterion.h>

#include "made_lists.h"

#define POSITIONS 3000

/* So many lists of one of 200 words, some of them longer than a key, and others. */
static void make_lists(struct columns *ret)
{
	struct columns_builder *b = columns_builder_create();
	char text[24];
	for (size_t i = 0; i < POSITIONS; i++) {
		size_t first = below(200);
		for (size_t k = 0; k < LISTING_PLAIN; k++) {
			size_t n = (first + k * (1 + below(3))) % 200;
			snprintf(text, sizeof(text), n % 3 ? "w%zu" : "longword%zu", n);
			columns_builder_row(b, span_of(text), -1, -1);
		}
		columns_builder_commit(b, span_of(text), -1, -1, 0);
	}
	columns_builder_end(b, ret);
}

Test(cause_memory, to_meet_the_first_token_is_to_ask_and_then_to_add_it)
{
	static struct cause_memory one, other, third;
	struct columns c;
	struct listings l;
	random_state = 6;
	cause_memory_begin(&one);
	cause_memory_begin(&other);
	cause_memory_begin(&third);
	make_lists(&c);
	listings_begin(&l, &c);
	for (uint32_t i = 0; i < c.n; i++) {
		struct listing at = listings_at(&l, i);
		struct listed first = listing_row(&at, at.from);
		uint32_t ought = cause_memory_which(&one, &at, LISTING_PLAIN, i);
		cause_memory_add(&one, first, i);
		uint64_t met;
		cause_memory_meet_firsts(&other, &l, at.from, i, 1, &met);
		cr_assert_eq(met, ought);
		cr_assert_eq(cause_memory_again(&third, &first, i), ought & 1);
	}
	listings_end(&l);
	columns_finish(&c);
}

Test(cause_memory, meets_many_positions_as_it_meets_one_after_the_other)
{
	static struct cause_memory one, many;
	static uint64_t met[POSITIONS];
	struct columns c;
	struct listings l;
	random_state = 8;
	cause_memory_begin(&one);
	cause_memory_begin(&many);
	make_lists(&c);
	listings_begin(&l, &c);
	for (uint32_t i = 0, n; i < c.n; i += n) {
		n = MIN(1 + below(70), c.n - i);
		cause_memory_meet_firsts(&many, &l, LISTING_PLAIN * i, i, n, met + i);
	}
	for (uint32_t i = 0; i < c.n; i++) {
		cr_assert_eq(met[i], cause_memory_meet(&one, &l, LISTING_PLAIN * i, 0, i));
	}
	cause_memory_begin(&one);
	cause_memory_begin(&many);
	cr_assert(many.from == one.from, "the last one was noted");
	listings_end(&l);
	columns_finish(&c);
}

Test(cause_memory, to_meet_a_token_is_to_ask_and_then_to_add_it)
{
	static struct cause_memory one, other;
	struct columns c;
	struct listings l;
	size_t came = 0;
	random_state = 5;
	cause_memory_begin(&one);
	cause_memory_begin(&other);
	make_lists(&c);
	listings_begin(&l, &c);
	for (uint32_t i = 0; i < c.n; i++) {
		struct listing at = listings_at(&l, i);
		uint32_t chosen = LISTING_PLAIN - 1;
		uint32_t ought = cause_memory_which(&one, &at, LISTING_PLAIN, i);
		cause_memory_add(&one, listing_row(&at, at.from + chosen), i);
		cr_assert_eq(cause_memory_meet(&other, &l, at.from, chosen, i), ought);
		came += (size_t)__builtin_popcount(ought);
	}
	cr_assert(came > POSITIONS && came < 5 * (size_t)POSITIONS, "%zu", came);
	listings_end(&l);
	columns_finish(&c);
}

Test(cause_memory, of_many_tokens_as_many_come_again_as_of_one_after_the_other)
{
	static struct cause_memory one, many;
	static uint64_t keys[POSITIONS];
	random_state = 10;
	cause_memory_begin(&one);
	cause_memory_begin(&many);
	for (uint32_t i = 0; i < POSITIONS; i++) {
		char text[24];
		snprintf(text, sizeof(text), "w%zu", (size_t)below(400));
		keys[i] = listed_of(span_of(text)).key;
	}
	for (uint32_t i = 0, n; i < POSITIONS; i += n) {
		uint32_t ought = 0;
		n = MIN(below(70), POSITIONS - i);
		for (uint32_t k = i; k < i + n; k++) {
			ought += cause_memory_again(&one, &(struct listed){.key = keys[k]}, k);
		}
		cr_assert_eq(cause_memory_again_all(&many, keys + i, i, n), ought);
	}
	cause_memory_begin(&one);
	cause_memory_begin(&many);
	cr_assert(many.from == one.from, "the last one was noted");
}

/* Words of which each begins with the same seven bytes: one key for all. */
Test(cause_memory, of_tokens_with_one_key_only_those_that_came_are_known)
{
	static struct cause_memory one, other;
	size_t came = 0;
	random_state = 9;
	cause_memory_begin(&one);
	cause_memory_begin(&other);
	for (uint32_t i = 0; i < POSITIONS; i++) {
		char asked_text[24], added_text[24];
		snprintf(asked_text, sizeof(asked_text), "longword%zu", (size_t)below(400));
		snprintf(added_text, sizeof(added_text), "longword%zu", (size_t)below(400));
		struct listed asked = listed_of(span_of(asked_text));
		struct listed added = listed_of(span_of(added_text));
		cr_assert(asked.key == added.key && (asked.key & LISTING_LONG));
		bool before = cause_memory_has(&one, asked, i);
		cause_memory_add(&one, added, i);
		cr_assert_eq(cause_memory_turn(&other, &asked, &added, i), before);
		came += before;
	}
	cr_assert(came > POSITIONS / 4 && came < POSITIONS * 3 / 4, "%zu", came);
}

Test(cause_memory, an_answer_knows_nothing_of_those_before_it)
{
	static struct cause_memory old;
	struct columns c;
	struct listings l;
	random_state = 12;
	make_lists(&c);
	listings_begin(&l, &c);
	for (uint32_t from = 0; from < c.n; from += 100) {
		struct cause_memory fresh = {0};
		old.last += from == c.n / 2 ? UINT32_MAX / 2 : 0; /* as after millions of answers */
		cause_memory_begin(&old);
		cause_memory_begin(&fresh);
		for (uint32_t i = 0; i < 100; i++) {
			struct listing at = listings_at(&l, from + i);
			uint32_t ought = cause_memory_which(&fresh, &at, LISTING_PLAIN, i);
			cr_assert_eq(cause_memory_which(&old, &at, LISTING_PLAIN, i), ought);
			cause_memory_add(&fresh, listing_chosen(&at), i);
			cause_memory_add(&old, listing_chosen(&at), i);
		}
	}
	listings_end(&l);
	columns_finish(&c);
}
