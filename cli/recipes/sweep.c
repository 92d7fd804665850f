/*
 * plumbline sweep - compares one model in several precisions with a baseline.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/verb.h"
#include "cli/recipes/recipe.h"

struct sweep {
	struct recipe recipe;
	const char *base;
};

static const struct option_row OPTIONS[] = {
        RECIPE_OPERANDS,
        {"base", 0, "LABEL", "compare with this target (the first one)",
                OPT_TEXT(struct sweep, base)},
        {"baseline", 0, "LABEL", "the same as --base (infer-check)", OPT_TEXT(struct sweep, base)},
        OPT_INCLUDE(RECIPE_OPTIONS, struct sweep, recipe),
        OPT_INCLUDE(RECIPE_SAMPLED_OPTIONS, struct sweep, recipe),
        OPT_INCLUDE(RECIPE_BORROWED_OPTIONS, struct sweep, recipe),
        OPT_END,
};

static const struct recipe_verb VERB = {
        .verb = {.name = "sweep",
                .usage = "SUITE... --base LABEL TARGET... [options]",
                .about = "Sends the same requests to one model in several precisions, and compares "
                         "each precision with the base.\n\nEach request is sent twice (--repeats 2 "
                         "--concurrency 4); the repeats of the base give its noise floor. Give the "
                         "targets from the best precision to the worst. The degradation cliff is "
                         "the first precision at which more than twice as many answers change as "
                         "at the one before. The same command resumes an interrupted run.",
                .options = OPTIONS,
                .examples = "plumbline sweep quantisation-sensitive reasoning --base f16 \\\n"
                            "    f16=http://127.0.0.1:8000 q8=http://127.0.0.1:8001 \\\n"
                            "    q4=http://127.0.0.1:8002 --out sweep.html\n"
                            "plumbline sweep code q8=ollama:qwen3:8b-q8_0 \\\n"
                            "    q4=ollama:qwen3:8b-q4_K_M --thinking off",
                .exit_codes = RECIPE_EXIT_CODES},
        .least = 2,
        .most = CAMPAIGN_TARGETS,
        .repeats = 2,
};

static int run(struct recipe *r, const char *base)
{
	size_t at = base ? recipe_find(r, base) : 0;
	if (at == r->n_targets) {
		return verb_fail("sweep", EXIT_USAGE,
		        xasprintf("--base %.60s: no target has this label", base));
	}
	recipe_set_base(r, at);
	int code = recipe_send(r);
	return code == EXIT_PASS ? recipe_report_standings(r) : code;
}

int command_sweep(int argc, char **argv)
{
	struct sweep s = {.base = NULL};
	int code;
	if (recipe_read(&s.recipe, &VERB, &s, argc, argv, &code)) {
		code = run(&s.recipe, s.base);
	}
	recipe_finish(&s.recipe);
	return code;
}
