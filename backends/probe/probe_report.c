#include "backends/probe/probe_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/enum_names.h"

/* Names never change: docs/probe.md lists them. */
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
        {"system", "System messages"},
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

ENUM_NAMES(standing_name, enum standing, "unknown", "honoured", "ignored", "refused", "wrong",
        "absent");
ENUM_NAMES(severity_name, enum severity, "note", "warning", "fault");

struct probe_report *probe_report_create(void)
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

void probe_report_destroy(struct probe_report *r)
{
	if (r) {
		free(r->capabilities);
		free(r->findings);
		arena_finish(&r->texts);
		free(r);
	}
}

struct capability *probe_capability(const struct probe_report *r, const char *name)
{
	for (size_t i = 0; i < r->n_capabilities; i++) {
		if (strcmp(r->capabilities[i].name, name) == 0) {
			return &r->capabilities[i];
		}
	}
	return NULL;
}

void probe_report_add(struct probe_report *r, struct finding finding)
{
	r->findings = xrealloc(r->findings, (r->n_findings + 1) * sizeof(*r->findings));
	r->findings[r->n_findings++] = finding;
}

void probe_report_sort(struct probe_report *r)
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
