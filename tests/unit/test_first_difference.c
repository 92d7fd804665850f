#include "answers/first_difference.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A choice with these tokens (NULL-terminated), which spell its text. */
static struct choice choice_of(const char *const *tokens)
{
	struct choice c = {.has_columns = true};
	struct columns_builder *b = columns_builder_create();
	for (; *tokens; tokens++) {
		columns_builder_token(b, span_of(*tokens), -1, -1, 0);
		buf_append_str(&c.text, *tokens);
	}
	columns_builder_end(b, &c.columns);
	return c;
}

static void choice_end(struct choice *c)
{
	buf_finish(&c->text);
	columns_finish(&c->columns);
}

static struct first_difference part(const char *const *a, const char *const *b)
{
	struct choice x = choice_of(a), y = choice_of(b);
	struct first_difference p, back;
	first_difference_find(&x, &y, &p);
	first_difference_find(&y, &x, &back);
	cr_assert_eq(p.comparable, back.comparable);
	cr_assert_eq(p.first_byte, back.first_byte);
	cr_assert_eq(p.tokens_differ, back.tokens_differ);
	choice_end(&x);
	choice_end(&y);
	return p;
}

#define TOKENS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NO_TOKENS ((const char *const[]){NULL})

Test(first_difference, equal_answers_are_comparable_everywhere)
{
	struct first_difference p = part(TOKENS("a", "b", "c"), TOKENS("a", "b", "c"));
	cr_assert(p.text_equal && p.has_tokens && !p.tokens_differ);
	cr_assert_eq(p.comparable, 3);
	cr_assert_eq(p.first_byte, 3);
}

Test(first_difference, the_first_differing_token_is_the_last_comparable_one)
{
	struct first_difference p =
	        part(TOKENS("The", " cat", " sat"), TOKENS("The", " car", " sat"));
	cr_assert(!p.text_equal && p.tokens_differ);
	cr_assert_eq(p.first_token, 1);
	cr_assert_eq(p.comparable, 2);
	cr_assert_eq(p.first_byte, 6);
}

Test(first_difference, the_first_token_is_always_comparable)
{
	struct first_difference p = part(TOKENS("x", "b"), TOKENS("y", "b"));
	cr_assert(p.tokens_differ);
	cr_assert_eq(p.first_token, 0);
	cr_assert_eq(p.comparable, 1);
}

Test(first_difference, a_longer_answer_parts_from_its_beginning_without_a_differing_token)
{
	struct first_difference p = part(TOKENS("a", "b"), TOKENS("a", "b", "c"));
	cr_assert(!p.text_equal && !p.tokens_differ);
	cr_assert_eq(p.comparable, 2);
	cr_assert_eq(p.first_byte, 2);
}

Test(first_difference, tokenisers_that_cut_elsewhere_meet_again_at_common_boundaries)
{
	/* Boundaries 0 5 8 10 and 0 2 5 9 10: 0 and 5 are common. */
	struct first_difference p =
	        part(TOKENS("hello", " wo", "rl"), TOKENS("he", "llo", " wor", "l"));
	cr_assert(p.text_equal && p.tokens_differ);
	cr_assert_eq(p.comparable, 2);
	cr_assert_eq(p.first_token, 0);
}

Test(first_difference, beyond_differing_bytes_no_boundary_is_common)
{
	struct first_difference p =
	        part(TOKENS("ab", "X", "cd", "e"), TOKENS("a", "b", "Y", "cd", "e"));
	cr_assert_eq(p.comparable, 2);
	struct choice a = choice_of(TOKENS("ab", "X", "cd")),
	              b = choice_of(TOKENS("a", "b", "Y", "cd"));
	struct position_walk w = {0};
	cr_assert(position_walk_next(&a.columns, &b.columns, &w));
	cr_assert(w.a == 0 && w.b == 0 && !w.equal);
	cr_assert(position_walk_next(&a.columns, &b.columns, &w));
	cr_assert(w.a == 1 && w.b == 2 && !w.equal);
	cr_assert_not(position_walk_next(&a.columns, &b.columns, &w));
	cr_assert_not(position_walk_next(&a.columns, &b.columns, &w));
	choice_end(&a);
	choice_end(&b);
}

Test(first_difference, tokens_without_bytes_pair_with_their_like_only)
{
	cr_assert_eq(part(TOKENS("a", "", "b"), TOKENS("a", "", "b")).comparable, 3);
	struct first_difference p = part(TOKENS("a", "", "b"), TOKENS("a", "b"));
	cr_assert_eq(p.comparable, 2);
	cr_assert_not(p.tokens_differ);
}

/* How engines send " 🦊" if it takes three tokens. */
#define ON_THE_LAST "", "", " \xf0\x9f\xa6\x8a"
#define ON_THE_FIRST " \xf0\x9f\xa6\x8a", "", ""
#define AS_BYTES " \xf0\x9f", "\xa6", "\x8a"
#define MERGED " \xf0\x9f\xa6\x8a"
#define REPLACED " \xef\xbf\xbd", "\xef\xbf\xbd", "\xef\xbf\xbd"

static const char *const *const shown[] = {TOKENS("a", ON_THE_LAST, "b", "c"),
        TOKENS("a", ON_THE_FIRST, "b", "c"), TOKENS("a", AS_BYTES, "b", "c"),
        TOKENS("a", MERGED, "b", "c")};

Test(first_difference, a_character_of_several_tokens_that_is_shown_in_two_ways_is_no_position)
{
	for (size_t i = 0; i < ARRAY_LEN(shown); i++) {
		for (size_t k = 0; k < ARRAY_LEN(shown); k++) {
			struct first_difference p = part(shown[i], shown[k]);
			uint32_t of_character = i != k ? 0 : i == 3 ? 1 : 3;
			cr_expect_eq(
			        p.comparable, 3 + of_character, "%zu, %zu: %u", i, k, p.comparable);
			cr_expect(
			        p.has_tokens && p.text_equal && !p.tokens_differ, "%zu, %zu", i, k);
		}
	}
}

Test(first_difference, at_a_character_that_one_side_lost_no_token_differs)
{
	/* The tokens of the lost character are distinguished from those of a space by the tokens
	 * after them. */
	const char *const *const lost[] = {TOKENS("a", " ", "", ""), TOKENS("a", " ", "", "", "b"),
	        TOKENS("a", REPLACED), TOKENS("a", REPLACED, "b")};
	for (size_t i = 0; i < ARRAY_LEN(shown); i++) {
		for (size_t k = 0; k < ARRAY_LEN(lost); k++) {
			struct first_difference p = part(shown[i], lost[k]);
			cr_expect_eq(p.comparable, 1, "%zu, %zu: %u", i, k, p.comparable);
			cr_expect_not(p.tokens_differ, "%zu, %zu", i, k);
		}
	}
}

Test(first_difference, whole_characters_and_those_shown_alike_still_differ)
{
	struct first_difference p = part(TOKENS("a", "é", "b"), TOKENS("a", "è", "b"));
	cr_assert(p.tokens_differ && p.first_token == 1 && p.comparable == 2);
	p = part(TOKENS("a", "é", ""), TOKENS("a", "è"));
	cr_assert(p.tokens_differ && p.first_token == 1, "the end of sequence has no bytes either");
	p = part(TOKENS("a", ON_THE_LAST), TOKENS("a", "", "", " \xf0\x9f\xa6\x8b"));
	cr_assert(p.tokens_differ && p.first_token == 3 && p.comparable == 4);
	p = part(TOKENS("a", AS_BYTES), TOKENS("a", " fox"));
	cr_assert(p.tokens_differ && p.first_token == 1 && p.comparable == 2);
	p = part(TOKENS("a", AS_BYTES), TOKENS("a", " \xf0\x9f"));
	cr_assert(!p.tokens_differ && p.comparable == 2, "cut within the character");
	p = part(TOKENS("a", MERGED), TOKENS("a", " \xf0\x9f"));
	cr_assert(!p.tokens_differ && p.comparable == 1);
	p = part(TOKENS("a", "", "b"), TOKENS("a", "c"));
	cr_assert(p.tokens_differ && p.comparable == 2);
}

/* All ways to use a walk find the same positions. */
Test(first_difference, a_walk_that_passes_over_equal_tokens_finds_the_same_positions)
{
	for (size_t i = 0; i < ARRAY_LEN(shown); i++) {
		for (size_t k = 0; k < ARRAY_LEN(shown); k++) {
			struct choice a = choice_of(shown[i]), b = choice_of(shown[k]);
			struct position_walk w = {0};
			uint32_t n = 0;
			while (position_walk_next(&a.columns, &b.columns, &w)) {
				n++;
			}
			cr_expect_eq(n, part(shown[i], shown[k]).comparable, "%zu, %zu", i, k);
			choice_end(&a);
			choice_end(&b);
		}
	}
}

Test(first_difference, answers_without_columns_part_by_their_text)
{
	struct choice a = {0}, b = {0};
	struct first_difference p;
	buf_append_str(&a.text, "same then this");
	buf_append_str(&b.text, "same then that");
	first_difference_find(&a, &b, &p);
	cr_assert(!p.has_tokens && !p.text_equal);
	cr_assert_eq(p.first_byte, 12);
	cr_assert_eq(p.comparable, 0);
	choice_end(&a);
	choice_end(&b);
}

Test(first_difference, tokens_that_do_not_spell_the_text_are_not_compared)
{
	struct choice a = choice_of(TOKENS("You", " two")), b = choice_of(TOKENS("You", " two"));
	struct first_difference p;
	buf_clear(&b.text);
	buf_append_str(&b.text, "Name three");
	first_difference_find(&a, &b, &p);
	cr_assert(!p.has_tokens);
	cr_assert_eq(p.comparable, 0);
	choice_end(&a);
	choice_end(&b);
}

Test(first_difference, empty_answers_are_equal)
{
	struct first_difference p = part(NO_TOKENS, NO_TOKENS);
	cr_assert(p.text_equal && !p.tokens_differ);
	cr_assert_eq(p.comparable, 0);
}

Test(first_difference, long_common_beginnings_are_passed_over)
{
	struct choice a = {0}, b = {0};
	struct first_difference p;
	for (int i = 0; i < 100000; i++) {
		buf_append_char(&a.text, (char)('a' + i % 26));
	}
	buf_append_span(&b.text, buf_span(&a.text));
	b.text.data[77777] = '!';
	first_difference_find(&a, &b, &p);
	cr_assert_eq(p.first_byte, 77777);
	choice_end(&a);
	choice_end(&b);
}
