/*
 * plumbline determinism - sends the same prompts to one engine again and again.
 */
#include "analyzer/report/document/document_recipes.h"
#include "cli/commands.h"
#include "cli/recipes/recipe.h"

_Static_assert(CAMPAIGN_LEVELS <= RERUNS_LEVELS, "each level of a campaign is one of reruns");

/* A request that is sent once at each of several levels counts as repeated, too. */
static char *check(const struct recipe *r)
{
	bool once = r->options.repeats == 1 && r->n_levels == 1;
	return once ? xstrdup("determinism needs --repeats 2 or more, to compare answers") : NULL;
}

static const struct option_row OPTIONS[] = {
        RECIPE_OPERANDS,
        OPT_INCLUDE_SAME(RECIPE_OPTIONS),
        OPT_INCLUDE_SAME(RECIPE_SAMPLED_OPTIONS),
        OPT_INCLUDE_SAME(RECIPE_BORROWED_OPTIONS),
        OPT_END,
};

static const struct recipe_verb VERB = {
        .verb = {.name = "determinism",
                .usage = "TARGET SUITE... [options]",
                .about =
                        "Sends the same requests to one engine many times, and says how often its "
                        "answers to one prompt differ.\n\nEach request is sent twenty times "
                        "(--repeats 20 --concurrency 4), each time in another order. The report "
                        "says how often the most common answer to a prompt comes, where other "
                        "answers differ from it, and how this depends on the number of requests "
                        "in progress and of cached tokens. The same command resumes an interrupted "
                        "run.",
                .options = OPTIONS,
                .examples =
                        "plumbline determinism http://127.0.0.1:8000 determinism\n"
                        "plumbline determinism http://127.0.0.1:8000 determinism --repeats 50 \\\n"
                        "    --concurrency 1,8,32 --out d.html\n"
                        "plumbline determinism ollama:llama3.2:3b determinism reasoning --limit 20",
                .exit_codes = RECIPE_EXIT_CODES},
        .least = 1,
        .most = 1,
        .repeats = 20,
        .check = check,
};

static void add_document(void *arg, struct capture *c, const struct analysis *a, json_t *document)
{
	const struct recipe *r = arg;
	const char *name = r->campaign.backends[0].target.name;
	struct reruns reruns = {0};
	reruns_read(&reruns, c, name, r->campaign.runs, r->n_levels);
	json_object_set_new(
	        document, "reruns", document_reruns(&reruns, name, r->levels, r->n_levels));
	document_reruns_verdict(document, &reruns, a, r->sampled);
	reruns_finish(&reruns);
}

static int report(struct recipe *r)
{
	const struct analyze_additions more = {add_document, r};
	return recipe_report(r, &more);
}

int command_determinism(int argc, char **argv)
{
	return recipe_run(&VERB, report, argc, argv);
}
