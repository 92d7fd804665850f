#include "cli/recipes/recipe_standings.h"

#include <string.h>

#include "cli/recipes/sheet.h"
#include "analyzer/report/standings.h"

/* The facts that a publication should state about each stack. */
static json_t *manifest_of(struct capture *c)
{
	struct sheets sheets;
	capture_rewind(c);
	sheets_read(c, NULL, &sheets);
	json_t *manifest = sheets_json(&sheets);
	sheets_finish(&sheets);
	return manifest;
}

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
	json_object_set_new(document, "manifest", manifest_of(c));
}

int recipe_standings_report(struct recipe *r)
{
	const struct analyze_additions more = {add_document, r};
	return recipe_report(r, &more);
}
