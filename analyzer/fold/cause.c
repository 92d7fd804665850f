#include "analyzer/fold/cause.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/enum_names.h"

static const struct cause_words WORDS[N_CAUSES] = {
        [CAUSE_ERROR] = {"error", "Errors on one side", "errors of one side",
                "fix the errors first: pairs without an answer may differ from the others"},
        [CAUSE_STACK] = {"stack_changed", "The stack changed", NULL,
                "compare the manifests, and undo what changed"},
        [CAUSE_BOS] = {"bos_token", "A BOS token on one side only",
                "a BOS token that only one side puts before the prompt",
                "put the BOS token into the chat template or the server's settings, once, on both "
                "sides"},
        [CAUSE_TEMPLATE] = {"chat_template", "Different chat templates", "different chat templates",
                "give both engines the same chat template file and the same system text"},
        [CAUSE_TRUNCATED] = {"prompt_truncated", "Long prompts are cut",
                "long prompts that one side cuts",
                "raise the context length of the side that counts fewer (num_ctx, --max-model-"
                "len)"},
        [CAUSE_SYSTEM] = {"system_dropped", "System messages are dropped", NULL, NULL},
        [CAUSE_PROMPT_TOKENS] = {"prompt_tokens", "Different prompts", "different prompts",
                "compare tokenisers and templates: send both the same prompt and look at the "
                "tokens"},
        [CAUSE_UNLIKE] = {"unlike_parameters", "Different parameters", "different parameters",
                NULL},
        [CAUSE_REFUSED] = {"parameters_refused", "Parameters that one side refuses",
                "parameters that one side refuses",
                "leave these members out for both, or use an engine that knows them"},
        [CAUSE_UNSET] = {"temperature_unset", "Temperature left unset",
                "a temperature that the request leaves open",
                "send temperature, or align: same for the reference"},
        [CAUSE_CUT] = {"cut_at_limit", "One answer reached a token limit",
                "a token limit that one side reached",
                "send max_tokens; send more if one side counts reasoning"},
        [CAUSE_STOP_KEPT] = {"stop_kept", "Stop sequences are left in the text",
                "stop sequences that one side leaves in the text",
                "update the engine, or cut the stop sequence off in the client"},
        [CAUSE_PLACE] = {"reasoning_place", "Reasoning in different places",
                "the place of the reasoning", "give both engines a reasoning parser, or neither"},
        [CAUSE_SAMPLED] = {"sampled", "Sampled traffic", "sampling, as was asked",
                "send temperature 0, or judge them by teacher-forced scores"},
        [CAUSE_MISSPELT] = {"misspelt_logprobs", "Logprobs that do not spell the text",
                "logprobs that do not spell the text",
                "update the engine: its logprobs belong to tokens that it did not send"},
        [CAUSE_MISALIGNED] = {"misaligned_logprobs", "Logprobs of the wrong token",
                "logprobs that are off by one",
                "update the engine; do not trust its logprobs until then"},
        [CAUSE_OVER_ONE] = {"logprobs_over_one", "Probabilities that sum to more than 1",
                "probabilities that sum to more than 1",
                "ask the engine for raw logprobs (logprobs_mode raw_logprobs)"},
        [CAUSE_PROCESSED] = {"processed_logprobs", "Logprobs after temperature",
                "logprobs after temperature",
                "request logprobs of one kind from both (vLLM: logprobs_mode raw_logprobs; "
                "llama.cpp: post_sampling_probs false)"},
        [CAUSE_CROSSTALK] = {"cross_talk", "Text of another request",
                "the text of other requests in the answers",
                "take the server out of service: it shows users the texts of others. Turn prefix "
                "caching and KV sharing off, then update it"},
        [CAUSE_PENALTY] = {"repetition_penalty", "A repetition penalty", NULL,
                "set repetition_penalty (repeat_penalty) to 1 in the engine, or in requests"},
        [CAUSE_SAMPLING] = {"unasked_sampling", "Sampling that was not requested",
                "sampling that was not requested",
                "check that temperature 0 reaches the engine and that the engine applies it"},
        [CAUSE_CORRUPTION] = {"change_point", "A change at a point in time", NULL,
                "look at what happened then: a deployment, an error, a full cache. If nothing "
                "did, restart the server: its state may be corrupt"},
        [CAUSE_LOAD] = {"load", "Batching under load", "batching under load",
                "use the engine's batch-invariant mode if it has one, or smaller batches"},
        [CAUSE_CACHE] = {"cache", "Prompts from the cache", "prompts from the cache",
                "turn prefix caching off (vLLM: --no-enable-prefix-caching; llama.cpp: "
                "cache_prompt false)"},
        [CAUSE_OTHER_MODEL] = {"other_model", "Another model or prompt", "another model or prompt",
                "compare the model's name, revision and files, and the chat template"},
        [CAUSE_LOST_CONTEXT] = {"lost_context", "The context is lost within the answer",
                "a context that is lost within the answer",
                "turn quantisation, sharing and offloading of the KV cache off, one by one"},
        [CAUSE_UNSTABLE] = {"unstable", "Run-to-run noise", NULL,
                "use deterministic, batch-invariant kernels where the engine has them"},
        [CAUSE_DRIFT] = {"drift", "Numerical drift, as from quantisation",
                "numerical drift, as from quantisation",
                "compare quantisation, data type and KV cache type of both"},
        [CAUSE_TIE] = {"tie", "Two tokens about equally probable",
                "two tokens that are about equally probable", ""},
};

const struct cause_words *cause_words(enum cause_kind k)
{
	expect(k < N_CAUSES);
	return &WORDS[k];
}

ENUM_NAMES(cause_side_name, enum cause_side, "base", "test", "both", "unknown");

ENUM_NAMES(cause_side_from_name, enum cause_side_from, "comparison", "own_answers", "noise_floors");

void cause_exchanges_add(struct cause_exchanges *e, struct id id)
{
	size_t at = e->n;
	while (at > 0 && id_compare(e->ids[at - 1], id) > 0) {
		at--;
	}
	bool again = at > 0 && id_compare(e->ids[at - 1], id) == 0;
	if (again || at == CAUSE_EXCHANGES) {
		return;
	}
	e->n = MIN(e->n + 1, (size_t)CAUSE_EXCHANGES);
	memmove(&e->ids[at + 1], &e->ids[at], (e->n - at - 1) * sizeof(id));
	e->ids[at] = id;
}

void cause_exchanges_merge(struct cause_exchanges *e, const struct cause_exchanges *other)
{
	for (size_t i = 0; i < other->n; i++) {
		cause_exchanges_add(e, other->ids[i]);
	}
}

void cause_nearest_add(struct cause_nearest *n, double shift, struct id id)
{
	size_t at = n->n;
	while (at > 0 && (n->items[at - 1].shift > shift ||
	                         (n->items[at - 1].shift == shift &&
	                                 id_compare(n->items[at - 1].id, id) > 0))) {
		at--;
	}
	if (at == CAUSE_EXCHANGES) {
		return;
	}
	n->n = MIN(n->n + 1, (size_t)CAUSE_EXCHANGES);
	memmove(&n->items[at + 1], &n->items[at], (n->n - at - 1) * sizeof(n->items[0]));
	n->items[at].shift = shift;
	n->items[at].id = id;
}

void cause_list_add(struct cause_list *l, const struct cause *c)
{
	expect(l->n < N_CAUSES && !cause_list_get(l, c->kind));
	l->items[l->n++] = *c;
}

struct cause_share cause_share(const struct cause *c)
{
	if (c->greedy_n > 0) {
		return (struct cause_share){c->greedy_n, c->greedy_of, true};
	}
	return (struct cause_share){c->n, c->of, false};
}

static double rate_of(const struct cause *c)
{
	struct cause_share s = cause_share(c);
	return s.of ? (double)s.n / (double)s.of : 0;
}

static int by_share(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;
	double x_rate = rate_of(x), y_rate = rate_of(y);
	if (x_rate != y_rate) {
		return x_rate < y_rate ? 1 : -1;
	}
	return (x->kind > y->kind) - (x->kind < y->kind);
}

void cause_list_sort(struct cause_list *l)
{
	if (l->n > 1) {
		qsort(l->items, l->n, sizeof(*l->items), by_share);
	}
}

const struct cause *cause_list_get(const struct cause_list *l, enum cause_kind k)
{
	for (size_t i = 0; i < l->n; i++) {
		if (l->items[i].kind == k) {
			return &l->items[i];
		}
	}
	return NULL;
}

void cause_list_finish(struct cause_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].text);
		free(l->items[i].phrase);
		free(l->items[i].fix);
		free(l->items[i].confirm);
	}
	*l = (struct cause_list){0};
}
