#include "analyzer/tokens/strip.h"

#include <criterion/criterion.h>

#include "analyzer/tokens/plain.h"
#include "made_lists.h"

#define ROUNDS 300

/* What a strip says of a position, asked of the position alone. */
static bool is_alike(const struct strip *s, uint32_t i)
{
	struct listing base = listings_at(s->base, s->a + i);
	struct listing test = listings_at(s->test, s->b + i);
	struct plain m;
	return plain_match(&base, &test, LISTING_FAINT, &m) && m.alike && m.chosen_base == 0 &&
	       m.chosen_test == 0;
}

static void check(const struct strip *s, size_t *ret_alike, size_t *ret_others)
{
	for (uint32_t i = 0; i < s->n; i++) {
		bool alike = strip_is_alike(s, i);
		cr_assert_eq(alike, is_alike(s, i));
		uint32_t next = i + alike < s->n ? strip_alike_from(s, i + alike) : 0;
		cr_assert_eq(strip_alike_from(s, i), alike ? 1 + next : 0);
		*(alike ? ret_alike : ret_others) += 1;
	}
}

Test(strip, tells_the_same_lists_from_others_as_they_are_told_one_by_one)
{
	size_t alike = 0, others = 0, positions = 0;
	random_state = 3;
	with_doubts = true;
	for (size_t round = 0; round < ROUNDS; round++) {
		struct columns base, test;
		struct listing_walk w;
		struct strip s;
		size_t n = 1 + round % (2 * STRIP_MOST);
		make(n, &base, &test);
		listing_walk_begin(&w, &base, &test);
		for (strip_find(&w, &s); s.n > 0; strip_find(&w, &s)) {
			cr_assert(s.plain && s.a == w.at.next_a && s.b == w.at.next_b);
			check(&s, &alike, &others);
			positions += s.n;
			parting_walk_pass(&w.at, s.n);
		}
		cr_assert_not(listing_walk_next(&w), "all were in a strip");
		positions -= n;
		listing_walk_end(&w);
		columns_finish(&base);
		columns_finish(&test);
	}
	cr_assert_eq(positions, 0);
	cr_assert(alike > 1000 && others > 1000, "%zu and %zu", alike, others);
}

/* Twenty positions, of which the test's or the base's tenth is as given. */
static bool is_plain(const struct made *usual, const struct made *odd, bool of_base)
{
	struct columns_builder *b = columns_builder_create(), *t = columns_builder_create();
	struct columns base, test;
	struct listing_walk w;
	struct strip s;
	for (size_t i = 0; i < 20; i++) {
		put(b, i == 10 && of_base ? odd : usual, false);
		put(t, i == 10 && !of_base ? odd : usual, false);
	}
	columns_builder_end(b, &base);
	columns_builder_end(t, &test);
	listing_walk_begin(&w, &base, &test);
	strip_find(&w, &s);
	cr_assert_eq(s.n, 20);
	listing_walk_end(&w);
	columns_finish(&base);
	columns_finish(&test);
	return s.plain;
}

Test(strip, is_plain_if_all_its_lists_are)
{
	const struct made usual = {
	        .words = {0, 1, 2, 3, 4}, .lps = {-0.5F, -1, -3, -4, -5}, .chosen = 0};
	cr_assert(is_plain(&usual, &usual, true));
	for (size_t i = 0; i < LISTING_PLAIN; i++) {
		struct made odd = usual;
		odd.lps[i] = NAN;
		cr_assert_not(is_plain(&usual, &odd, true));
		cr_assert_not(is_plain(&usual, &odd, false));
		odd.lps[i] = -800;
		cr_assert_not(is_plain(&usual, &odd, true));
		cr_assert_not(is_plain(&usual, &odd, false), "its exponential might vanish");
		for (size_t k = 0; i > 0 && k < LISTING_PLAIN; k++) {
			odd = usual;
			odd.words[i] = odd.words[k];
			cr_assert_eq(is_plain(&usual, &odd, true), i == k, "a token comes twice");
		}
	}
}

Test(strip, ends_where_tokens_differ_and_goes_on_behind_other_boundaries)
{
	struct columns_builder *b = columns_builder_create(), *t = columns_builder_create();
	struct columns base, test;
	struct listing_walk w;
	struct strip s;
	const char *mine[] = {"a", "bc", "d", "e", "f"}, *other[] = {"a", "b", "c", "d", "e", "g"};
	for (size_t i = 0; i < ARRAY_LEN(mine); i++) {
		columns_builder_commit(b, span_of(mine[i]), -1, -1, 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(other); i++) {
		columns_builder_commit(t, span_of(other[i]), -1, -1, 0);
	}
	columns_builder_end(b, &base);
	columns_builder_end(t, &test);
	listing_walk_begin(&w, &base, &test);
	strip_find(&w, &s);
	cr_assert(s.n == 1 && !s.plain, "it has no list");
	parting_walk_pass(&w.at, 1);
	strip_find(&w, &s);
	cr_assert_eq(s.n, 0);
	cr_assert(listing_walk_next(&w) && !w.at.equal);
	cr_assert(listing_walk_next(&w) && w.at.equal && w.at.a == 2 && w.at.b == 3);
	strip_find(&w, &s);
	cr_assert(s.n == 1 && s.a == 3 && s.b == 4);
	listing_walk_end(&w);
	columns_finish(&base);
	columns_finish(&test);
}
