/*
 * plumbline diff - compares one model on several backends.
 */
#include "cli/commands.h"
#include "cli/recipes/recipe.h"

static const struct recipe_verb VERB = {
        .verb = {.name = "diff",
                .usage = "SUITE... BASE TARGET... [options]",
                .about = "Sends the same requests to several backends that serve one model, and "
                         "compares each backend with the first.\n\nEach request is sent twice "
                         "(--repeats 2 --concurrency 4) for the noise floors. The report has the "
                         "figures of the paper \"The Silent Hyperparameter\" for your own engines, "
                         "with intervals and likely causes, and the reporting checklist of each "
                         "stack. The same command resumes an interrupted run.",
                .options = RECIPE_COMPARISON_OPTIONS,
                .examples =
                        "plumbline diff reasoning code hf=http://127.0.0.1:8000 \\\n"
                        "    vllm=http://127.0.0.1:8001 \\\n"
                        "    ollama=http://127.0.0.1:11434,model=qwen3:4b-fp16 --out paper.html\n"
                        "plumbline diff gsm8k.jsonl trusted prod -c configs/proxy.yaml "
                        "--repeats 3\n"
                        "plumbline diff gsm8k.jsonl a=http://127.0.0.1:8000 \\\n"
                        "    b=http://127.0.0.1:8001 --temperature 0.7 --seeds 12",
                .exit_codes = RECIPE_EXIT_CODES},
        .least = 2,
        .most = CAMPAIGN_TARGETS,
        .repeats = 2,
};

int command_diff(int argc, char **argv)
{
	return recipe_run(&VERB, recipe_report_standings, argc, argv);
}
