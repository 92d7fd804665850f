/*
 * plumbline compare - sends the same requests to two engines, models or settings.
 */
#include "cli/commands.h"
#include "cli/recipes/recipe.h"

static const struct recipe_verb VERB = {
        .verb = {.name = "compare",
                .usage = "TARGET TARGET SUITE... [options]",
                .about = "Sends the same requests to two targets, and says whether their answers "
                         "differ more than each target differs from itself.\n\nThe first target is "
                         "the base; the second is judged. Each request is sent twice (--repeats 2 "
                         "--concurrency 4) for the noise floors. The same command resumes an "
                         "interrupted run.",
                .options = RECIPE_COMPARISON_OPTIONS,
                .examples =
                        "plumbline compare http://127.0.0.1:8000 http://127.0.0.1:8001 reasoning\n"
                        "plumbline compare old=http://127.0.0.1:8000 new=http://127.0.0.1:8001 \\\n"
                        "    determinism --out report.html\n"
                        "plumbline compare q8=http://127.0.0.1:11434,model=qwen:q8_0 \\\n"
                        "    q4=http://127.0.0.1:11434,model=qwen:q4_K_M \\\n"
                        "    reasoning code --thinking off --limit 50\n"
                        "plumbline compare trusted prod -c configs/proxy.yaml capture --repeats 3",
                .exit_codes = RECIPE_EXIT_CODES},
        .least = 2,
        .most = 2,
        .repeats = 2,
};

int command_compare(int argc, char **argv)
{
	return recipe_run(&VERB, recipe_report_plain, argc, argv);
}
