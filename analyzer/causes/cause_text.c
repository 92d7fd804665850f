#include "analyzer/causes/cause_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/enum_names.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/percent.h"
#include "base/plural.h"

/* The command that sends the requests to the base, the test or both again. NULL if a side has only
 * scores, because then there is nothing to compare the new answers with. */
static char *replay(const struct cause_context *t, bool to_base, bool to_test, const char *how)
{
	const struct causes_of_side *of = t->c->of;
	return advice_replay(
	        t->g->place, &of[SIDE_BASE].engine, &of[SIDE_TEST].engine, to_base, to_test, how);
}

static char *confirm(const struct cause_context *t, const struct cause_telling *how)
{
	const struct advice_engine *base = group_base_engine(t->g), *test = group_test_engine(t->g);
	bool of_base = t->side == CAUSE_OF_BASE;
	switch (how->confirm) {
	case CONFIRM_BY_PROBE:
		return t->side == CAUSE_OF_BOTH ? advice_probes(t->g->place, base, test)
		                                : advice_probe(t->g->place, of_base ? base : test);
	case CONFIRM_BY_PROBES:
		return advice_probes(t->g->place, base, test);
	case CONFIRM_BY_SCORES:
		return t->g->scores.legs > 0 ? NULL : advice_score(t->g->place, base, test, false);
	case CONFIRM_BY_NOTHING:
		break;
	}
	return how->again ? replay(t, of_base, !of_base, how->again) : NULL;
}

static void explain_error(const struct cause_context *t, struct cause *ret)
{
	const struct causes *c = t->c;
	const struct causes_of_side *base = &c->of[SIDE_BASE], *test = &c->of[SIDE_TEST];
	ret->n = base->failed + test->failed;
	ret->text = xasprintf("%s failed in %" PRIu64 " and %s in %" PRIu64 " of %" PRIu64
	                      " pairs where the other side answered (errors, timeouts, answers "
	                      "that broke off): these can't be compared",
	        t->g->test, test->failed, t->g->base, base->failed, c->counts.pairs);
	ret->confirm = advice_show(t->g->place, ret->exchanges.ids[0]);
}

static void explain_stack(const struct cause_context *t, struct cause *ret)
{
	const struct facet *f = t->t->stack;
	char rate[PERCENT_SIZE], others[PERCENT_SIZE];
	ret->n = f->differ;
	ret->greedy_n = f->differ;
	ret->text = xasprintf("under manifest %s of %s %s of %" PRIu64
	                      " answers differ, under its other stacks %s",
	        f->name, t->g->test, percent_text(t->t->stack_rate, rate), f->pairs,
	        percent_text(t->t->others_rate, others));
	ret->phrase = xasprintf("a change of %s's stack", t->g->test);
	ret->confirm = advice_stacks(t->g->place);
}

/* "+1", "-3 to 5" */
static const char *delta_text(const struct cause_prompt *p, char text[48])
{
	int64_t low = p->ranges[RANGE_DELTA].low, high = p->ranges[RANGE_DELTA].high;
	if (low == high) {
		snprintf(text, 48, "%+" PRId64, low);
	} else {
		snprintf(text, 48, "%+" PRId64 " to %+" PRId64, low, high);
	}
	return text;
}

/* Sums up all prompts that show this cause, and the differing answers that they explain. */
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

/* Names the prompts that are affected, if other prompts are not. */
static const char *prompts_text(const struct cause_context *t, const struct cause_prompt *all)
{
	const struct cause_prompts *p = &t->c->prompts;
	uint64_t chats = p->of[PROMPT_OF_CHAT].n + p->of[PROMPT_WITH_SYSTEM].n;
	uint64_t completions = p->of[PROMPT_OF_COMPLETION].n;
	return p->of_scores                     ? "scored answers"
	       : chats == 0 || completions == 0 ? "pairs"
	       : all->n == completions          ? "completions"
	       : all->n == chats                ? "chats"
	                                        : "pairs";
}

static void explain_prompt(const struct cause_context *t, struct cause *ret)
{
	static const char *const WHATS[N_CAUSES] = {
	        [CAUSE_BOS] = "a BOS token is likely to be there on one side only",
	        [CAUSE_TEMPLATE] = "the chat templates or system texts are likely to differ",
	        [CAUSE_TRUNCATED] =
	                "long prompts are likely to be cut on the side that counts fewer",
	        [CAUSE_PROMPT_TOKENS] = "the prompts that the engines saw are not the same",
	};
	struct cause_prompt p;
	char delta[48];
	gather_prompts(t, ret, &p);
	ret->text = xasprintf("%s counts another number of prompt tokens than %s (%s) in %" PRIu64
	                      " of %" PRIu64 " %s: %s",
	        t->g->test, t->g->base, delta_text(&p, delta), p.unlike, p.n, prompts_text(t, &p),
	        WHATS[ret->kind]);
}

/* "33 to 35 fewer", "1 more", "as many" */
static void put_more(struct buf *to, int64_t low, int64_t high)
{
	int64_t least = MIN(llabs(low), llabs(high)), most = MAX(llabs(low), llabs(high));
	if (low == 0 && high == 0) {
		buf_append_str(to, "as many");
	} else if (low == high) {
		buf_printf(to, "%" PRId64 " %s", most, high < 0 ? "fewer" : "more");
	} else if (low < 0 && high > 0) {
		buf_printf(to, "%" PRId64 " fewer to %" PRId64 " more", -low, high);
	} else {
		buf_printf(to, "%" PRId64 " to %" PRId64 " %s", least, most,
		        low < 0 ? "fewer" : "more");
	}
}

static void explain_system(const struct cause_context *t, struct cause *ret)
{
	struct cause_prompt p;
	struct buf text = {0};
	int64_t usual = cause_prompts_usual(&t->c->prompts);
	gather_prompts(t, ret, &p);
	buf_printf(&text, "compared with %s, %s counts ", t->g->base, t->g->test);
	put_more(&text, p.ranges[RANGE_DELTA].low, p.ranges[RANGE_DELTA].high);
	buf_printf(
	        &text, " prompt tokens in all %" PRIu64 " chats with a system message, and ", p.n);
	put_more(&text, usual, usual);
	buf_printf(&text, " in the other chats: %s drops the message", t->name);
	ret->text = buf_steal(&text);
	ret->phrase = xasprintf("system messages that %s drops", t->name);
	ret->fix = xasprintf("give %s a chat template that uses system messages", t->name);
}

static void explain_stop_kept(const struct cause_context *t, struct cause *ret)
{
	const struct causes_of_side *base = &t->c->of[SIDE_BASE], *test = &t->c->of[SIDE_TEST];
	ret->n = base->stop + test->stop;
	ret->greedy_n = t->c->counts.greedy_stop;
	ret->text = xasprintf("answers that end with a stop sequence of the request, which the "
	                      "other side leaves out: %" PRIu64 " of %s, %" PRIu64
	                      " of %s; before that point they are the same",
	        test->stop, t->g->test, base->stop, t->g->base);
}

static void explain_unlike(const struct cause_context *t, struct cause *ret)
{
	uint64_t unlike = t->c->counts.by_decoding[DECODING_UNLIKE] - t->c->counts.refused;
	char *reasons = decoding_differences_text(&t->g->decoding_differences),
	     *advice = decoding_differences_advice(&t->g->decoding_differences);
	ret->n = unlike;
	ret->text = xasprintf("%" PRIu64 " differing %s decoded with different "
	                      "parameters on the two sides (%s first): %s",
	        unlike, plural(unlike, "answer was", "answers were"), t->g->base, reasons);
	ret->fix = advice ? advice
	                  : xstrdup("set the parameters in the request, or align: same for the "
	                            "reference");
	/* The primary's answers go to clients, so the user must change the request to the other
	 * side. */
	bool base = t->g->test_role == ROLE_PRIMARY;
	ret->confirm = replay(t, base, !base, "--align same");
	free(reasons);
}

static void explain_refused(const struct cause_context *t, struct cause *ret)
{
	ret->n = t->c->counts.refused;
	ret->text = xasprintf("plumbline removed members from requests, because an engine refuses "
	                      "them; differing answers to these requests: %" PRIu64,
	        t->c->counts.refused);
}

static void explain_unset(const struct cause_context *t, struct cause *ret)
{
	ret->n = t->c->counts.by_decoding[DECODING_UNKNOWN];
	ret->text = xasprintf("requests set no temperature, so the engines may have sampled; "
	                      "differing answers to these requests: %" PRIu64
	                      ". Set the temperature, because a sampled text is no evidence",
	        ret->n);
	ret->confirm = replay(t, true, true, "--align greedy");
}

static void explain_cut(const struct cause_context *t, struct cause *ret)
{
	const struct causes_of_side *base = &t->c->of[SIDE_BASE], *test = &t->c->of[SIDE_TEST];
	ret->n = base->cut + test->cut;
	ret->greedy_n = t->c->counts.greedy_cut;
	ret->text = xasprintf("answers that end at a limit of tokens where the other side "
	                      "continues: %" PRIu64 " of %s, %" PRIu64
	                      " of %s; before that point they are the same",
	        test->cut, t->g->test, base->cut, t->g->base);
}

/* How an engine shows its reasoning, in words that follow its name. */
static ENUM_NAMES(way_of, enum reasoning_place, "shows no reasoning",
        "puts its reasoning in a field", "leaves its reasoning in the answer's text",
        "has reasoning in a field and in the answer's text",
        "counts reasoning that it does not show");

static void explain_place(const struct cause_context *t, struct cause *ret)
{
	const struct placements *p = &t->g->places;
	enum reasoning_place base = placement_usual(p, false), test = placement_usual(p, true);
	struct buf text = {0};
	buf_printf(&text, "%s %s", t->g->test, way_of(test));
	if (test != REASONING_NONE) {
		buf_printf(&text, " in %" PRIu64 " of %" PRIu64 " answers",
		        placement_of(p, true, test), placement_total(p));
	}
	buf_printf(&text, ", %s %s", t->g->base, way_of(base));
	if (base != REASONING_NONE) {
		buf_printf(&text, " in %" PRIu64, placement_of(p, false, base));
	}
	if (p->normalised > 0) {
		buf_printf(&text, "; %" PRIu64 " %s compared without the reasoning", p->normalised,
		        plural(p->normalised, "pair is", "pairs are"));
	}
	ret->n = t->c->counts.normalised;
	ret->text = buf_steal(&text);
}

static void explain_sampled(const struct cause_context *t, struct cause *ret)
{
	ret->n = t->c->counts.by_decoding[DECODING_SAMPLED];
	ret->text = xasprintf(
	        "%" PRIu64
	        " differing answers were sampled, as requested, so they also differ by chance",
	        ret->n);
}

static const struct cause_telling TELLINGS[N_CAUSES] = {
        [CAUSE_ERROR] = {explain_error, TRACE_FAILED, false, CONFIRM_BY_NOTHING, NULL},
        [CAUSE_STACK] = {explain_stack, N_TRACES, false, CONFIRM_BY_NOTHING, NULL},
        [CAUSE_BOS] = {explain_prompt, N_TRACES, false, CONFIRM_BY_PROBES, NULL},
        [CAUSE_TEMPLATE] = {explain_prompt, N_TRACES, false, CONFIRM_BY_PROBES, NULL},
        [CAUSE_TRUNCATED] = {explain_prompt, N_TRACES, false, CONFIRM_BY_PROBES, NULL},
        [CAUSE_SYSTEM] = {explain_system, N_TRACES, false, CONFIRM_BY_PROBES, NULL},
        [CAUSE_PROMPT_TOKENS] = {explain_prompt, N_TRACES, false, CONFIRM_BY_PROBES, NULL},
        [CAUSE_UNLIKE] = {explain_unlike, TRACE_UNLIKE, false, CONFIRM_BY_NOTHING, NULL},
        [CAUSE_REFUSED] = {explain_refused, TRACE_REFUSED, false, CONFIRM_BY_PROBES, NULL},
        [CAUSE_UNSET] = {explain_unset, TRACE_UNSET, false, CONFIRM_BY_NOTHING, NULL},
        [CAUSE_CUT] = {explain_cut, TRACE_CUT, false, CONFIRM_BY_PROBES, NULL},
        [CAUSE_STOP_KEPT] = {explain_stop_kept, TRACE_STOP, false, CONFIRM_BY_PROBE, NULL},
        [CAUSE_PLACE] = {explain_place, TRACE_PLACE, false, CONFIRM_BY_PROBES, NULL},
        [CAUSE_SAMPLED] = {explain_sampled, TRACE_SAMPLED, false, CONFIRM_BY_SCORES, NULL},
};

/* For sampled answers this cause explains which tokens are drawn, not that the answers differ. */
static void explain_draws(
        const struct cause_context *t, const struct cause_finding *f, struct cause *ret)
{
	static const char *const PARAMETERS[N_DRAWS_FINDINGS] = {
	        [DRAWS_FINDING_TEMPERATURE] = "temperature",
	        [DRAWS_FINDING_TOP_K] = "top_k",
	        [DRAWS_FINDING_TOP_P] = "top_p",
	        [DRAWS_FINDING_MIN_P] = "min_p",
	        [DRAWS_FINDING_CALIBRATION] = "temperature, top_k, top_p and min_p",
	        [DRAWS_FINDING_FILTERED] = "top_k, top_p and min_p",
	};
	struct buf text = {0}, replicas = {0};
	draws_text_put_replicas(&replicas, t->g->draws, f->draws, f->draws_finding);
	buf_printf(&text, "%s%s ", t->name, buf_cstr(&replicas));
	draws_text_put(&text, f->draws, f->draws_finding);
	ret->by_draws = true;
	ret->n = t->c->counts.by_decoding[DECODING_SAMPLED] +
	         t->c->counts.by_decoding[DECODING_UNKNOWN];
	ret->text = buf_steal(&text);
	char *phrase = draws_side_phrase(f->draws, f->draws_finding);
	ret->phrase = xasprintf("%s%s", phrase, buf_cstr(&replicas));
	ret->exchanges = t->c->traces[TRACE_SAMPLED];
	cause_exchanges_merge(&ret->exchanges, &t->c->traces[TRACE_UNSET]);
	if (f->draws_finding == DRAWS_FINDING_REPEATS) {
		ret->fix = xasprintf("switch the cache of answers off, or remove the fixed seed "
		                     "from the configuration of %s",
		        t->name);
	} else if (f->kind == CAUSE_SAMPLING) {
		ret->fix = xasprintf("set %s in each request, or change the default of %s",
		        PARAMETERS[f->draws_finding], t->name);
	}
	free(phrase);
	buf_finish(&replicas);
}

/* A probe shows a penalty, and that the engine uses another temperature than the requested one. It
 * shows neither a default temperature, because it sets one, nor repeated answers; and it draws too
 * few tokens to show a cut. */
static void confirm_draws(
        const struct draws_group *g, enum draws_finding f, struct cause_telling *how)
{
	bool is_probed =
	        f == DRAWS_FINDING_PENALTY || (f == DRAWS_FINDING_TEMPERATURE && !g->unasked);
	if (!is_probed) {
		how->confirm = CONFIRM_BY_NOTHING;
		how->again = f == DRAWS_FINDING_REPEATS ? "--repeats 2" : NULL;
	}
}

void cause_text(const struct analysis_group *g, const struct cause_tests *tests,
        const struct cause_finding *f, struct cause *ret)
{
	bool base = f->side == CAUSE_OF_BASE;
	const struct causes *c = &g->causes;
	char *both = f->side == CAUSE_OF_BOTH && strcmp(g->test, g->base) != 0
	                     ? xasprintf("%s and %s", g->test, g->base)
	                     : NULL;
	const struct cause_context t = {
	        .g = g,
	        .c = c,
	        .t = tests,
	        .side = f->side,
	        .test = f->test,
	        .name = both   ? both
	                : base ? g->base
	                       : g->test,
	};
	*ret = (struct cause){
	        .kind = f->kind,
	        .side = f->side,
	        .side_from = f->side_from,
	        .p = f->test == N_CAUSE_TESTS ? NAN : tests->p[f->test],
	        .of = c->counts.unlike_answers,
	        .greedy_of = c->counts.greedy_unlike,
	};
	struct cause_telling how =
	        TELLINGS[f->kind].tell ? TELLINGS[f->kind] : *cause_text_tokens(f->kind);
	expect(how.tell);
	if (how.trace != N_TRACES) {
		cause_text_show(&t, how.trace, ret);
	}
	if (f->draws) {
		explain_draws(&t, f, ret);
		confirm_draws(f->draws, f->draws_finding, &how);
	} else {
		how.tell(&t, ret);
	}
	/* Fill in what the cause's own function has left unset. */
	const struct cause_words *words = cause_words(ret->kind);
	ret->greedy_n = how.all_greedy ? ret->n : ret->greedy_n;
	ret->phrase = ret->phrase ? ret->phrase : xstrdup(words->phrase);
	ret->fix = ret->fix ? ret->fix : xstrdup(words->fix);
	ret->confirm = ret->confirm ? ret->confirm : confirm(&t, &how);
	ret->n = MIN(ret->n, ret->of);
	ret->greedy_n = MIN(ret->greedy_n, ret->greedy_of);
	free(both);
}
