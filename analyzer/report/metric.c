#include "analyzer/report/metric.h"

#include <string.h>

#include "analyzer/report/node.h"
#include "base/did_you_mean.h"
#include "base/enum_names.h"

#define SPLIT METRIC_OF_SPLIT
#define GROUP METRIC_OF_GROUP
#define DOCUMENT METRIC_OF_DOCUMENT
#define SCORES METRIC_OF_SCORES
#define TRAFFIC METRIC_OF_TRAFFIC
#define DRAWS METRIC_OF_DRAWS
#define HIGHER METRIC_WORSE_HIGHER
#define LOWER METRIC_WORSE_LOWER
#define AWAY METRIC_WORSE_AWAY
#define NEITHER METRIC_WORSE_NEITHER
#define SHARE METRIC_SHARE
#define POINTS METRIC_POINTS
#define NUMBER METRIC_NUMBER
#define COUNT METRIC_COUNT

/* A figure of a split; all of these have intervals. */
#define FIGURE(name, unit, worse, main, label)                                                     \
	{                                                                                          \
		name, NULL, SPLIT, unit, worse, true, main, label                                  \
	}
/* Another value of a split, a group, the document or the scores; its name is its path. */
#define MEMBER(name, place, unit, worse, label)                                                    \
	{                                                                                          \
		name, name, place, unit, worse, false, false, label                                \
	}
#define RATE(name, worse, label)                                                                   \
	{                                                                                          \
		name, name, SPLIT, SHARE, worse, true, false, label                                \
	}
#define LENGTHS(name, what)                                                                        \
	MEMBER(name ".bias", SPLIT, NUMBER, AWAY, what ", mean change"),                           \
	        MEMBER(name ".magnitude", SPLIT, NUMBER, HIGHER,                                   \
	                what ", mean size of the change"),                                         \
	        MEMBER(name ".inflation", SPLIT, NUMBER, NEITHER, what ", ratio of the sums")
#define SPREAD(name, what)                                                                         \
	MEMBER(name ".mean", SPLIT, NUMBER, LOWER, what ", mean"),                                 \
	        MEMBER(name ".p10", SPLIT, NUMBER, LOWER, what ", 10 % quantile"),                 \
	        MEMBER(name ".median", SPLIT, NUMBER, LOWER, what ", median"),                     \
	        MEMBER(name ".p90", SPLIT, NUMBER, LOWER, what ", 90 % quantile")
#define STEP(name, step, worse, what) MEMBER(name "." step, SPLIT, NUMBER, worse, what)
#define LADDER(name, low, high, what)                                                              \
	STEP(name, "min", low, what ", least"), STEP(name, "p0_1", low, what ", 0.1 % quantile"),  \
	        STEP(name, "p1", low, what ", 1 % quantile"),                                      \
	        STEP(name, "p5", low, what ", 5 % quantile"),                                      \
	        STEP(name, "p10", low, what ", 10 % quantile"),                                    \
	        STEP(name, "p25", low, what ", 25 % quantile"),                                    \
	        STEP(name, "median", NEITHER, what ", median"),                                    \
	        STEP(name, "p75", high, what ", 75 % quantile"),                                   \
	        STEP(name, "p90", high, what ", 90 % quantile"),                                   \
	        STEP(name, "p95", high, what ", 95 % quantile"),                                   \
	        STEP(name, "p99", high, what ", 99 % quantile"),                                   \
	        STEP(name, "p99_9", high, what ", 99.9 % quantile"),                               \
	        STEP(name, "max", high, what ", greatest")
#define ROLLOUT(name, worse, label)                                                                \
	{                                                                                          \
		"rollout." name, "rollout." name, GROUP, NUMBER, worse, true, false, label         \
	}
#define PRIOR(name, unit, worse, label)                                                            \
	{                                                                                          \
		name, "seeds." name, SPLIT, unit, worse, true, false, label                        \
	}

#define TIME(name, at, label)                                                                      \
	{                                                                                          \
		"traffic." name "." at, "milliseconds." name "." at, TRAFFIC, METRIC_MS, HIGHER,   \
		        false, false, label                                                        \
	}
#define TIMES(name, what)                                                                          \
	TIME(name, "mean", what ", mean"), TIME(name, "p50", what ", median"),                     \
	        TIME(name, "p90", what ", 90 % quantile"),                                         \
	        TIME(name, "p95", what ", 95 % quantile"),                                         \
	        TIME(name, "p99", what ", 99 % quantile"), TIME(name, "max", what ", longest")

static const struct metric METRICS[] = {
        FIGURE("differ", SHARE, HIGHER, true, "answers that differ"),
        FIGURE("answer_changed", SHARE, HIGHER, true, "answers whose meaning changed"),
        FIGURE("hazard", NUMBER, HIGHER, true, "first differences per 1,000 tokens"),
        FIGURE("same_top", SHARE, LOWER, true, "same most probable token"),
        FIGURE("score_shift", POINTS, LOWER, true, "score of right answers, change"),
        FIGURE("base_score", SHARE, NEITHER, false, "score of right answers, base"),
        FIGURE("test_score", SHARE, LOWER, false, "score of right answers"),
        FIGURE("text_differs", SHARE, HIGHER, false, "texts that differ"),
        FIGURE("undecided", SHARE, NEITHER, false, "answers whose meaning is undecided"),
        FIGURE("similarity", NUMBER, LOWER, false, "similarity of words"),
        FIGURE("finish_differs", SHARE, HIGHER, true, "finish reasons that differ"),
        FIGURE("divergence_index", NUMBER, LOWER, false, "token divergence index"),
        FIGURE("length_bias", NUMBER, AWAY, true, "length in tokens, mean change"),
        FIGURE("length_magnitude", NUMBER, HIGHER, false,
                "length in tokens, mean size of the change"),
        FIGURE("top1_logprob_rmse", NUMBER, HIGHER, true, "logprob RMSE (top-1)"),
        FIGURE("delta_lp", NUMBER, AWAY, false, "change of logprob"),
        FIGURE("delta_lp_rms", NUMBER, HIGHER, false, "change of logprob, RMS"),
        FIGURE("delta_p_rms", NUMBER, HIGHER, true, "change of probability, RMS"),
        FIGURE("jaccard_5", NUMBER, LOWER, true, "top-5 Jaccard"),
        FIGURE("jaccard_k", NUMBER, LOWER, false, "top-k Jaccard"),
        FIGURE("rank", NUMBER, HIGHER, false, "rank of the chosen token"),
        FIGURE("k3_score", NUMBER, HIGHER, false, "k3 of comparable positions"),
        FIGURE("kl_low", NUMBER, HIGHER, true, "KL divergence, at least"),
        FIGURE("tv_low", NUMBER, HIGHER, false, "total variation, at least"),
        FIGURE("tv_high", NUMBER, NEITHER, false, "total variation, at most"),
        FIGURE("js_low", NUMBER, HIGHER, false, "Jensen-Shannon divergence, at least"),
        FIGURE("js_high", NUMBER, NEITHER, false, "Jensen-Shannon divergence, at most"),
        FIGURE("missing_mass", NUMBER, NEITHER, false, "missing mass"),
        FIGURE("kl_renormalised", NUMBER, NEITHER, false, "KL divergence, renormalised"),
        RATE("tool_calls_differ", HIGHER, "tool calls that differ"),
        RATE("reasoning_differs", HIGHER, "reasoning that differs"),
        RATE("finish_agreement", LOWER, "finish reasons that agree"),
        RATE("top1_agreement", LOWER, "top-1 agreement"),
        {"top_differs", "noise_floor.figures.top_differs.between", GROUP, SHARE, HIGHER, true,
                false, "most probable tokens that differ"},
        {"k3", "k3", GROUP, NUMBER, HIGHER, true, true, "k3 of scored tokens"},
        {"k3.over_floor", "k3.over_floor", GROUP, NUMBER, HIGHER, true, true,
                "k3 of scored tokens, over the noise floor"},
        MEMBER("k3.floor", GROUP, NUMBER, NEITHER, "k3 of the base's own answers"),
        ROLLOUT("delta", HIGHER, "change of logprob, mean size"),
        ROLLOUT("k1", AWAY, "k1 of the answers that count"),
        ROLLOUT("k3", HIGHER, "k3 of the answers that count"),
        ROLLOUT("ratio", AWAY, "importance ratio, mean"),
        {"first_positions.same_top", "first_positions.same_top", GROUP, SHARE, LOWER, true, false,
                "same most probable token, of first tokens"},
        {"first_positions.tv_low", "first_positions.tv_low", GROUP, NUMBER, HIGHER, true, false,
                "total variation of first tokens, at least"},
        MEMBER("sampled_test.mmd2", GROUP, NUMBER, HIGHER, "distance of repeated sampled answers"),
        MEMBER("sampled_test.p", GROUP, NUMBER, LOWER,
                "p of the test that repeated sampled answers have one distribution"),
        MEMBER("rollout.delta_max", GROUP, NUMBER, HIGHER, "change of logprob, largest"),
        MEMBER("rollout.ratio.p99", GROUP, NUMBER, HIGHER, "importance ratio, 99 % quantile"),
        MEMBER("rollout.ratio.outside", GROUP, SHARE, HIGHER, "importance ratios outside 1/2 to 2"),
        MEMBER("rollout.sample_size", GROUP, SHARE, LOWER, "effective sample size, of tokens"),
        MEMBER("rollout.answers.sample_size", GROUP, SHARE, LOWER,
                "effective sample size, of answers"),
        LENGTHS("length_bytes", "length in bytes"),
        LENGTHS("length_tokens", "length in tokens"),
        LENGTHS("length_reasoning_bytes", "reasoning in bytes"),
        SPREAD("first_differing_token", "first differing token"),
        SPREAD("first_differing_byte", "first differing byte"),
        LADDER("delta_lp", LOWER, HIGHER, "change of logprob"),
        LADDER("delta_p", LOWER, HIGHER, "change of probability"),
        LADDER("kl_low", NEITHER, HIGHER, "KL divergence, at least"),
        MEMBER("survival.median", SPLIT, NUMBER, LOWER, "tokens until half of the answers differ"),
        MEMBER("pairs", SPLIT, COUNT, NEITHER, "answers compared"),
        MEMBER("pairs_with_tokens", SPLIT, COUNT, NEITHER, "answers with logprobs"),
        MEMBER("comparable_positions", SPLIT, COUNT, NEITHER, "comparable positions"),
        MEMBER("top1_unlisted", SPLIT, COUNT, HIGHER,
                "base's most probable tokens that the test does not list"),
        MEMBER("rank_unlisted", SPLIT, COUNT, HIGHER, "chosen tokens that the base does not list"),
        MEMBER("missing_much", SPLIT, COUNT, NEITHER, "positions with much missing mass"),
        MEMBER("first_difference.tie", SPLIT, COUNT, NEITHER, "first differences: tie"),
        MEMBER("first_difference.drift", SPLIT, COUNT, HIGHER, "first differences: drift"),
        MEMBER("first_difference.shift", SPLIT, COUNT, HIGHER, "first differences: shift"),
        MEMBER("first_difference.foreign", SPLIT, COUNT, HIGHER,
                "first differences: not in the list"),
        MEMBER("first_difference.unknown", SPLIT, COUNT, NEITHER,
                "first differences: not classified"),
        MEMBER("first_difference.sigma", SPLIT, NUMBER, HIGHER,
                "noise between the two sides, nats"),
        MEMBER("first_difference.flips.ratio", SPLIT, NUMBER, HIGHER,
                "first differences, observed over expected"),
        MEMBER("meaning.classes.identical", SPLIT, COUNT, NEITHER, "meaning: identical"),
        MEMBER("meaning.classes.format", SPLIT, COUNT, HIGHER, "meaning: format only"),
        MEMBER("meaning.classes.wording", SPLIT, COUNT, HIGHER, "meaning: wording only"),
        MEMBER("meaning.classes.answer_changed", SPLIT, COUNT, HIGHER, "meaning: answer changed"),
        MEMBER("meaning.classes.structural", SPLIT, COUNT, HIGHER,
                "meaning: another kind of answer"),
        MEMBER("meaning.classes.undecided", SPLIT, COUNT, NEITHER, "meaning: undecided"),
        PRIOR("paper.output_disagreement_rate", SHARE, HIGHER, "output disagreement rate (paper)"),
        PRIOR("paper.output_length_bias", NUMBER, AWAY, "output length bias (paper)"),
        PRIOR("paper.output_length_magnitude", NUMBER, HIGHER, "output length magnitude (paper)"),
        PRIOR("paper.token_divergence_index", NUMBER, LOWER, "token divergence index (paper)"),
        PRIOR("paper.logprob_rmse", NUMBER, HIGHER, "logprob RMSE (paper)"),
        PRIOR("paper.top5_jaccard", NUMBER, LOWER, "top-5 Jaccard (paper)"),
        PRIOR("infer_check.flip_rate", SHARE, HIGHER, "flip rate (infer-check)"),
        PRIOR("infer_check.mean_text_similarity", NUMBER, LOWER, "text similarity (infer-check)"),
        PRIOR("infer_check.mean_kl_divergence", NUMBER, NEITHER, "KL divergence (infer-check)"),
        PRIOR("infer_check.determinism_score", SHARE, LOWER, "determinism score (infer-check)"),
        {"left_out", "left_out.pairs", GROUP, SHARE, HIGHER, false, false, "pairs left out, of all",
                "pairs"},
        MEMBER("left_out.pairs", GROUP, COUNT, HIGHER, "pairs left out"),
        MEMBER("left_out.unfinished", GROUP, COUNT, HIGHER, "pairs unfinished"),
        MEMBER("left_out.base_error", GROUP, COUNT, NEITHER, "errors of the base"),
        MEMBER("left_out.test_error", GROUP, COUNT, HIGHER, "errors of the test"),
        MEMBER("left_out.unreadable", GROUP, COUNT, HIGHER, "answers that can't be read"),
        MEMBER("left_out.unread", GROUP, COUNT, HIGHER, "answers with content that is not read"),
        MEMBER("left_out.unrecorded", GROUP, COUNT, HIGHER, "answers without a body"),
        MEMBER("evidence.prompt_differ", GROUP, COUNT, HIGHER,
                "prompts whose tokens are counted differently"),
        MEMBER("evidence.test_not_top", GROUP, COUNT, HIGHER,
                "tokens of the test that were not its own most probable"),
        MEMBER("evidence.base_not_top", GROUP, COUNT, NEITHER,
                "tokens of the base that were not its own most probable"),
        MEMBER("evidence.test_misspelt", GROUP, COUNT, HIGHER,
                "answers of the test whose tokens do not spell their text"),
        MEMBER("evidence.test_without_logprobs", GROUP, COUNT, HIGHER,
                "answers of the test without logprobs"),
        MEMBER("embeddings.cosine_distance.mean", GROUP, NUMBER, HIGHER,
                "cosine distance of embeddings, mean"),
        MEMBER("embeddings.cosine_distance.max", GROUP, NUMBER, HIGHER,
                "cosine distance of embeddings, largest"),
        MEMBER("embeddings.largest_difference.max", GROUP, NUMBER, HIGHER,
                "difference of an embedding's value, largest"),
        MEMBER("exchanges", DOCUMENT, COUNT, NEITHER, "exchanges"),
        MEMBER("unpaired", DOCUMENT, COUNT, NEITHER, "exchanges with nothing to compare"),
        MEMBER("absent", DOCUMENT, COUNT, HIGHER, "exchanges known only from their answers"),
        MEMBER("damaged_rows", DOCUMENT, COUNT, HIGHER, "damaged rows"),
        MEMBER("refused_segments", DOCUMENT, COUNT, HIGHER, "segments not read"),
        MEMBER("greedy_compared", DOCUMENT, COUNT, NEITHER, "greedy answers compared"),
        MEMBER("greedy_differing", DOCUMENT, COUNT, HIGHER, "greedy answers that differ"),
        {"teacher_forced.same_top", "same_top", SCORES, SHARE, LOWER, true, true,
                "same most probable token, of all tokens"},
        {"teacher_forced.logprob", "logprob_of_answers", SCORES, NUMBER, AWAY, true, true,
                "change of logprob, of all tokens"},
        {"teacher_forced.logprob_rms", "logprob.rms", SCORES, NUMBER, HIGHER, false, false,
                "change of logprob, RMS, of all tokens"},
        {"teacher_forced.k3_score", "k3_score", SCORES, NUMBER, HIGHER, true, false,
                "k3 of all scored tokens"},
        {"teacher_forced.perplexity", "perplexity", SCORES, NUMBER, NEITHER, false, false,
                "perplexity of the answers"},
        {"teacher_forced.scorer_perplexity", "scorer_perplexity", SCORES, NUMBER, HIGHER, false,
                false, "perplexity of the answers to the scorer"},
        {"teacher_forced.greedy_flips", "greedy_flips.answers", METRIC_OF_SCORER, SHARE, HIGHER,
                false, false, "answers that would differ if decoded greedily"},
        {"sampling.temperature", "temperature", DRAWS, NUMBER, NEITHER, true, false,
                "temperature, relative to the requested one"},
        {"sampling.penalty", "penalty", DRAWS, NUMBER, AWAY, true, false,
                "penalty that was not requested, nats"},
        {"sampling.calibration", "calibration", DRAWS, SHARE, HIGHER, true, false,
                "draws of a rank, largest difference from the stated share"},
        {"sampling.repeats", "repeats.value", DRAWS, COUNT, HIGHER, false, false,
                "answers that repeat an earlier one, above chance"},
        {"sampling.findings", "n_findings", DRAWS, COUNT, HIGHER, false, false,
                "faults in how the backend draws its tokens"},
        TIMES("ttft", "time to the first token"),
        TIMES("itl", "time between tokens"),
        TIMES("tpot", "time per token after the first"),
        TIMES("e2e", "time of an answer"),
        TIMES("first_content", "time to the first content"),
        TIMES("last_byte", "time to the last byte"),
        {"traffic.failed", "failed", TRAFFIC, SHARE, HIGHER, false, false, "answers that failed",
                "answers"},
        {"traffic.cut", "cut", TRAFFIC, SHARE, NEITHER, false, false, "answers that were cut",
                "answers"},
        {"traffic.answers", "answers", TRAFFIC, COUNT, NEITHER, false, false, "answers"},
        {"traffic.completion_tokens_per_second", "completion_tokens_per_second", TRAFFIC, NUMBER,
                LOWER, false, false, "tokens a second"},
};

bool metric_is_one_sided(const struct metric *m)
{
	return m->place == METRIC_OF_TRAFFIC || m->place == METRIC_OF_DRAWS;
}

bool metric_is_per_decoding(const struct metric *m)
{
	return m->place == METRIC_OF_SPLIT || m->place == METRIC_OF_SCORES;
}

const struct metric *metric_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(METRICS); i++) {
		if (strcmp(METRICS[i].name, name) == 0) {
			return &METRICS[i];
		}
	}
	return NULL;
}

const char *metric_nearest(const char *name)
{
	const char *names[ARRAY_LEN(METRICS) + 1] = {NULL};
	for (size_t i = 0; i < ARRAY_LEN(METRICS); i++) {
		names[i] = METRICS[i].name;
	}
	return nearest_word(name, names);
}

size_t metric_count(void)
{
	return ARRAY_LEN(METRICS);
}

const struct metric *metric_at(size_t i)
{
	expect(i < ARRAY_LEN(METRICS));
	return &METRICS[i];
}

const char *const *metric_over_floor(void)
{
	static const char *const NAMES[] = {
	        "differ", "answer_changed", "hazard", "top_differs", NULL};
	return NAMES;
}

ENUM_NAMES(metric_unit_name, enum metric_unit, "share", "points", "count", "ms", "number");

enum metric_unit metric_unit_of(const char *name)
{
	const struct metric *m = metric_find(name);
	return m ? m->unit : METRIC_NUMBER;
}

void metric_set_units(json_t *document)
{
	json_t *units = json_object();
	for (size_t i = 0; i < ARRAY_LEN(METRICS); i++) {
		const char *unit = metric_unit_name(METRICS[i].unit);
		node_set_text(units, METRICS[i].name, unit);
	}
	json_object_set_new(document, "units", units);
}
