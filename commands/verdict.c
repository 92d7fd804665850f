#include "commands/verdict.h"

#include "commands/commands.h"
#include "analyzer/report/node.h"
#include "analyzer/report/story.h"

int verdict_of_policy(enum policy_result r)
{
	return r == POLICY_RESULT_PASS   ? EXIT_PASS
	       : r == POLICY_RESULT_FAIL ? EXIT_DIFFERENCE
	                                 : EXIT_NOT_ENOUGH;
}

/* A recipe that was to sample has answers, and greedy ones are none of its business. */
static bool is_sampled(const json_t *document)
{
	struct story story;
	bool any = false;
	story_read(document, &story);
	for (size_t i = 0; i < story.n; i++) {
		any |= node_number(node_at(story.groups[i], "by_decoding.sampled"), "pairs") > 0;
	}
	return any && json_is_true(node_at(document, "recipe.sampled"));
}

int verdict_of_document(const json_t *document)
{
	if (json_object_get(document, "policy")) {
		return verdict_of_policy(policy_result_of(document));
	}
	if (node_number(document, "greedy_differing") > 0) {
		return EXIT_DIFFERENCE;
	}
	bool scored = json_array_size(json_object_get(document, "groups")) == 0 &&
	              json_array_size(json_object_get(document, "teacher_forced")) > 0;
	bool compared = node_number(document, "greedy_compared") > 0;
	return compared || scored || is_sampled(document) ? EXIT_PASS : EXIT_NOT_ENOUGH;
}
