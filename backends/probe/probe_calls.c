/* Tests forced tool calls, and finds the member that has reasoning. */
#include "backends/probe/probing.h"

#include <string.h>

#include "answers/reasoning.h"
#include "backends/json_path.h"

#define TOOL                                                                                       \
	"\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"get_weather\","                \
	"\"description\":\"Weather of a city\",\"parameters\":{\"type\":\"object\","               \
	"\"properties\":{\"city\":{\"type\":\"string\"}},\"required\":[\"city\"]}}}],"             \
	"\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"get_weather\"}}"

static void report_call(struct probing *p, const char *name, bool good, const struct reply *t)
{
	const struct choice *c = reply_choice(t);
	const struct tool_call *call =
	        c && c->n_calls && !c->calls[0].in_text ? &c->calls[0] : NULL;
	if (!good) {
		probing_refused(p, name, t,
		        probing_text(p, "a forced call of get_weather -> %s", t->result));
		return;
	}
	if (call) {
		const char *arguments = probing_quote(p, span_of(call->arguments), 60);
		probing_capability(p, name, STANDING_HONOURED, NULL,
		        probing_text(p, "a forced call of get_weather -> %s, %s(%s)", t->result,
		                call->name ? call->name : "?", arguments));
		return;
	}
	const char *text = probing_quote(p, reply_text(t), 60);
	const char *evidence = probing_text(
	        p, "a forced call of get_weather -> %s, content \"%s\"", t->result, text);
	probing_capability(p, name, STANDING_IGNORED, "plain content", evidence);
}

static bool ask_tools(struct probing *p, bool stream, bool logprobs, struct reply *t)
{
	return probing_ask(p,
	        &(struct question){.endpoint = ENDPOINT_CHAT,
	                .text = "What is the weather in Paris?",
	                .members = "\"max_tokens\":32,\"temperature\":0," TOOL,
	                .top = logprobs ? PROBE_TOP : 0,
	                .stream = stream},
	        t);
}

static void report_ignored_calls(struct probing *p)
{
	const struct capability *c = probe_capability(p->report, "tools.forced");
	if (c->standing == STANDING_IGNORED && !p->ended) {
		probing_finding(p, "tools.ignored", SEVERITY_WARNING,
		        "A forced tool call comes back as plain content", c->evidence,
		        "Tool calls need a tool parser or a chat format at the engine's start; "
		        "with a reasoning parser set they may come as content.");
	}
}

void probe_tools(struct probing *p)
{
	if (!p->answers[ENDPOINT_CHAT]) {
		return;
	}
	struct reply t;
	bool good = ask_tools(p, false, false, &t);
	report_call(p, "tools.forced", good, &t);
	reply_finish(&t);
	report_ignored_calls(p);
	good = ask_tools(p, true, false, &t);
	report_call(p, "tools.stream", good, &t);
	reply_finish(&t);
	if (!good || !p->logprobs[ENDPOINT_CHAT]) {
		return;
	}
	good = ask_tools(p, true, true, &t);
	bool there = good && reply_columns(&t);
	const char *evidence =
	        probing_text(p, "a forced call, streamed, with logprobs -> %s%s", t.result,
	                !good   ? ""
	                : there ? ", with logprobs"
	                        : ", no logprobs");
	if (good) {
		probing_capability(p, "tools.logprobs",
		        there ? STANDING_HONOURED : STANDING_IGNORED, NULL, evidence);
	} else {
		probing_refused(p, "tools.logprobs", &t, evidence);
	}
	reply_finish(&t);
}

/* Reasoning */

/* Returns the member of the message that has reasoning or is meant for it; NULL: there is none. Of
 * several it is "reasoning", which some engines repeat under an older name. */
static const char *find_reasoning(struct probing *p, struct span body, bool *ret_filled)
{
	const char *found = NULL;
	for (size_t i = 0; i < REASONING_MEMBERS; i++) {
		const char *name = reasoning_member((enum reasoning_source)i);
		const char *path = probing_text(p, "choices.0.message.%s", name);
		struct span value = json_path_find(body, path);
		if (value.len && (!found || i == REASONING_OF_REASONING)) {
			*ret_filled = !span_is(value, "null") && !span_is(value, "\"\"");
			found = name;
		}
	}
	return found;
}

/* A base model repeats this message, so that the engine's reasoning parser finds its marks. */
static const char *const MARKED[] = {
        "<think>two and two</think>The answer is 4.",
        "Here is my thought process: two and two make four. Here is my response: The answer is 4.",
};

void probe_reasoning(struct probing *p)
{
	if (!p->answers[ENDPOINT_CHAT]) {
		return;
	}
	const char *key = NULL;
	const char *evidence = NULL, *last = NULL;
	bool filled = false, inside = false;
	for (size_t i = 0; i < ARRAY_LEN(MARKED) && !filled; i++) {
		struct reply t;
		bool good = probing_ask(p,
		        &(struct question){.endpoint = ENDPOINT_CHAT,
		                .text = MARKED[i],
		                .members = "\"max_tokens\":24,\"temperature\":0"},
		        &t);
		const char *found =
		        good ? find_reasoning(p, buf_span(&t.answer.body), &filled) : NULL;
		const struct choice *c = reply_choice(&t);
		key = found ? found : key;
		inside |= c && c->n_thoughts;
		const char *text = probing_quote(p, reply_text(&t), 60);
		last = probing_text(p, "%s -> %s \"%s\"", t.request, t.result, text);
		if (filled) {
			evidence = probing_text(p, "%s, %s in the message", last, found);
		}
		reply_finish(&t);
	}
	if (filled) {
		probing_capability(
		        p, "reasoning", STANDING_HONOURED, probing_text(p, "in %s", key), evidence);
	} else if (key) {
		probing_capability(p, "reasoning", STANDING_HONOURED,
		        probing_text(p, "%s, empty here", key), last);
	} else {
		probing_capability(p, "reasoning", STANDING_ABSENT,
		        inside ? "inline, in the content" : NULL, last);
	}
}
