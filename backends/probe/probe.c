#include "backends/probe/probe.h"

#include <stdlib.h>
#include <string.h>

#include "backends/probe/probing.h"
#include "base/clock.h"
#include "base/mem.h"

/* Names are stable: docs/probe.md lists them. */
static const struct {
	const char *name, *title;
} CAPABILITIES[] = {
        {"http", "HTTP"},
        {"keep_alive", "Connections are kept"},
        {"chat", "Chat"},
        {"completion", "Completions"},
        {"logprobs.chat", "Logprobs, chat"},
        {"logprobs.chat_stream", "Logprobs, chat, streamed"},
        {"logprobs.completion", "Logprobs, completions"},
        {"logprobs.completion_stream", "Logprobs, completions, streamed"},
        {"logprobs.most", "Most alternatives, chat"},
        {"logprobs.most_completion", "Most alternatives, completions"},
        {"logprobs.too_many", "Too many alternatives"},
        {"logprobs.text", "Text of streams with logprobs"},
        {"logprobs.time", "Time of streams with logprobs"},
        {"tokens.strings", "Token strings"},
        {"tokens.ids", "Token ids"},
        {"tokens.bytes", "Token bytes"},
        {"tokens.spell", "Tokens spell the text"},
        {"tokens.chosen", "The token named is the one given"},
        {"stream.usage", "Usage in streams"},
        {"stream.done", "End of streams"},
        {"temperature", "Temperature"},
        {"greedy", "Temperature 0 is greedy"},
        {"seed", "Seed"},
        {"determinism", "The same again"},
        {"n", "Several choices (n: 2)"},
        {"max_tokens", "max_tokens"},
        {"bos", "BOS token, completions"},
        {"id_prompt", "Prompts as token ids"},
        {"echo", "Echo of the prompt"},
        {"prompt_logprobs", "Prompt logprobs"},
        {"tokenize", "Tokenizing"},
        {"tools.forced", "Forced tool call"},
        {"tools.stream", "Forced tool call, streamed"},
        {"tools.logprobs", "Logprobs with tools, streamed"},
        {"reasoning", "Reasoning"},
        {"prefix_cache", "Prefix cache"},
        {"errors.json", "Broken JSON"},
        {"errors.model", "Unknown model"},
        {"risky.max_tokens_0", "max_tokens: 0"},
        {"risky.no_messages", "Chat without messages"},
        {"risky.empty_prompt", "Empty prompt"},
};

/* In this order: later ones build on what earlier ones saw, and what might do harm comes last. */
static const struct {
	const char *what;
	void (*run)(struct probing *p);
} EXPERIMENTS[] = {
        {"routes", probe_routes},
        {"streams", probe_streams},
        {"alternatives", probe_alternatives},
        {"prompts", probe_prompts},
        {"scores", probe_scores},
        {"sampling", probe_choices},
        {"repeats", probe_repeats},
        {"temperature 0", probe_greedy},
        {"tokens", probe_tokens},
        {"harm of logprobs", probe_harm},
        {"prefix cache", probe_cache},
        {"tool calls", probe_tools},
        {"reasoning", probe_reasoning},
        {"errors", probe_errors},
        {"connection", probe_connection},
        {"requests with a risk", probe_risks},
};

const char *standing_name(enum standing s)
{
	static const char *const names[] = {
	        "unknown", "honoured", "ignored", "refused", "wrong", "absent"};
	return names[s];
}

const char *severity_name(enum severity g)
{
	static const char *const names[] = {"note", "warning", "fault"};
	return names[g];
}

static struct probe_report *report_create(void)
{
	struct probe_report *r = xcalloc(1, sizeof(*r));
	r->n_capabilities = ARRAY_LEN(CAPABILITIES);
	r->capabilities = xcalloc(r->n_capabilities, sizeof(*r->capabilities));
	for (size_t i = 0; i < r->n_capabilities; i++) {
		r->capabilities[i].name = CAPABILITIES[i].name;
		r->capabilities[i].title = CAPABILITIES[i].title;
	}
	return r;
}

/* The gravest first; those alike stay in the order in which they were found. */
static void sort_findings(struct probe_report *r)
{
	for (size_t i = 1; i < r->n_findings; i++) {
		struct finding f = r->findings[i];
		size_t k = i;
		for (; k && r->findings[k - 1].severity < f.severity; k--) {
			r->findings[k] = r->findings[k - 1];
		}
		r->findings[k] = f;
	}
}

static void finish_sightings(struct sightings *s)
{
	free(s->misspelt_example);
	free(s->misnamed_example);
	free(s->passed_example);
	free(s->other_example);
}

struct probe_report *probe_run(const struct probe_settings *s)
{
	struct probing p = {
	        .settings = s,
	        .dialect = s->identity->dialect,
	        .report = report_create(),
	        .start = clock_mono(),
	        .minor = -1,
	        .prompt_tokens = -1,
	};
	for (size_t i = 0; i < ARRAY_LEN(EXPERIMENTS) && !p.over; i++) {
		probing_step(&p, EXPERIMENTS[i].what);
		EXPERIMENTS[i].run(&p);
		probe_look(&p, EXPERIMENTS[i].what);
	}
	sort_findings(p.report);
	p.report->total_ms = (clock_mono() - p.start) / 1000000;
	finish_sightings(&p.seen);
	free(p.completion);
	free(p.last_failed);
	return p.report;
}

void probe_report_destroy(struct probe_report *r)
{
	if (!r) {
		return;
	}
	for (size_t i = 0; i < r->n_capabilities; i++) {
		free(r->capabilities[i].value);
		free(r->capabilities[i].evidence);
	}
	for (size_t i = 0; i < r->n_findings; i++) {
		free(r->findings[i].title);
		free(r->findings[i].evidence);
		free(r->findings[i].advice);
	}
	free(r->capabilities);
	free(r->findings);
	free(r->fingerprint);
	free(r->answer_model);
	free(r->problem);
	free(r);
}

const struct capability *probe_capability(const struct probe_report *r, const char *name)
{
	for (size_t i = 0; i < r->n_capabilities; i++) {
		if (strcmp(r->capabilities[i].name, name) == 0) {
			return &r->capabilities[i];
		}
	}
	return NULL;
}
