#include "analyzer/report/document/document_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/document/document_values.h"
#include "base/buf.h"
#include "base/plural.h"

#define CLUSTERS_FEW 20
#define LONG_LISTS 20 /* tokens; few engines give longer ones */

json_t *document_limit(const char *key, char *text)
{
	struct buf whole = {0};
	size_t end = strcspn(text, TITLE_END);
	json_t *o = json_object();
	buf_append(&whole, text, end);
	buf_append_str(&whole, text[end] ? text + end + strlen(TITLE_END) : "");
	text[end] = '\0';
	node_set_text(o, "key", key);
	node_set_text(o, "title", text);
	json_object_set_new(o, "text", document_full_sentence(buf_steal(&whole)));
	free(text);
	return o;
}

static void add(json_t *list, const char *key, const char *format, ...) PRINTF(3, 4);
static void add(json_t *list, const char *key, const char *format, ...)
{
	struct buf text = {0};
	va_list args;
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	json_array_append_new(list, document_limit(key, buf_steal(&text)));
}

/* What one side's answers lack. name: of the side's backend. */
static void about_lacks(json_t *l, enum side side, const char *name, const struct cause_lacks *n,
        bool misspelt_is_cause, uint64_t answers)
{
	const struct {
		const char *key;
		uint64_t n;
		const char *what;
		uint64_t positions; /* 0: whole answers */
	} LACKS[] = {
	        {"without_logprobs", n->without,
	                "have no token logprobs" TITLE_END ": they are not in the token figures"},
	        {"misspelt", misspelt_is_cause ? 0 : n->misspelt,
	                "have tokens that do not spell their text" TITLE_END
	                ": they are not in the token figures"},
	        {"contradictory_usage", n->contradictory,
	                "have contradictory token counts" TITLE_END
	                " in usage: their tokens are counted by their logprobs, if they have any"},
	        {"refused", n->refused,
	                "have no added logprobs" TITLE_END ", because the engine refused them"},
	        {"positive_logprobs", n->positive,
	                "have logprobs above 0" TITLE_END
	                ", as no probability has, so that they may be logits. None of these "
	                "answers' positions is in a figure of logprobs",
	                n->positive_tokens},
	        {"unusable_logprobs", n->unusable,
	                "have invalid logprobs" TITLE_END
	                " (NaN, infinite, null, none, or -9999 and less): a token without one "
	                "counts as not listed there",
	                n->unusable_tokens},
	};
	for (size_t i = 0; i < ARRAY_LEN(LACKS); i++) {
		char key[48], more[96] = "";
		snprintf(key, sizeof(key), "%s_%s", side == SIDE_BASE ? "base" : "test",
		        LACKS[i].key);
		if (LACKS[i].positions > 0) {
			snprintf(more, sizeof(more), "; positions: %" PRIu64, LACKS[i].positions);
		} else if (i == 0 && n->plain > 0) {
			snprintf(more, sizeof(more),
			        "; the proxy did not ask for them in %" PRIu64
			        " of these requests (docs/proxy.md)",
			        n->plain);
		}
		if (LACKS[i].n > 0) {
			add(l, key, "%" PRIu64 " of %" PRIu64 " answers of %s %s%s", LACKS[i].n,
			        answers, name, LACKS[i].what, more);
		}
	}
}

/* The option for the number of alternatives: the proxy's, or that of a replay. */
static const char *top_option(const struct analysis_group *g)
{
	bool by_proxy = g->base_role == ROLE_PRIMARY || g->test_role == ROLE_PRIMARY;
	return by_proxy ? "--top-logprobs" : "--top";
}

/* The paper defines its figure for five alternatives on both sides. */
static void about_short(json_t *l, const struct analysis_group *g)
{
	uint64_t few = 0, all = 0, base = 0, test = 0;
	for (size_t d = 0; d < N_DECODINGS; d++) {
		few += g->sums[d].few;
		all += g->sums[d].top5_short;
		all += (uint64_t)pair_sums_total(&g->sums[d], FIGURE_JACCARD_5).whole;
		base += g->sums[d].few_base;
		test += g->sums[d].few_test;
	}
	if (few * 20 > all) {
		const char *both = base > 0 && test > 0 ? " and of " : "";
		add(l, "top5_short",
		        "lists of %s%s%s have fewer than five tokens" TITLE_END " at %" PRIu64
		        " of %" PRIu64 " positions: the top-5 Jaccard lacks these. Request five "
		        "alternatives or more from both (%s)",
		        base > 0 ? g->base : "", both, test > 0 ? g->test : "", few, all,
		        top_option(g));
	}
}

static void about_unlisted(json_t *l, const struct analysis_group *g)
{
	uint64_t positions = 0, unlisted = 0;
	for (size_t d = 0; d < N_DECODINGS; d++) {
		positions += (uint64_t)pair_sums_total(&g->sums[d], FIGURE_SAME_TOP).whole;
		unlisted += g->sums[d].top1_unlisted;
	}
	if (unlisted * 20 > positions) {
		bool alone = strcmp(g->base, g->test) == 0;
		add(l, "top_unlisted",
		        "the most probable token of %s is often not in the list of %s" TITLE_END
		        ", at %" PRIu64 " of %" PRIu64 " positions: request more alternatives (%s)",
		        alone ? "one answer" : g->base, alone ? "its repeat" : g->test, unlisted,
		        positions, top_option(g));
	}
}

/* If answers without a temperature differ, a cause already says so. */
static void about_decoding(json_t *l, const struct analysis_group *g)
{
	uint64_t unknown = g->sums[DECODING_UNKNOWN].pairs;
	if (unknown > 0 && !cause_list_get(&g->found, CAUSE_UNSET)) {
		add(l, "temperature_unset",
		        "%" PRIu64 " %s requested without a temperature" TITLE_END
		        ", so the engines may sample: set it, because a sampled text is no "
		        "evidence",
		        unknown, plural(unknown, "answer was", "answers were"));
	}
}

/* Intervals of few clusters are widened, but few clusters determine the necessary amount badly. */
static void about_clusters(json_t *l, const struct analysis_group *g)
{
	const struct clusters *c = g->sums[DECODING_GREEDY].clusters;
	const struct term differ = {FIGURE_DIFFER, 1};
	uint64_t answers = g->sums[DECODING_GREEDY].pairs;
	struct estimate e;
	clusters_estimate_linear(c, &differ, 1, &e);
	double worth = e.freedom + 1;
	if (worth < CLUSTERS_FEW && worth * 2 <= (double)answers) {
		add(l, "few_effective_clusters",
		        "the intervals are wide" TITLE_END ": the %" PRIu64
		        " greedy answers depend on each other and count as %.0f independent ones",
		        answers, worth);
	}
}

static void about_end_token(json_t *l, const struct analysis_group *g)
{
	enum end_token end = end_tokens_judge(&g->ends);
	if (end != END_TOKEN_ALIKE) {
		const char *with = end == END_TOKEN_OF_BASE ? g->base : g->test;
		const char *without = end == END_TOKEN_OF_BASE ? g->test : g->base;
		add(l, "end_token",
		        "%s counts the token that ends an answer and %s does not" TITLE_END
		        ", in all %" PRIu64
		        " answers that show it: lengths in tokens are without it",
		        with, without, g->ends.known);
	}
}

/* States what the verdict does not take into account. */
static void about_verdict(json_t *l, const struct analysis_group *g, const struct verdict *v,
        const struct cause *cause)
{
	const struct verdict_figure *f = &v->figures[VERDICT_DIFFER];
	enum excess_ground ground = excess_ground(&g->excess);
	bool is_attributed = cause && cause->side != CAUSE_OF_UNKNOWN;
	bool differs = f->value.value > 0;
	const char *unattributed = is_attributed || !differs
	                                   ? ""
	                                   : ". So the difference can't be attributed to a side";
	if (f->value.n == 0 || g->is_floor) {
		return;
	}
	if (f->from == VERDICT_FLOOR_EXPECTED) {
		add(l, "expected_floor",
		        "the noise floor was estimated, not measured" TITLE_END
		        "; the estimate from the logprobs may be wrong by a factor of %.0f%s",
		        VERDICT_EXPECTED_FACTOR, unattributed);
	} else if (f->from == VERDICT_FLOOR_UNKNOWN) {
		add(l, "no_floor",
		        "the noise floor was not measured" TITLE_END
		        ", and there are too few logprobs to estimate it%s",
		        unattributed);
	} else if (ground != EXCESS_GROUND_BOTH) {
		add(l, "one_floor", "the noise floor of %s was not measured" TITLE_END "%s",
		        ground == EXCESS_GROUND_BASE ? g->test : g->base, unattributed);
	}
	for (size_t side = EXCESS_OF_BASE; side < N_EXCESS_PAIRS; side++) {
		if (g->excess.of_repeats[side]) {
			add(l, side == EXCESS_OF_BASE ? "base_repeats" : "test_repeats",
			        "repeated prompts gave the noise floor of %s" TITLE_END
			        ": only %" PRIu64 " answers to these prompts are compared with it",
			        side == EXCESS_OF_BASE ? g->base : g->test,
			        g->excess.pairs[EXCESS_BETWEEN]);
		}
	}
}

/* Whether the draws show an added temperature or penalty, or that there is none. */
static bool are_tested(const struct draws_findings *f)
{
	enum draws_state temperature = f->tests[DRAWS_FINDING_TEMPERATURE].state;
	enum draws_state penalty = f->tests[DRAWS_FINDING_PENALTY].state;
	return temperature == DRAWS_NOT_AS_ASKED || penalty == DRAWS_NOT_AS_ASKED ||
	       (temperature == DRAWS_AS_ASKED && penalty == DRAWS_AS_ASKED);
}

/* Scores compare the probabilities that both sides state. They do not show that the test really
 * draws by its own. */
static void about_draws(json_t *l, const struct analysis_group *g)
{
	bool tested = false;
	uint32_t longest = 0;
	if (g->is_floor) {
		return;
	}
	for (size_t i = 0; g->draws && i < g->draws->n_groups; i++) {
		const struct draws_findings *f = &g->draws->groups[i].found;
		if (strcmp(g->draws->groups[i].backend, g->test) == 0) {
			tested |= are_tested(f);
			longest = MAX(longest, f->longest);
		}
	}
	if (!tested) {
		add(l, "draws_not_tested",
		        "k3 does not show whether %s adds a temperature or a penalty" TITLE_END
		        ": it compares the probabilities that both engines state",
		        g->test);
	}
	if (longest > 0 && longest < LONG_LISTS) {
		add(l, "short_lists",
		        "the lists of %s are short (%" PRIu32 " tokens)" TITLE_END
		        ": a top_k of %" PRIu32 " or more would not be seen",
		        g->test, longest, longest);
	}
}

/* States what k3 does not take into account. */
static void about_k3(json_t *l, const struct analysis_group *g, const struct verdict *v)
{
	const struct verdict_figure *f = &v->figures[VERDICT_K3];
	const struct scores *s = &g->scores;
	if (s->processed > 0) {
		add(l, "processed_scores",
		        "%" PRIu64 " of %" PRIu64 " scored answers are not in k3" TITLE_END
		        ": %s states their logprobs after temperature, top_k, top_p, min_p or "
		        "penalties, or may do so; scores are of the model's own probabilities",
		        s->processed, s->legs, g->test);
	}
	if (!verdict_has(v, VERDICT_K3)) {
		return;
	}
	if (s->given_prompt > 0 && !g->is_floor) {
		add(l, "given_prompts",
		        "another template or BOS token of %s does not show in %" PRIu64
		        " of %" PRIu64 " scores" TITLE_END
		        ": they come after the recorded prompt tokens of %s",
		        g->test, s->given_prompt, s->legs, g->test);
	}
	about_draws(l, g);
	if (f->from == VERDICT_FLOOR_UNKNOWN) {
		add(l, "no_score_floor",
		        "the noise floor of k3 was not measured" TITLE_END
		        ": it is not known how much the scores of %s differ from the logprobs of "
		        "its own answers",
		        g->base);
	}
	if (f->value.clusters < VERDICT_SCORE_CLUSTERS) {
		add(l, "few_scored_prompts",
		        "few prompts or sessions were scored (%zu)" TITLE_END
		        ": at least %d are needed to show that two engines are the same",
		        f->value.clusters, VERDICT_SCORE_CLUSTERS);
	}
	uint64_t out = s->without + s->unmatched + s->unreadable;
	if (out > 0) {
		add(l, "scores_left_out",
		        "%" PRIu64 " of %" PRIu64
		        " scored answers have no token to compare" TITLE_END ": k3 covers %.0f",
		        out, s->legs, f->answers);
	}
}

/* States the share of answers that no deciding figure includes. */
static void about_share(json_t *l, const struct analysis_group *g, uint64_t answers, bool scored)
{
	uint64_t unlike = g->sums[DECODING_UNLIKE].pairs, out = left_out_total(&g->left_out);
	uint64_t sampled = answers - g->sums[DECODING_GREEDY].pairs - unlike;
	if (unlike > 0) {
		char *reasons = decoding_differences_text(&g->decoding_differences);
		add(l, "unlike_parameters",
		        "%" PRIu64 " of %" PRIu64
		        " answers were decoded with different parameters" TITLE_END
		        " on the two sides, so they decide nothing (%s first): %s",
		        unlike, answers, g->base, reasons);
		free(reasons);
	}
	if (sampled > 0) {
		add(l, "not_greedy",
		        "%" PRIu64 " of %" PRIu64 " answers were not decoded greedily" TITLE_END
		        " on both sides: chance may change these, so %s",
		        sampled, answers,
		        scored ? "their texts decide nothing; their scored tokens do"
		               : "they decide nothing");
	}
	if (out > 0) {
		add(l, "left_out",
		        "%" PRIu64 " of %" PRIu64 " pairs could not be compared" TITLE_END
		        ": cut, failed, or recorded without their text",
		        out, g->legs);
	}
}

json_t *document_limits(
        const struct analysis_group *g, const struct verdict *v, const struct cause *cause)
{
	json_t *l = json_array();
	uint64_t answers = group_pairs(g);
	about_verdict(l, g, v, cause);
	about_k3(l, g, v);
	about_share(l, g, answers, verdict_has(v, VERDICT_K3));
	bool misspelt_is_cause = cause_list_get(&g->found, CAUSE_MISSPELT);
	about_lacks(
	        l, SIDE_TEST, g->test, &g->causes.of[SIDE_TEST].lacks, misspelt_is_cause, answers);
	about_lacks(
	        l, SIDE_BASE, g->base, &g->causes.of[SIDE_BASE].lacks, misspelt_is_cause, answers);
	if (!g->is_floor && g->causes.counts.ungraded > 0) {
		add(l, "ungraded",
		        "%" PRIu64 " %s not graded" TITLE_END
		        ": plumbline grade can grade programs and mathematical values",
		        g->causes.counts.ungraded,
		        plural(g->causes.counts.ungraded, "pair is", "pairs are"));
	}
	about_unlisted(l, g);
	about_short(l, g);
	about_end_token(l, g);
	about_decoding(l, g);
	about_clusters(l, g);
	return l;
}
