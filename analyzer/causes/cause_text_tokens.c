#include "analyzer/causes/cause_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "analyzer/rows/word_runs.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/percent.h"

#define DRIFT_REACH 6 /* an answer's largest move of a gap may be this many times the mean one */

static uint64_t of_side(enum cause_side side, uint64_t base, uint64_t test)
{
	return side == CAUSE_OF_BASE ? base : side == CAUSE_OF_TEST ? test : base + test;
}

static const struct cause_choices *choices_of(const struct cause_context *t, bool of_base)
{
	return &t->c->of[of_base ? SIDE_BASE : SIDE_TEST].choices;
}

/* The pairs with this trace of that side, or with either if both sides have the cause, show it. */
static void show_side(const struct cause_context *t, enum cause_trace base, enum cause_trace test,
        struct cause *ret)
{
	cause_text_show(t, t->side == CAUSE_OF_BASE ? base : test, ret);
	if (t->side != CAUSE_OF_BASE && t->side != CAUSE_OF_TEST) {
		cause_exchanges_merge(&ret->exchanges, &t->c->traces[base]);
		ret->traces |= UINT32_C(1) << base;
	}
}

/* The pairs whose first difference has at most this shift show the cause. */
static void show_nearest(const struct cause_context *t, double shift_most, struct cause *ret)
{
	const struct cause_nearest *nearest = &t->c->nearest;
	ret->shift_most = shift_most;
	ret->exchanges = (struct cause_exchanges){0};
	for (size_t i = 0; i < nearest->n && nearest->items[i].shift <= shift_most; i++) {
		cause_exchanges_add(&ret->exchanges, nearest->items[i].id);
	}
}

static void explain_misspelt(const struct cause_context *t, struct cause *ret)
{
	ret->text = xasprintf("answers whose tokens in the logprobs do not spell the text: %" PRIu64
	                      " of %s, %" PRIu64 " of %s; they are not in the token figures",
	        t->c->of[SIDE_TEST].lacks.misspelt, t->g->test, t->c->of[SIDE_BASE].lacks.misspelt,
	        t->g->base);
}

static void explain_misaligned(const struct cause_context *t, struct cause *ret)
{
	const struct cause_choices *base = choices_of(t, true), *test = choices_of(t, false);
	ret->text =
	        xasprintf("at %" PRIu64 " of %" PRIu64
	                  " tokens of %s the list does not contain the chosen token; at %" PRIu64
	                  " of these the next list does: the lists are off by one",
	                of_side(t->side, base->unlisted, test->unlisted),
	                of_side(t->side, base->tokens, test->tokens), t->name,
	                of_side(t->side, base->shifted, test->shifted));
}

static void explain_over_one(const struct cause_context *t, struct cause *ret)
{
	const struct cause_choices *base = choices_of(t, true), *test = choices_of(t, false);
	ret->text =
	        xasprintf("the probabilities sum to more than 1 in %" PRIu64 " of %" PRIu64
	                  " examined lists of %s: these are not the logprobs of one distribution",
	                of_side(t->side, base->over_one, test->over_one),
	                of_side(t->side, base->lists, test->lists), t->name);
}

static void explain_processed(const struct cause_context *t, struct cause *ret)
{
	ret->text = xasprintf(
	        "the gaps between %s's most probable tokens are %.2f times %s's, at %" PRIu64
	        " positions (fit %.3f): its logprobs are likely to be those after a temperature of "
	        "%.2f, or %s's after %.2f",
	        t->g->test, t->t->slope, t->g->base, t->c->counts.gaps, t->t->fit, 1 / t->t->slope,
	        t->g->base, t->t->slope);
}

static void explain_crosstalk(const struct cause_context *t, struct cause *ret)
{
	const struct crosstalk_side *base = &t->c->of[SIDE_BASE].talk,
	                            *test = &t->c->of[SIDE_TEST].talk;
	ret->n = of_side(t->side, base->in_flight, test->in_flight);
	ret->greedy_n = of_side(t->side, base->greedy_in_flight, test->greedy_in_flight);
	ret->exchanges = t->side == CAUSE_OF_BASE ? base->exchanges : test->exchanges;
	if (t->side == CAUSE_OF_BOTH) {
		cause_exchanges_merge(&ret->exchanges, &base->exchanges);
	}
	ret->text = xasprintf(
	        "%" PRIu64 " answers of %s contain %d or more consecutive words of a request that "
	        "ran at the same time; neither their own request nor the other side's answer "
	        "contains these words. For comparison: %" PRIu64
	        " contain words of requests that ran at other times, and %" PRIu64
	        " of the other side's answers contain words of requests that ran at the same time",
	        ret->n, t->name, WORD_RUN, of_side(t->side, base->elsewhere, test->elsewhere),
	        of_side(t->side, base->control, test->control));
}

/* The penalty's size: the one that the engine states, else the one that its lists show, else
 * NULL. Lists give a size in nats. They cannot give a penalty's factor, which applies to logits. */
static char *size_of_penalty(const struct cause_context *t, bool of_base)
{
	double stated = t->c->of[of_base ? SIDE_BASE : SIDE_TEST].penalty;
	double passed = choices_of(t, of_base)->passed;
	if (stated > 0) {
		return xasprintf(" of %.4g, as the engine states", stated);
	}
	return passed > 0 ? xasprintf(" of at least %.2g nats", passed) : NULL;
}

/* The number of answers that show this penalty is not counted, because it affects all of them. */
static void explain_scored_penalty(const struct cause_context *t, struct cause *ret)
{
	double shift = -t->t->scored_contrast;
	ret->by_scores = true;
	ret->text = xasprintf("in the lists of %s, tokens that are already in the answer are %.2f "
	                      "nats less probable, compared with new tokens, than in those of %s, "
	                      "which scored its answers: a repetition, presence or frequency "
	                      "penalty that was not requested",
	        t->name, shift, t->g->base);
	ret->phrase = xasprintf("a penalty of about %.1f nats that was not requested", shift);
}

static void explain_scored_temperature(const struct cause_context *t, struct cause *ret)
{
	double temperature = 1 / t->t->scored_stretch;
	ret->by_scores = true;
	ret->text = xasprintf("the gaps between tokens in %s's lists are %.2f times those in the "
	                      "lists of %s, which scored its answers (fit %.3f): its logprobs are "
	                      "after a temperature of %.2f that was not requested",
	        t->name, t->t->scored_stretch, t->g->base, t->t->scored_fit, temperature);
	ret->phrase = xasprintf("a temperature of %.2f that was not requested", temperature);
}

static void explain_contrast(const struct cause_context *t, struct cause *ret)
{
	ret->n = of_side(
	        t->side, t->c->of[SIDE_BASE].avoided_repeats, t->c->of[SIDE_TEST].avoided_repeats);
	cause_text_show(t, TRACE_SHUN, ret);
	ret->text = xasprintf("%s gives tokens that were in the answer before %.2f nats less than "
	                      "the other side does, relative to new tokens, at %" PRIu64
	                      " positions: a repetition penalty that was not requested",
	        t->name, fabs(t->t->contrast), t->c->counts.contrast_n);
	ret->phrase = xasprintf("a repetition penalty of about %.1f nats", fabs(t->t->contrast));
}

/* Begins a sentence about one side's choices. */
static void put_choices(struct buf *to, const struct cause_context *t, bool of_base)
{
	const struct cause_choices *own = choices_of(t, of_base);
	buf_printf(to,
	        "%s%s did not pick the most probable token of its own list at %" PRIu64
	        " of %" PRIu64 " tokens; at ",
	        to->len ? ". " : "", of_base ? t->g->base : t->g->test, own->not_top, own->tokens);
}

/* The sentences that put() appends about the sides that have the cause. */
static char *text_of_sides(const struct cause_context *t,
        void (*put)(struct buf *to, const struct cause_context *t, bool of_base))
{
	struct buf text = {0};
	if (t->side != CAUSE_OF_BASE) {
		put(&text, t, false);
	}
	if (t->side != CAUSE_OF_TEST) {
		put(&text, t, true);
	}
	return buf_steal(&text);
}

static void put_penalty(struct buf *to, const struct cause_context *t, bool of_base)
{
	const struct cause_choices *own = choices_of(t, of_base);
	double chance = (double)own->best_seen / fmax(1, (double)own->best);
	char *size = size_of_penalty(t, of_base);
	put_choices(to, t, of_base);
	buf_printf(to,
	        "%" PRIu64 " of these the skipped token had been in the answer before (%.0f "
	        "expected by chance): a repetition penalty%s that was not requested",
	        own->repeats, (double)own->not_top * chance, size ? size : "");
	free(size);
}

static void explain_penalty(const struct cause_context *t, struct cause *ret)
{
	const struct causes_of_side *of = t->c->of;
	if (t->test == TEST_SCORED_CONTRAST) {
		explain_scored_penalty(t, ret);
		return;
	}
	if (t->test == TEST_CONTRAST) {
		explain_contrast(t, ret);
		return;
	}
	bool both = t->side == CAUSE_OF_BOTH;
	ret->n = of_side(t->side, of[SIDE_BASE].penalised, of[SIDE_TEST].penalised) -
	         (both ? t->c->counts.both_penalised : 0);
	show_side(t, TRACE_BASE_PENALISED, TRACE_TEST_PENALISED, ret);
	ret->text = text_of_sides(t, put_penalty);
	char *size = both ? NULL : size_of_penalty(t, t->side == CAUSE_OF_BASE);
	ret->phrase = xasprintf("a repetition penalty%s", size ? size : "");
	free(size);
}

static void put_sampling(struct buf *to, const struct cause_context *t, bool of_base)
{
	put_choices(to, t, of_base);
	buf_printf(to,
	        "%" PRIu64 " of these the skipped token was new: a sampler (temperature, top-p) "
	        "that was not requested",
	        choices_of(t, of_base)->strange);
}

static void explain_sampling(const struct cause_context *t, struct cause *ret)
{
	const struct causes_of_side *of = t->c->of;
	if (t->test == TEST_SCORED_GAPS) {
		explain_scored_temperature(t, ret);
		return;
	}
	ret->n = of_side(t->side, of[SIDE_BASE].against, of[SIDE_TEST].against) -
	         (t->side == CAUSE_OF_BOTH ? t->c->counts.both_against : 0);
	show_side(t, TRACE_BASE_AGAINST, TRACE_TEST_AGAINST, ret);
	ret->text = text_of_sides(t, put_sampling);
}

static void explain_corruption(const struct cause_context *t, struct cause *ret)
{
	const struct cause_change *change = &t->t->change;
	const struct timeline *line = &t->c->timeline;
	double before = (double)change->before_hits / (double)change->before_n;
	double after = (double)change->after_hits / (double)change->after_n;
	time_t seconds = (time_t)(change->wall_ns / 1000000000u);
	struct tm when;
	char moment[32] = "?", now[PERCENT_SIZE], earlier[PERCENT_SIZE];
	if (gmtime_r(&seconds, &when)) {
		strftime(moment, sizeof(moment), "%Y-%m-%d %H:%M:%S", &when);
	}
	bool worse = after > before;
	double rest = worse ? before : after;
	uint64_t n = worse ? change->after_n : change->before_n;
	uint64_t hits = worse ? change->after_hits : change->before_hits;
	ret->n = (uint64_t)llround(fmax(0, (double)hits - rest * (double)n));
	for (size_t i = 0; i < line->n; i++) {
		const struct timeline_bin *bin = &line->bins[i];
		uint64_t begin_ns = bin->number << (line->shift + CAUSE_TIME_SHIFT);
		if ((begin_ns >= change->wall_ns) == worse && !id_is_zero(bin->differed)) {
			cause_exchanges_add(&ret->exchanges, bin->differed);
		}
	}
	ret->text = xasprintf("from %s UTC on %s of %" PRIu64
	                      " answers differ, before it %s of %" PRIu64,
	        moment, percent_text(after, now), change->after_n, percent_text(before, earlier),
	        change->before_n);
	ret->phrase = xasprintf("a change at %s UTC", moment);
}

static void explain_by_ties(const struct cause_context *t, struct cause *ret)
{
	const struct first_scale scale = {t->g->sigma, t->g->first_verdict.threshold};
	ret->n = t->g->first_verdict.n[FIRST_TIE];
	show_nearest(t, first_tie_most(&scale), ret);
}

/* Explains first differences whose gap is within DRIFT_REACH mean moves, but at least the ties
 * within the noise. */
static void explain_by_drift(const struct cause_context *t, struct cause *ret)
{
	double most = DRIFT_REACH * t->t->noise;
	uint64_t n = 0;
	for (size_t i = 0; i < CAUSE_SHIFTS && (double)i < most / CAUSE_SHIFT_STEP; i++) {
		n += t->c->counts.shifts[i];
	}
	explain_by_ties(t, ret);
	if (n > ret->n) {
		ret->n = n;
		show_nearest(t, fmax(most, ret->shift_most), ret);
	}
}

/* Both sides are one server at two loads. */
static void explain_loads(const struct cause_context *t, struct cause *ret)
{
	const struct causes_of_side *of = t->c->of;
	double loads = (double)t->c->counts.loads;
	struct buf text = {0};
	explain_by_drift(t, ret);
	buf_printf(&text,
	        "the server had %.1f requests in progress on average at the answers of %s and %.1f "
	        "at those of %s; the gap between the two most probable tokens moves by %.3f nats",
	        (double)of[SIDE_TEST].in_flight / loads, t->g->test,
	        (double)of[SIDE_BASE].in_flight / loads, t->g->base, t->t->noise);
	if (!isnan(t->t->floor)) {
		buf_printf(&text, ", and by %.3f at one load", t->t->floor);
	}
	ret->text = buf_steal(&text);
}

static void explain_load(const struct cause_context *t, struct cause *ret)
{
	const struct cause_rise *r = &t->t->load;
	char low[PERCENT_SIZE], high[PERCENT_SIZE];
	struct buf text = {0};
	if (t->test == TEST_DRIFT) {
		explain_loads(t, ret);
		return;
	}
	ret->n = (uint64_t)llround(r->extra);
	buf_printf(&text,
	        "%s of the answers differ with the fewest requests in progress, %s with more",
	        percent_text(r->low, low), percent_text(r->high, high));
	if (!isnan(r->noise_low) && !isnan(r->noise_high)) {
		buf_printf(&text,
		        "; the gap between the two most probable tokens moves by %.3f nats there, "
		        "and by %.3f here",
		        r->noise_low, r->noise_high);
	}
	ret->text = buf_steal(&text);
}

static void explain_cache(const struct cause_context *t, struct cause *ret)
{
	char with[PERCENT_SIZE], without[PERCENT_SIZE];
	ret->n = (uint64_t)llround(t->t->cache.extra);
	ret->text = xasprintf("%s of the answers differ where %s took part of the prompt from its "
	                      "cache, %s where it did not",
	        percent_text(t->t->cache.high, with), t->g->test,
	        percent_text(t->t->cache.low, without));
}

static void explain_other_model(const struct cause_context *t, struct cause *ret)
{
	ret->n = t->c->counts.at_once;
	ret->text = xasprintf("in %" PRIu64 " of %" PRIu64
	                      " answers the two sides have hardly a token in common from the first "
	                      "one on: another model, other weights, or another prompt",
	        t->c->counts.openings, t->c->counts.greedy_answers);
}

static void explain_lost_context(const struct cause_context *t, struct cause *ret)
{
	ret->n = t->c->counts.lost;
	ret->text =
	        xasprintf("%" PRIu64 " of %" PRIu64
	                  " greedy answers are the same up to a token at which the two lists have "
	                  "hardly anything in common, as if one side had read another context",
	                t->c->counts.lost, t->c->counts.greedy_answers);
}

static void explain_unstable(const struct cause_context *t, struct cause *ret)
{
	bool base = t->side == CAUSE_OF_BASE;
	ret->phrase = xasprintf("run-to-run noise of %s", t->name);
	if (t->test == TEST_DRIFT) {
		explain_by_drift(t, ret);
		ret->text =
		        xasprintf("%s does not repeat itself: the gap between its two most "
		                  "probable tokens moves by %.3f nats from one answer to the next",
		                t->name, t->t->noise);
		return;
	}
	explain_by_ties(t, ret);
	ret->text =
	        xasprintf("%s does not repeat itself: the gap between its two most probable tokens "
	                  "moves by %.3f nats from one answer to the next, that of %s by %.3f",
	                t->name, base ? t->t->base_noise : t->t->test_noise,
	                base ? t->g->test : t->g->base, base ? t->t->test_noise : t->t->base_noise);
}

static void explain_drift(const struct cause_context *t, struct cause *ret)
{
	struct buf text = {0};
	explain_by_drift(t, ret);
	buf_printf(&text,
	        "the gap between the two most probable tokens differs by %.3f nats on average "
	        "between the engines, in both directions",
	        t->t->noise);
	if (isnan(t->t->floor)) {
		buf_printf(&text, "; the noise floor was not measured");
	} else {
		buf_printf(&text, ", and by %.3f within one engine", t->t->floor);
	}
	buf_printf(&text,
	        "; such noise explains %" PRIu64
	        " first differences, where each engine chose its own most probable token. "
	        "Quantisation or another precision does this",
	        ret->n);
	ret->text = buf_steal(&text);
}

static void explain_tie(const struct cause_context *t, struct cause *ret)
{
	explain_by_ties(t, ret);
	ret->text = xasprintf("%" PRIu64 " of %" PRIu64
	                      " differing answers first differ where both sides give both tokens "
	                      "about the same probability",
	        ret->n, t->c->counts.greedy_unlike);
}

static const struct cause_telling TELLINGS[N_CAUSES] = {
        [CAUSE_MISSPELT] = {explain_misspelt, TRACE_MISSPELT, false, CONFIRM_BY_PROBE, NULL},
        [CAUSE_MISALIGNED] = {explain_misaligned, TRACE_MISALIGNED, false, CONFIRM_BY_PROBE, NULL},
        [CAUSE_OVER_ONE] = {explain_over_one, TRACE_OVER_ONE, false, CONFIRM_BY_PROBE, NULL},
        [CAUSE_PROCESSED] = {explain_processed, TRACE_SAMPLED, false, CONFIRM_BY_PROBES, NULL},
        [CAUSE_CROSSTALK] = {explain_crosstalk, N_TRACES, false, CONFIRM_BY_NOTHING,
                "--concurrency 1"},
        [CAUSE_PENALTY] = {explain_penalty, N_TRACES, true, CONFIRM_BY_PROBE, NULL},
        [CAUSE_SAMPLING] = {explain_sampling, N_TRACES, true, CONFIRM_BY_PROBE, NULL},
        [CAUSE_CORRUPTION] = {explain_corruption, N_TRACES, true, CONFIRM_BY_NOTHING,
                "--order shuffled"},
        [CAUSE_LOAD] = {explain_load, TRACE_LOAD, true, CONFIRM_BY_NOTHING, "--concurrency 1"},
        [CAUSE_CACHE] = {explain_cache, TRACE_CACHE, true, CONFIRM_BY_NOTHING, "--repeats 2"},
        [CAUSE_OTHER_MODEL] = {explain_other_model, TRACE_OPENING, true, CONFIRM_BY_PROBES, NULL},
        [CAUSE_LOST_CONTEXT] = {explain_lost_context, TRACE_LOST, true, CONFIRM_BY_NOTHING,
                "--concurrency 1"},
        [CAUSE_UNSTABLE] = {explain_unstable, TRACE_FIRST, true, CONFIRM_BY_NOTHING, "--repeats 2"},
        [CAUSE_DRIFT] = {explain_drift, TRACE_FIRST, true, CONFIRM_BY_SCORES, NULL},
        [CAUSE_TIE] = {explain_tie, TRACE_FIRST, true, CONFIRM_BY_NOTHING, "--repeats 2"},
};

const struct cause_telling *cause_text_tokens(enum cause_kind kind)
{
	return &TELLINGS[kind];
}
