#include "analyzer/causes/cause.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

static const struct {
	const char *key, *title;
} NAMES[N_CAUSES] = {
        [CAUSE_ERROR] = {"error", "Errors on one side"},
        [CAUSE_STACK] = {"stack_changed", "The stack changed"},
        [CAUSE_BOS] = {"bos_token", "A BOS token on one side only"},
        [CAUSE_TEMPLATE] = {"chat_template", "Unlike chat templates"},
        [CAUSE_TRUNCATED] = {"prompt_truncated", "Long prompts are cut"},
        [CAUSE_SYSTEM] = {"system_dropped", "System messages are dropped"},
        [CAUSE_PROMPT_TOKENS] = {"prompt_tokens", "Unlike prompts"},
        [CAUSE_UNLIKE] = {"unlike_parameters", "Unlike parameters"},
        [CAUSE_REFUSED] = {"parameters_refused", "Parameters that one side refuses"},
        [CAUSE_UNSET] = {"temperature_unset", "Temperature left unset"},
        [CAUSE_CUT] = {"cut_at_limit", "One answer met a limit of tokens"},
        [CAUSE_STOP_KEPT] = {"stop_kept", "Stop sequences are left in the text"},
        [CAUSE_PLACE] = {"reasoning_place", "Reasoning in unlike places"},
        [CAUSE_SAMPLED] = {"sampled", "Sampled traffic"},
        [CAUSE_MISSPELT] = {"misspelt_logprobs", "Logprobs that do not spell the text"},
        [CAUSE_MISALIGNED] = {"misaligned_logprobs", "Logprobs of the wrong token"},
        [CAUSE_OVER_ONE] = {"logprobs_over_one", "Probabilities that sum to more than 1"},
        [CAUSE_PROCESSED] = {"processed_logprobs", "Logprobs after temperature"},
        [CAUSE_CROSSTALK] = {"cross_talk", "Text of another request"},
        [CAUSE_PENALTY] = {"repetition_penalty", "A repetition penalty"},
        [CAUSE_SAMPLING] = {"unasked_sampling", "Sampling that nobody asked for"},
        [CAUSE_CORRUPTION] = {"change_point", "A change at a point in time"},
        [CAUSE_LOAD] = {"load", "Load"},
        [CAUSE_CACHE] = {"cache", "Prompts from the cache"},
        [CAUSE_OTHER_MODEL] = {"other_model", "Another model or prompt"},
        [CAUSE_LOST_CONTEXT] = {"lost_context", "The context is lost in mid-answer"},
        [CAUSE_UNSTABLE] = {"unstable", "One side differs from itself"},
        [CAUSE_DRIFT] = {"drift", "Numerical drift, as of quantisation"},
        [CAUSE_TIE] = {"tie", "Ties"},
};

const char *cause_key(enum cause_kind k)
{
	expect(k < N_CAUSES);
	return NAMES[k].key;
}

const char *cause_title(enum cause_kind k)
{
	expect(k < N_CAUSES);
	return NAMES[k].title;
}

const char *cause_side_name(enum cause_side s)
{
	static const char *const SIDES[] = {"test", "base", "both", "unknown"};
	expect(s <= CAUSE_OF_UNKNOWN);
	return SIDES[s];
}

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

void cause_list_add(struct cause_list *l, const struct cause *c)
{
	expect(l->n < N_CAUSES && !cause_list_get(l, c->kind));
	l->items[l->n++] = *c;
}

static int by_share(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;
	double mine = x->of ? (double)x->n / (double)x->of : 0;
	double other = y->of ? (double)y->n / (double)y->of : 0;
	if (mine != other) {
		return mine < other ? 1 : -1;
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
