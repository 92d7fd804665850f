/*
 * plumbline sweep - one model in several precisions, held against a baseline.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "commands/commands.h"
#include "commands/recipe_standings.h"

static const char USAGE[] =
        "usage: plumbline sweep SUITE... --base LABEL TARGET... [options]\n"
        "\n"
        "Asks one model in several precisions the same, each twice and in turns, and holds each "
        "against the\n"
        "baseline, itself included: its repeats are the self-check. Targets are given from the "
        "best to the\n"
        "worst; the first at which over twice as many answers change as at the one before is the "
        "degradation\n"
        "cliff.\n"
        "\n"
        "  --base LABEL         the baseline (the first target)\n"
        "  --baseline LABEL     the same, as infer-check calls it\n";

static const char EXAMPLES[] =
        "\n"
        "examples:\n"
        "  plumbline sweep quantisation-sensitive reasoning --base f16 "
        "f16=http://127.0.0.1:8000 \\\n"
        "      q8=http://127.0.0.1:8001 q4=http://127.0.0.1:8002 q2=http://127.0.0.1:8003 --out "
        "sweep.html\n"
        "  plumbline sweep code q8=ollama:qwen3:8b-q8_0 q4=ollama:qwen3:8b-q4_K_M --thinking off\n";

static const struct option FLAGS[] = {
        {"base", required_argument, NULL, RECIPE_OWN_FLAGS},
        {"baseline", required_argument, NULL, RECIPE_OWN_FLAGS},
        {0},
};

static char *take(void *arg, int flag, const char *value)
{
	*(const char **)arg = value;
	return NULL;
}

static const struct recipe_verb VERB = {
        .name = "sweep",
        .usage = USAGE,
        .examples = EXAMPLES,
        .least = 2,
        .most = CAMPAIGN_TARGETS,
        .repeats = 2,
        .flags = FLAGS,
        .take = take,
};

static int run(struct recipe *r, const char *base)
{
	size_t at = base ? recipe_find(r, base) : 0;
	if (at == r->n_targets) {
		return commands_fail("sweep", EXIT_USAGE,
		        xasprintf("--base %.60s: no target is called so", base));
	}
	recipe_set_base(r, at);
	int code = recipe_send(r);
	return code == EXIT_PASS ? recipe_standings_report(r) : code;
}

int command_sweep(int argc, char **argv)
{
	const char *base = NULL;
	struct recipe r;
	char *problem = recipe_parse(&r, &VERB, &base, argc, argv);
	int code = EXIT_PASS;
	if (problem) {
		code = commands_fail("sweep", EXIT_USAGE, problem);
	} else if (r.help) {
		recipe_usage(&VERB);
	} else {
		code = run(&r, base);
	}
	recipe_finish(&r);
	return code;
}
