/*
 * plumbline compare - two engines, models or settings, asked the same.
 */
#include "commands/commands.h"
#include "commands/recipe.h"

static const char USAGE[] =
        "usage: plumbline compare A B SUITE... [options]\n"
        "\n"
        "Asks two targets the same, each twice and in turns, and says how much they differ beyond "
        "what each\n"
        "differs from itself. B is on trial before A.\n";

static const char EXAMPLES[] =
        "\n"
        "examples:\n"
        "  plumbline compare http://127.0.0.1:8000 http://127.0.0.1:8001 "
        "configs/suites/reasoning.jsonl\n"
        "  plumbline compare old=http://127.0.0.1:8000 new=http://127.0.0.1:8001 determinism "
        "--out report.html\n"
        "  plumbline compare q8=http://127.0.0.1:11434,model=qwen:q8_0 "
        "q4=http://127.0.0.1:11434,model=qwen:q4_K_M \\\n"
        "      reasoning code --thinking off --limit 50\n"
        "  plumbline compare trusted prod -c configs/proxy.yaml capture --repeats 3\n";

static const struct recipe_verb VERB = {
        .name = "compare",
        .usage = USAGE,
        .examples = EXAMPLES,
        .least = 2,
        .most = 2,
        .repeats = 2,
};

int command_compare(int argc, char **argv)
{
	return recipe_run(&VERB, recipe_report_plain, argc, argv);
}
