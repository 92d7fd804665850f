#include "cli/recipes/recipe_standings.h"

#include <string.h>

#include "analyzer/report/standings.h"

static void add_document(void *arg, struct capture *c, const struct analysis *a, json_t *document)
{
	const struct recipe *r = arg;
	const char *names[CAMPAIGN_TARGETS] = {0};
	for (size_t i = 0; i < r->n_targets; i++) {
		names[i] = r->targets[i].backend.target.name;
	}
	json_object_set_new(document, "standings",
	        standings_make(document, names[0], names + 1, r->n_targets - 1,
	                strcmp(r->verb->verb.name, "sweep") == 0));
}

int recipe_standings_report(struct recipe *r)
{
	const struct analyze_additions more = {add_document, r};
	return recipe_report(r, &more);
}
