/*
 * plumbline diff - one model, several backends.
 */
#include "commands/commands.h"
#include "commands/recipe_standings.h"

static const char USAGE[] =
        "usage: plumbline diff SUITE... BASE TARGET... [options]\n"
        "\n"
        "Asks several backends that serve one model the same, each twice and in turns, and holds "
        "each against\n"
        "the first: the figures of \"The Silent Hyperparameter\" on your own engines, with "
        "intervals and noise\n"
        "floors, what is behind them, and each stack's reporting checklist.\n";

static const char EXAMPLES[] =
        "\n"
        "examples:\n"
        "  plumbline diff reasoning code hf=http://127.0.0.1:8000 vllm=http://127.0.0.1:8001 \\\n"
        "      ollama=http://127.0.0.1:11434,model=qwen3:4b-fp16 --out paper.html\n"
        "  plumbline diff gsm8k.jsonl trusted prod -c configs/proxy.yaml --repeats 3\n"
        "  plumbline diff gsm8k.jsonl a=http://127.0.0.1:8000 b=http://127.0.0.1:8001 "
        "--temperature 0.7 --seeds 12\n";

static const struct recipe_verb VERB = {
        .name = "diff",
        .usage = USAGE,
        .examples = EXAMPLES,
        .least = 2,
        .most = CAMPAIGN_TARGETS,
        .repeats = 2,
};

int command_diff(int argc, char **argv)
{
	return recipe_run(&VERB, recipe_standings_report, argc, argv);
}
