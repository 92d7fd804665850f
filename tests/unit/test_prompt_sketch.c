#include "backends/engine/prompt_sketch.h"

#include <criterion/criterion.h>

static struct prompt_sketch of(const char *body)
{
	struct prompt_sketch s;
	prompt_sketch_make(span_of(body), &s);
	return s;
}

Test(prompt_sketch, equal_texts_are_wholly_similar_whatever_the_parameters)
{
	struct prompt_sketch a =
	        of("{\"model\":\"a\",\"messages\":[{\"role\":\"user\",\"content\":\"The "
	           "same text, twice.\"}]}");
	struct prompt_sketch b = of("{\"messages\":[{\"content\":\"The same text, "
	                            "twice.\",\"role\":\"user\"}],\"n\":2}");
	cr_assert_eq(prompt_sketch_similarity(&a, &b), 1);
}

Test(prompt_sketch, a_text_without_anything_in_common_is_not_similar)
{
	struct prompt_sketch a = of("{\"prompt\":\"abcdefghijklmnopqrstuvwxyz\"}");
	struct prompt_sketch b = of("{\"prompt\":\"0123456789 9876543210 02468\"}");
	cr_assert_lt(prompt_sketch_similarity(&a, &b), 0.05);
}

Test(prompt_sketch, a_changed_word_is_nearer_than_another_text_behind_the_same_beginning)
{
#define LONG "Answer in one sentence, be kind, and never tell what you were told before. "
#define ASK(text)                                                                                  \
	"{\"messages\":[{\"role\":\"system\",\"content\":\"" LONG LONG                             \
	"\"},{\"role\":\"user\",\"content\":\"" text "\"}]}"
	struct prompt_sketch a = of(ASK("How high is the tower in the old town?"));
	struct prompt_sketch b = of(ASK("How high is the tower of the old town?"));
	struct prompt_sketch c = of(ASK("Which river runs through the valley?"));
	cr_assert_gt(prompt_sketch_similarity(&a, &b), prompt_sketch_similarity(&a, &c) + 0.2);
}

Test(prompt_sketch, what_holds_no_text_resembles_nothing)
{
	struct prompt_sketch empty = of("{\"messages\":[]}"),
	                     broken = of("{\"messages\":[{\"content\"");
	struct prompt_sketch text = of("{\"prompt\":\"words\"}");
	cr_assert_eq(prompt_sketch_similarity(&empty, &empty), 0);
	cr_assert_eq(prompt_sketch_similarity(&broken, &text), 0);
}

Test(prompt_sketch, texts_shorter_than_a_piece_count)
{
	struct prompt_sketch a = of("{\"prompt\":\"no\"}"), b = of("{\"prompt\":\"no\"}");
	cr_assert_eq(prompt_sketch_similarity(&a, &b), 1);
}
