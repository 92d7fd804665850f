/*
 * recipe_usage - what --help says of the options that all recipes share.
 */
#include <inttypes.h>
#include <stdio.h>

#include "commands/recipe.h"

static const char SHARED[] =
        "\n"
        "  SUITE                a suite's file or its name (reasoning), a benchmark's file, a "
        "capture's\n"
        "                       directory, or whatever else plumbline replay sends\n"
        "  TARGET               [LABEL=]URL, or a NAME of -c FILE; behind it, by commas: "
        "model=NAME,\n"
        "                       dialect=NAME, api-key-env=NAME, align=HOW, set.MEMBER=JSON. "
        "ollama:MODEL,\n"
        "                       vllm-mlx:MODEL and gguf:MODEL are servers at their usual ports\n"
        "  -c, --config FILE    a proxy's configuration, in which names are looked up\n"
        "  --capture DIR        where answers are recorded (plumbline-VERB-..., here)\n"
        "  --model NAME         ask all for this model\n"
        "  --any-model          ask for models that an engine does not list\n"
        "  --any-server         send to what answers GETs as no engine does, or wants a key for "
        "them\n"
        "  --align HOW          greedy: most probable tokens only, silent defaults off; same; off "
        "(greedy)\n"
        "  --chat, --no-chat    chats as chats (the default), or written out with --template NAME "
        "as\n"
        "                       completions\n"
        "  --thinking HOW       on, off or as-is (as-is)\n"
        "  --set MEMBER=JSON    in each request; may be given several times\n"
        "  --max-tokens N       the same for max_tokens\n";

static const char SAMPLED[] =
        "  --temperature T      sampled answers, each repeat with a seed of its own\n"
        "  --seeds N            the number of repeats, with --temperature\n";

static const char FURTHER[] =
        "  --limit N            the first N requests of each suite\n"
        "  --num-prompts N      N of each suite, in turns from its categories\n"
        "  --sample SHARE       so many of them, by --seed\n"
        "  --where KEY=VALUE    as plumbline replay has it\n"
        "  --seed N             of order, sample and seeds (0)\n"
        "  --top N              alternatives a token to ask for (5); --no-logprobs: none\n"
        "  --timeout T          of silence (600s)\n"
        "  --stop-on-errors S   stop when more than that share of the answers are errors\n"
        "  --again              send all anew\n"
        "  --out FILE           saves the report: .json, .html, .md, .txt, .xml; several times\n"
        "  --exhibits N, --least-effect [FIGURE=]SIZE, --policy FILE, --jobs N, --json   as "
        "plumbline\n"
        "                       analyze has them\n"
        "  -h, --help\n"
        "\n"
        "infer-check's --prompts, --output, --num-prompts, --base-url, --base-urls, --backend, "
        "--backends, --models,\n"
        "--label-a, --label-b, --enable-thinking, --disable-thinking, --report, --no-report and "
        "--quant are\n"
        "taken too\n"
        "(docs/from-infer-check.md). Broken off, the same command goes on.\n";

static const char CODES[] =
        "\n"
        "exit codes: the verdict: 0 SAME, 1 DIFFERENT, 4 UNCLEAR, or nothing to send; 2 command "
        "line, no\n"
        "such model; 3 unreachable, broken off, or the capture can't be read; with --policy as "
        "plumbline\n"
        "analyze\n";

void recipe_usage(const struct recipe_verb *verb)
{
	fputs(verb->usage, stdout);
	fputs(SHARED, stdout);
	fputs(verb->greedy ? "" : SAMPLED, stdout);
	printf("  --concurrency N,...  requests in flight; of several each is a run (%s)\n"
	       "  --repeats N          of each request to each target; two give noise floors "
	       "(%" PRIu32 ")\n",
	        verb->levels ? verb->levels : "4", verb->repeats);
	fputs(FURTHER, stdout);
	fputs(verb->examples, stdout);
	fputs(CODES, stdout);
}
