#include "backends/engine/sketch.h"

#include <criterion/criterion.h>

static struct sketch of(const char *body)
{
	struct sketch s;
	sketch_make(span_of(body), &s);
	return s;
}

Test(sketch, equal_texts_are_wholly_similar_whatever_the_parameters)
{
	struct sketch a = of("{\"model\":\"a\",\"messages\":[{\"role\":\"user\",\"content\":\"The "
	                     "same text, twice.\"}]}");
	struct sketch b = of("{\"messages\":[{\"content\":\"The same text, "
	                     "twice.\",\"role\":\"user\"}],\"n\":2}");
	cr_assert_eq(sketch_similarity(&a, &b), 1);
}

Test(sketch, a_text_without_anything_in_common_is_not_similar)
{
	struct sketch a = of("{\"prompt\":\"abcdefghijklmnopqrstuvwxyz\"}");
	struct sketch b = of("{\"prompt\":\"0123456789 9876543210 02468\"}");
	cr_assert_lt(sketch_similarity(&a, &b), 0.05);
}

Test(sketch, a_changed_word_is_nearer_than_another_text_behind_the_same_beginning)
{
#define LONG "Answer in one sentence, be kind, and never tell what you were told before. "
#define ASK(text)                                                                                  \
	"{\"messages\":[{\"role\":\"system\",\"content\":\"" LONG LONG                             \
	"\"},{\"role\":\"user\",\"content\":\"" text "\"}]}"
	struct sketch a = of(ASK("How high is the tower in the old town?"));
	struct sketch b = of(ASK("How high is the tower of the old town?"));
	struct sketch c = of(ASK("Which river runs through the valley?"));
	cr_assert_gt(sketch_similarity(&a, &b), sketch_similarity(&a, &c) + 0.2);
}

Test(sketch, what_holds_no_text_resembles_nothing)
{
	struct sketch empty = of("{\"messages\":[]}"), broken = of("{\"messages\":[{\"content\"");
	struct sketch text = of("{\"prompt\":\"words\"}");
	cr_assert_eq(sketch_similarity(&empty, &empty), 0);
	cr_assert_eq(sketch_similarity(&broken, &text), 0);
}

Test(sketch, texts_shorter_than_a_piece_count)
{
	struct sketch a = of("{\"prompt\":\"no\"}"), b = of("{\"prompt\":\"no\"}");
	cr_assert_eq(sketch_similarity(&a, &b), 1);
}
