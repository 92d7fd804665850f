#include "analyzer/causes/cause_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/causes/cause_text_parts.h"
#include "base/buf.h"
#include "base/mem.h"

void cause_text_show(const struct cause_context *t, enum cause_trace trace, struct cause *ret)
{
	ret->exchanges = t->c->traces[trace];
	ret->traces = UINT32_C(1) << trace;
}

char *cause_text_probe(const struct cause_context *t)
{
	return advice_probe(t->side == CAUSE_OF_BASE ? &t->c->base_engine : &t->c->test_engine);
}

char *cause_text_both_probes(const struct cause_context *t)
{
	return advice_probes(&t->c->base_engine, &t->c->test_engine);
}

char *cause_text_again(const struct cause_context *t, const char *how)
{
	bool base = t->side == CAUSE_OF_BASE;
	return advice_replay(t->g->place, &t->c->base_engine, &t->c->test_engine, base, !base, how);
}

char *cause_text_score(const struct cause_context *t)
{
	return advice_score(t->g->place, &t->c->base_engine, &t->c->test_engine);
}

static void tell_error(const struct cause_context *t, struct cause *ret)
{
	const struct causes *c = t->c;
	ret->n = c->base_failed + c->test_failed;
	cause_text_show(t, TRACE_FAILED, ret);
	ret->text = xasprintf("%s failed in %" PRIu64 " and %s in %" PRIu64 " of %" PRIu64
	                      " pairs where the other side answered (errors, timeouts, answers "
	                      "that broke off): these can't be compared",
	        t->g->test, c->test_failed, t->g->base, c->base_failed, c->pairs);
	ret->phrase = xasprintf("errors of one side");
	ret->fix = xstrdup("look at the errors first: what they left out may not be like the rest");
	ret->confirm = advice_show(t->g->place, ret->exchanges.ids[0]);
}

static void tell_stack(const struct cause_context *t, struct cause *ret)
{
	const struct facet *f = t->t->stack;
	ret->n = f->differ;
	ret->greedy_n = f->differ;
	ret->text = xasprintf("under manifest %s of %s %.1f %% of %" PRIu64
	                      " answers differ, under its other stacks %.1f %%",
	        f->name, t->g->test, 100 * t->t->stack_rate, f->pairs, 100 * t->t->others_rate);
	ret->phrase = xasprintf("a change of %s's stack", t->g->test);
	ret->fix = xstrdup("compare the manifests, and go back in what changed");
	ret->confirm = advice_stacks(t->g->place);
}

/* "+1", "-3 to 5" */
static const char *delta_text(const struct cause_prompt *p, char text[48])
{
	if (p->low == p->high) {
		snprintf(text, 48, "%+" PRId64, p->low);
	} else {
		snprintf(text, 48, "%+" PRId64 " to %+" PRId64, p->low, p->high);
	}
	return text;
}

/* All prompts that show it, and what they explain. */
static void gather_prompts(
        const struct cause_context *t, struct cause *ret, struct cause_prompt *all)
{
	const struct cause_prompts *p = &t->c->prompts;
	enum cause_kind kinds[N_CAUSE_PROMPTS];
	cause_prompts_kinds(p, kinds);
	*all = (struct cause_prompt){0};
	for (size_t i = 0; i < N_CAUSE_PROMPTS; i++) {
		if (kinds[i] == ret->kind) {
			cause_prompt_merge(all, &p->of[i]);
			cause_exchanges_merge(&ret->exchanges, &t->c->traces[TRACE_PROMPT + i]);
			ret->traces |= UINT32_C(1) << (TRACE_PROMPT + i);
		}
	}
	ret->n = cause_prompt_explained(all);
	ret->greedy_n = MIN(ret->n, all->greedy_unlike_hits);
}

/* Which prompts are meant, where there are others. */
static const char *prompts_text(const struct cause_context *t, const struct cause_prompt *all)
{
	const struct cause_prompts *p = &t->c->prompts;
	uint64_t chats = p->of[PROMPT_OF_CHAT].n + p->of[PROMPT_WITH_SYSTEM].n;
	uint64_t completions = p->of[PROMPT_OF_COMPLETION].n;
	return chats == 0 || completions == 0 ? "pairs"
	       : all->n == completions        ? "completions"
	       : all->n == chats              ? "chats"
	                                      : "pairs";
}

static void tell_prompt(const struct cause_context *t, struct cause *ret)
{
	static const char *const WHATS[] = {"a BOS token is likely to be there on one side only",
	        "the chat templates or system texts are likely to differ",
	        "long prompts are likely to be cut on the side that counts fewer", NULL,
	        "the prompts that the engines saw are not the same"};
	static const char *const PHRASES[] = {
	        "a BOS token that only one side puts before the prompt", "unlike chat templates",
	        "long prompts that one side cuts", NULL, "unlike prompts"};
	static const char *const FIXES[] = {
	        "put the BOS token into the chat template or the server's settings, once, on both "
	        "sides",
	        "give both engines the same chat template file and the same system text",
	        "raise the context length of the side that counts fewer (num_ctx, --max-model-len)",
	        NULL,
	        "compare tokenisers and templates: send both the same prompt and look at the "
	        "tokens"};
	size_t kind = ret->kind - CAUSE_BOS;
	struct cause_prompt p;
	char delta[48];
	gather_prompts(t, ret, &p);
	ret->text = xasprintf("%s counts other prompt tokens than %s (%s) in %" PRIu64
	                      " of %" PRIu64 " %s: %s",
	        t->g->test, t->g->base, delta_text(&p, delta), p.unlike, p.n, prompts_text(t, &p),
	        WHATS[kind]);
	ret->phrase = xstrdup(PHRASES[kind]);
	ret->fix = xstrdup(FIXES[kind]);
	ret->confirm = cause_text_both_probes(t);
}

static void tell_system(const struct cause_context *t, struct cause *ret)
{
	struct cause_prompt p;
	char delta[48];
	gather_prompts(t, ret, &p);
	ret->text = xasprintf("%s counts other prompt tokens than %s (%s) in all %" PRIu64
	                      " chats that have a system message, by as much as that message has, "
	                      "and in none of the others for that reason: %s drops it",
	        t->g->test, t->g->base, delta_text(&p, delta), p.n, t->name);
	ret->phrase = xasprintf("system messages that %s drops", t->name);
	ret->fix = xasprintf("give %s a chat template that uses system messages", t->name);
	ret->confirm = cause_text_both_probes(t);
}

static void tell_stop_kept(const struct cause_context *t, struct cause *ret)
{
	const struct causes *c = t->c;
	ret->n = c->stop_base + c->stop_test;
	ret->greedy_n = c->greedy_stop;
	cause_text_show(t, TRACE_STOP, ret);
	ret->text = xasprintf("%" PRIu64 " answers of %s and %" PRIu64 " of %s end with a stop "
	                      "sequence of the request that the other side leaves out; until there "
	                      "they are the same",
	        c->stop_test, t->g->test, c->stop_base, t->g->base);
	ret->phrase = xstrdup("stop sequences that one side leaves in the text");
	ret->fix = xstrdup("update the engine, or cut the stop sequence off in the client");
	ret->confirm = cause_text_probe(t);
}

static void tell_unlike(const struct cause_context *t, struct cause *ret)
{
	uint64_t unlike = t->c->by_decoding[DECODING_UNLIKE] - t->c->refused;
	char *reasons = decoding_differences_text(&t->g->decoding_differences),
	     *advice = decoding_differences_advice(&t->g->decoding_differences);
	ret->n = unlike;
	cause_text_show(t, TRACE_UNLIKE, ret);
	ret->text =
	        xasprintf("%" PRIu64 " differing answers were decoded with unlike parameters on "
	                  "the two sides (%s first): %s",
	                unlike, t->g->base, reasons);
	ret->phrase = xstrdup("unlike parameters");
	ret->fix = advice ? advice
	                  : xstrdup("set the parameters in the request, or align: same for the "
	                            "reference");
	/* Clients get the primary's answers: it is the other side that is asked differently. */
	bool base = t->g->test_role == ROLE_PRIMARY;
	ret->confirm = advice_replay(
	        t->g->place, &t->c->base_engine, &t->c->test_engine, base, !base, "--align same");
	free(reasons);
}

static void tell_refused(const struct cause_context *t, struct cause *ret)
{
	ret->n = t->c->refused;
	cause_text_show(t, TRACE_REFUSED, ret);
	ret->text =
	        xasprintf("%" PRIu64 " differing answers are to requests from which members were "
	                  "taken out for an engine that refuses them",
	                t->c->refused);
	ret->phrase = xstrdup("parameters that one side refuses");
	ret->fix = xstrdup("leave these members out for both, or use an engine that knows them");
	ret->confirm = cause_text_both_probes(t);
}

static void tell_unset(const struct cause_context *t, struct cause *ret)
{
	ret->n = t->c->by_decoding[DECODING_UNKNOWN];
	cause_text_show(t, TRACE_UNSET, ret);
	ret->text = xasprintf("%" PRIu64 " differing answers left the temperature to the engines, "
	                      "which may sample: they are no evidence until it is set",
	        ret->n);
	ret->phrase = xstrdup("a temperature that nobody set");
	ret->fix = xstrdup("send temperature, or align: same for the reference");
	ret->confirm = advice_replay(
	        t->g->place, &t->c->base_engine, &t->c->test_engine, true, true, "--align greedy");
}

static void tell_cut(const struct cause_context *t, struct cause *ret)
{
	const struct causes *c = t->c;
	ret->n = c->cut_base + c->cut_test;
	ret->greedy_n = c->greedy_cut;
	cause_text_show(t, TRACE_CUT, ret);
	ret->text = xasprintf("%" PRIu64 " answers of %s and %" PRIu64 " of %s end at a limit of "
	                      "tokens where the other goes on; until there they are the same",
	        c->cut_test, t->g->test, c->cut_base, t->g->base);
	ret->phrase = xstrdup("a limit of tokens that one side met");
	ret->fix = xstrdup("send max_tokens; where one side counts reasoning in it, send more");
	ret->confirm = cause_text_both_probes(t);
}

/* How an engine shows its reasoning, in words that follow its name. */
static const char *way_of(enum reasoning_place place)
{
	switch (place) {
	case REASONING_INLINE:
		return "leaves its reasoning in the answer's text";
	case REASONING_FIELD:
		return "puts its reasoning in a field";
	case REASONING_BOTH:
		return "has reasoning in a field and in the answer's text";
	case REASONING_HIDDEN:
		return "counts reasoning that it does not show";
	default:
		return "shows no reasoning";
	}
}

static void tell_place(const struct cause_context *t, struct cause *ret)
{
	const struct placements *p = &t->g->places;
	enum reasoning_place base = REASONING_NONE, test = REASONING_NONE;
	(void)placement_usual_of_base(p, &base);
	(void)placement_usual_of_test(p, &test);
	struct buf text = {0};
	buf_printf(&text, "%s %s", t->g->test, way_of(test));
	if (test != REASONING_NONE) {
		buf_printf(&text, " in %" PRIu64 " of %" PRIu64 " answers",
		        placement_of_test(p, test), placement_total(p));
	}
	buf_printf(&text, ", %s %s", t->g->base, way_of(base));
	if (base != REASONING_NONE) {
		buf_printf(&text, " in %" PRIu64, placement_of_base(p, base));
	}
	if (p->evened > 0) {
		buf_printf(&text,
		        "; %" PRIu64 " pairs are compared by what was said to the user, without it",
		        p->evened);
	}
	ret->n = t->c->evened;
	cause_text_show(t, TRACE_PLACE, ret);
	ret->text = buf_steal(&text);
	ret->phrase = xstrdup("the place of the reasoning");
	ret->fix = xstrdup("give both engines a reasoning parser, or neither");
	ret->confirm = cause_text_both_probes(t);
}

static void tell_sampled(const struct cause_context *t, struct cause *ret)
{
	ret->n = t->c->by_decoding[DECODING_SAMPLED];
	cause_text_show(t, TRACE_SAMPLED, ret);
	ret->text =
	        xasprintf("%" PRIu64 " differing answers were sampled, as was asked: chance has "
	                  "a part in them",
	                ret->n);
	ret->phrase = xstrdup("sampling, as was asked");
	ret->fix = xstrdup("send temperature 0, or judge them by teacher-forced scores");
	ret->confirm = cause_text_score(t);
}

static const cause_text_fn TELL[N_CAUSES] = {
        [CAUSE_ERROR] = tell_error,
        [CAUSE_STACK] = tell_stack,
        [CAUSE_BOS] = tell_prompt,
        [CAUSE_TEMPLATE] = tell_prompt,
        [CAUSE_TRUNCATED] = tell_prompt,
        [CAUSE_SYSTEM] = tell_system,
        [CAUSE_PROMPT_TOKENS] = tell_prompt,
        [CAUSE_UNLIKE] = tell_unlike,
        [CAUSE_REFUSED] = tell_refused,
        [CAUSE_UNSET] = tell_unset,
        [CAUSE_CUT] = tell_cut,
        [CAUSE_STOP_KEPT] = tell_stop_kept,
        [CAUSE_PLACE] = tell_place,
        [CAUSE_SAMPLED] = tell_sampled,
};

void cause_text(const struct analysis_group *g, const struct cause_tests *tests,
        const struct cause_finding *f, struct cause *ret)
{
	bool base = f->side == CAUSE_OF_BASE;
	const struct causes *c = &g->causes;
	const struct cause_context t = {
	        .g = g,
	        .c = c,
	        .t = tests,
	        .side = f->side,
	        .name = base ? g->base : g->test,
	};
	*ret = (struct cause){
	        .kind = f->kind,
	        .side = f->side,
	        .p = f->test == N_CAUSE_TESTS ? NAN : tests->p[f->test],
	        .of = c->unlike_answers,
	        .greedy_of = c->greedy_unlike,
	};
	cause_text_fn tell = TELL[f->kind] ? TELL[f->kind] : cause_text_tokens(f->kind);
	tell(&t, ret);
	ret->n = MIN(ret->n, ret->of);
	ret->greedy_n = MIN(ret->greedy_n, ret->greedy_of);
}
