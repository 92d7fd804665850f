#include "cli/verdict.h"

#include <string.h>

#include "cli/commands.h"
#include "analyzer/report/groups.h"

int verdict_of_policy(enum policy_result r)
{
	return r == POLICY_RESULT_PASS   ? EXIT_PASS
	       : r == POLICY_RESULT_FAIL ? EXIT_DIFFERENCE
	                                 : EXIT_NOT_ENOUGH;
}

int verdict_of_document(const json_t *document)
{
	if (json_object_get(document, "policy")) {
		return verdict_of_policy(policy_result_of(document));
	}
	const char *word = groups_verdict(document);
	return strcmp(word, "SAME") == 0        ? EXIT_PASS
	       : strcmp(word, "DIFFERENT") == 0 ? EXIT_DIFFERENCE
	                                        : EXIT_NOT_ENOUGH;
}
