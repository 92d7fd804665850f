#include "analyzer/rows/row_columns.h"

#include <stddef.h>

#include "analyzer/compare/meaning/placement.h"
#include "backends/injection/parameter.h"
#include "base/check.h"
#include "base/enum_names.h"

ENUM_NAMES(column_type_name, enum column_type, "boolean", "count", "integer", "number", "word",
        "words", "text", "text", "list", "id", "hash", "sum", "exact", "histogram", "numbers");

/* Names of groups are few and are written in full; other texts only up to the length that
 * readers use. */
#define NAME_LIMIT 1024
#define TEXT_LIMIT 64
#define PATH_LIMIT 4096

#define COLUMN(row, name_, type_, member, ...)                                                     \
	{                                                                                          \
		.name = (name_), .type = (type_), .offset = offsetof(struct row, member),          \
		.size = sizeof(((struct row *)0)->member), __VA_ARGS__                             \
	}
#define BOOLEAN(row, name, member) COLUMN(row, name, COLUMN_BOOLEAN, member)
#define COUNT(row, name, member) COLUMN(row, name, COLUMN_COUNT, member)
/* UINT64_MAX means that the time is unknown. */
#define MICROSECONDS(row, name, member) COLUMN(row, name, COLUMN_COUNT, member, .absent = -1)
#define INTEGER(row, name, member, absent_)                                                        \
	COLUMN(row, name, COLUMN_INTEGER, member, .absent = (absent_))
#define NUMBER(row, name, member) COLUMN(row, name, COLUMN_NUMBER, member)
#define WORD(row, name, member, words, from, until)                                                \
	COLUMN(row, name, COLUMN_WORD, member, .word = (words), .first = (from), .end = (until))
#define TEXT(row, name, member, most) COLUMN(row, name, COLUMN_TEXT, member, .end = (most))
#define CHARS(row, name, member)                                                                   \
	COLUMN(row, name, COLUMN_CHARS, member, .end = sizeof(((struct row *)0)->member) - 1)
#define LIST(row, name, member) COLUMN(row, name, COLUMN_LIST, member, .end = PATH_LIMIT)
#define ID(row, name, member) COLUMN(row, name, COLUMN_ID, member)
#define HASH(row, name, member) COLUMN(row, name, COLUMN_HASH, member)
/* all: the member that counts all positions. */
#define SUM(row, name, member, all, ...)                                                           \
	COLUMN(row, name, COLUMN_SUM, member, .all_offset = offsetof(struct row, all), __VA_ARGS__)
#define HISTOGRAM(row, name, member) COLUMN(row, name, COLUMN_HISTOGRAM, member)
#define NUMBERS(row, name, member) COLUMN(row, name, COLUMN_NUMBERS, member)

#define NAME(row, name, member)                                                                    \
	COLUMN(row, name, COLUMN_TEXT, member, .end = NAME_LIMIT, .required = true)
#define REQUIRED_ID(row, name, member) COLUMN(row, name, COLUMN_ID, member, .required = true)

#define EXCHANGE(row)                                                                              \
	REQUIRED_ID(row, "exchange", exchange.id), HASH(row, "cluster", exchange.cluster),         \
	        BOOLEAN(row, "exchange_absent", exchange.absent),                                  \
	        WORD(row, "endpoint", exchange.endpoint, endpoint_name, 0, N_ENDPOINTS),           \
	        BOOLEAN(row, "streamed", exchange.streamed),                                       \
	        TEXT(row, "model", exchange.model, TEXT_LIMIT),                                    \
	        TEXT(row, "suite", exchange.suite, TEXT_LIMIT),                                    \
	        TEXT(row, "category", exchange.category, TEXT_LIMIT),                              \
	        TEXT(row, "question", exchange.question, TEXT_LIMIT),                              \
	        COUNT(row, "messages", exchange.messages),                                         \
	        COUNT(row, "system_bytes", exchange.system.bytes),                                 \
	        COUNT(row, "system_words", exchange.system.words)

#define SIDE(row, side)                                                                            \
	NAME(row, #side, side.name), REQUIRED_ID(row, #side "_leg", side.leg),                     \
	        TEXT(row, #side "_backend", side.backend, ROW_BACKEND_LIMIT),                      \
	        TEXT(row, #side "_url", side.url, ROW_URL_LIMIT),                                  \
	        WORD(row, #side "_role", side.role, role_name, ROLE_PRIMARY, ROLE_CANDIDATE + 1),  \
	        TEXT(row, #side "_dialect", side.dialect, TEXT_LIMIT),                             \
	        INTEGER(row, #side "_prompt_tokens", side.prompt_tokens, -1),                      \
	        BOOLEAN(row, #side "_misspelt", side.misspelt),                                    \
	        BOOLEAN(row, #side "_contradictory_usage", side.contradictory),                    \
	        BOOLEAN(row, #side "_injected", side.injected),                                    \
	        BOOLEAN(row, #side "_injection_refused", side.injection_refused),                  \
	        NUMBER(row, #side "_default_penalty", side.default_penalty)

/* index: of the side, enum side; also below. */
#define ANSWER(row, side, index)                                                                   \
	COUNT(row, #side "_text_bytes", c.side.text_bytes),                                        \
	        COUNT(row, #side "_reasoning_bytes", c.side.reasoning_bytes),                      \
	        INTEGER(row, #side "_tokens", c.side.tokens, -1),                                  \
	        CHARS(row, #side "_finish", c.side.finish),                                        \
	        BOOLEAN(row, #side "_ended", c.side.ended),                                        \
	        WORD(row, #side "_reasoning_place", c.side.place, reasoning_place_name, 1,         \
	                PLACES),                                                                   \
	        BOOLEAN(row, #side "_without_tokens", c.side.without_tokens),                      \
	        COUNT(row, #side "_positive_tokens", c.side.positive_tokens),                      \
	        COUNT(row, #side "_unusable_tokens", c.side.unusable_tokens),                      \
	        BOOLEAN(row, #side "_cut", c.cut[index]),                                          \
	        BOOLEAN(row, #side "_stop", c.stop[index]),                                        \
	        COUNT(row, #side "_reasoning_length", c.meaning.reasoning.side##_len),             \
	        COUNT(row, #side "_calls", c.meaning.calls.side),                                  \
	        COUNT(row, #side "_calls_checked", c.meaning.calls.side##_checked),                \
	        COUNT(row, #side "_calls_valid", c.meaning.calls.side##_valid),                    \
	        WORD(row, #side "_gold", c.meaning.side##_gold, meaning_gold_name, 1,              \
	                N_MEANING_GOLDS)

#define CHOICES(row, side, index)                                                                  \
	COUNT(row, #side "_list_tokens", c.signs.choices[index].tokens),                           \
	        COUNT(row, #side "_unlisted", c.signs.choices[index].unlisted),                    \
	        COUNT(row, #side "_shifted", c.signs.choices[index].shifted),                      \
	        COUNT(row, #side "_not_top", c.signs.choices[index].not_top),                      \
	        COUNT(row, #side "_not_top_repeats", c.signs.choices[index].repeats),              \
	        NUMBER(row, #side "_not_top_most", c.signs.choices[index].passed),                 \
	        COUNT(row, #side "_not_top_strange", c.signs.choices[index].strange),              \
	        COUNT(row, #side "_best", c.signs.choices[index].best),                            \
	        COUNT(row, #side "_best_seen", c.signs.choices[index].best_seen),                  \
	        COUNT(row, #side "_lists", c.signs.choices[index].lists),                          \
	        COUNT(row, #side "_lists_over_one", c.signs.choices[index].over_one)

#define FIRST(row, first)                                                                          \
	NUMBER(row, "first_base_gap", first.base_gap),                                             \
	        NUMBER(row, "first_test_gap", first.test_gap),                                     \
	        BOOLEAN(row, "first_base_censored", first.base_censored),                          \
	        BOOLEAN(row, "first_test_censored", first.test_censored),                          \
	        COLUMN(row, "first_shift", COLUMN_NUMBER, first.shift, .not_negative = true)

#define MOMENTS(row, name, member)                                                                 \
	COUNT(row, name "_n", member.n), COLUMN(row, name "_sum", COLUMN_EXACT, member.sum),       \
	        COLUMN(row, name "_squares", COLUMN_EXACT, member.squares),                        \
	        COUNT(row, name "_saturated", member.saturated),                                   \
	        COUNT(row, name "_not_finite", member.not_finite)

#define POSITION(name, figure)                                                                     \
	SUM(pair_row, name, c.positions.figures[figure], c.positions.comparable)
#define OPENING(name, figure) NUMBER(pair_row, "opening_" name, c.opening[figure])

static const struct row_column PART_COLUMNS[] = {
        COLUMN(part_row, "version", COLUMN_COUNT, version, .required = true),
        COLUMN(part_row, "part", COLUMN_COUNT, part, .required = true),
        COLUMN(part_row, "of", COLUMN_COUNT, of, .required = true),
        COLUMN(part_row, "capture", COLUMN_HASH, capture, .required = true),
        LIST(part_row, "captures", captures),
        LIST(part_row, "backends", backends),
        TEXT(part_row, "base", base, NAME_LIMIT),
        TEXT(part_row, "test", test, NAME_LIMIT),
        LIST(part_row, "where", where),
        COUNT(part_row, "since_ns", since_ns),
        COUNT(part_row, "until_ns", until_ns),
        WORD(part_row, "by", by, slice_by_name, SLICE_STACK, SLICE_REPLICA + 1),
};

static const struct row_column PAIR_COLUMNS[] = {
        EXCHANGE(pair_row),
        COLUMN(pair_row, "choice", COLUMN_INTEGER, choice, .required = true),
        SIDE(pair_row, base),
        SIDE(pair_row, test),
        ID(pair_row, "test_stack", test.stack),
        TEXT(pair_row, "test_replica", test.replica, TEXT_LIMIT),
        COUNT(pair_row, "test_start_ns", test.start_ns),
        COUNT(pair_row, "base_in_flight", base.in_flight),
        COUNT(pair_row, "test_in_flight", test.in_flight),
        INTEGER(pair_row, "test_cached_tokens", test.cached_tokens, -1),
        BOOLEAN(pair_row, "is_floor", is_floor),
        BOOLEAN(pair_row, "is_first", is_first),
        BOOLEAN(pair_row, "redacted", redacted),
        BOOLEAN(pair_row, "has_choices", has_choices),
        COUNT(pair_row, "unmatched_choices", unmatched_choices),
        WORD(pair_row, "decoding", c.decoding, decoding_name, 0, N_DECODINGS),
        WORD(pair_row, "unlike", unlike.what, decoding_difference_name, 1, DECODING_DROPPED + 1),
        WORD(pair_row, "unlike_parameter", unlike.parameter, parameter_name, 1, N_PARAMETERS),
        NUMBER(pair_row, "unlike_base", unlike.base),
        NUMBER(pair_row, "unlike_test", unlike.test),
        BOOLEAN(pair_row, "unlike_base_default", unlike.base_default),
        BOOLEAN(pair_row, "unlike_test_default", unlike.test_default),
        BOOLEAN(pair_row, "has_seed", has_seed),
        INTEGER(pair_row, "seed", seed, 0),

        BOOLEAN(pair_row, "has_embeddings", has_embeddings),
        COUNT(pair_row, "embedding_answers", embeddings.answers),
        COUNT(pair_row, "embedding_unmatched", embeddings.unmatched),
        COUNT(pair_row, "embedding_unlike_lengths", embeddings.unlike_lengths),
        COUNT(pair_row, "embedding_unusable", embeddings.unusable),
        COUNT(pair_row, "embedding_equal", embeddings.equal),
        MOMENTS(pair_row, "embedding_distance", embeddings.distance),
        NUMBER(pair_row, "embedding_distance_max", embeddings.distance_max),
        MOMENTS(pair_row, "embedding_difference", embeddings.difference),
        NUMBER(pair_row, "embedding_difference_max", embeddings.difference_max),

        BOOLEAN(pair_row, "differ", c.differ),
        BOOLEAN(pair_row, "text_equal", c.text_equal),
        COUNT(pair_row, "first_byte", c.first_byte),
        BOOLEAN(pair_row, "placement_differs", c.placement_differs),
        BOOLEAN(pair_row, "has_calls", c.has_calls),
        BOOLEAN(pair_row, "calls_equal", c.calls_equal),
        COUNT(pair_row, "calls_matched", c.meaning.calls.matched),
        COUNT(pair_row, "calls_named", c.meaning.calls.named),
        BOOLEAN(pair_row, "reasoning_equal", c.reasoning_equal),
        WORD(pair_row, "reasoning_rung", c.meaning.reasoning.rung, rung_name, 1, N_RUNGS),
        BOOLEAN(pair_row, "tells_end", c.tells_end),
        INTEGER(pair_row, "end_longer", c.end_longer, 0),
        WORD(pair_row, "rung", c.meaning.rung, rung_name, 1, N_RUNGS),
        WORD(pair_row, "meaning", c.meaning.class, meaning_class_name, 0, N_MEANING_CLASSES),
        WORD(pair_row, "severity", c.meaning.severity, meaning_severity_name, 1,
                N_MEANING_SEVERITIES),
        WORD(pair_row, "basis", c.meaning.basis, meaning_basis_name, 1, N_MEANING_BASES),
        COLUMN(pair_row, "marks", COLUMN_WORDS, c.meaning.marks, .word = meaning_mark_name,
                .end = N_MEANING_MARKS),
        NUMBER(pair_row, "similarity", c.meaning.similarity),
        BOOLEAN(pair_row, "ungraded", c.ungraded),
        BOOLEAN(pair_row, "gold_by_library", c.meaning.gold_by_library),
        ANSWER(pair_row, base, SIDE_BASE),
        ANSWER(pair_row, test, SIDE_TEST),

        BOOLEAN(pair_row, "tokens_compared", c.positions.has_tokens),
        BOOLEAN(pair_row, "tokens_differ", c.positions.differ),
        COUNT(pair_row, "positions", c.positions.comparable),
        BOOLEAN(pair_row, "has_first_token", c.positions.has_first_token),
        COUNT(pair_row, "first_token", c.positions.first_token),
        NUMBER(pair_row, "divergence_index", c.positions.divergence_index),
        SUM(pair_row, "same_top", c.positions.figures[POSITION_SAME_TOP], c.positions.comparable,
                .is_share = true),
        POSITION("top1_logprob", POSITION_TOP1_DELTA),
        POSITION("top1_logprob_square", POSITION_TOP1_SQUARE),
        POSITION("delta_lp", POSITION_DELTA_LP),
        POSITION("delta_lp_square", POSITION_DELTA_LP_SQUARE),
        POSITION("delta_p", POSITION_DELTA_P),
        POSITION("delta_p_square", POSITION_DELTA_P_SQUARE),
        POSITION("jaccard_5", POSITION_JACCARD_5),
        POSITION("jaccard_k", POSITION_JACCARD_K),
        POSITION("rank", POSITION_RANK),
        POSITION("k3_score", POSITION_K3),
        POSITION("kl_low", POSITION_KL_LOW),
        POSITION("tv_low", POSITION_TV_LOW),
        POSITION("tv_high", POSITION_TV_HIGH),
        POSITION("js_low", POSITION_JS_LOW),
        POSITION("js_high", POSITION_JS_HIGH),
        POSITION("missing_mass", POSITION_MISSING_MASS),
        POSITION("kl_renormalised", POSITION_KL_RENORMALISED),
        COUNT(pair_row, "top1_unlisted", c.positions.top1_unlisted),
        COUNT(pair_row, "rank_unlisted", c.positions.rank_unlisted),
        COUNT(pair_row, "top5_short", c.positions.top5_short),
        COUNT(pair_row, "short_lists", c.positions.few),
        COUNT(pair_row, "base_short_lists", c.positions.few_base),
        COUNT(pair_row, "test_short_lists", c.positions.few_test),
        COUNT(pair_row, "missing_much", c.positions.missing_much),
        HISTOGRAM(pair_row, "delta_lp_below", c.positions.delta_lp.negative),
        HISTOGRAM(pair_row, "delta_lp_above", c.positions.delta_lp.positive),
        HISTOGRAM(pair_row, "delta_p_below", c.positions.delta_p.negative),
        HISTOGRAM(pair_row, "delta_p_above", c.positions.delta_p.positive),
        HISTOGRAM(pair_row, "kl_low_sizes", c.positions.kl_low),
        HISTOGRAM(pair_row, "noise_sizes", c.positions.noise),
        HISTOGRAM(pair_row, "gap_sizes", c.positions.gaps),
        BOOLEAN(pair_row, "has_first", c.positions.has_first),
        FIRST(pair_row, c.positions.first),

        CHOICES(pair_row, base, SIDE_BASE),
        CHOICES(pair_row, test, SIDE_TEST),
        NUMBER(pair_row, "contrast", c.signs.contrast),
        COUNT(pair_row, "contrast_n", c.signs.contrast_n),
        NUMBER(pair_row, "gap_test", c.signs.gap_test_squares),
        NUMBER(pair_row, "gap_base", c.signs.gap_base_squares),
        NUMBER(pair_row, "gap_both", c.signs.gap_products),
        COUNT(pair_row, "gaps", c.signs.gaps),
        NUMBER(pair_row, "noise", c.signs.noise),
        COUNT(pair_row, "noise_n", c.signs.noise_n),
        BOOLEAN(pair_row, "first_is_token", c.signs.has_first),
        BOOLEAN(pair_row, "first_base_against", c.signs.against[SIDE_BASE]),
        BOOLEAN(pair_row, "first_test_against", c.signs.against[SIDE_TEST]),
        BOOLEAN(pair_row, "first_base_repeats", c.signs.occurred[SIDE_BASE]),
        BOOLEAN(pair_row, "first_test_repeats", c.signs.occurred[SIDE_TEST]),
        BOOLEAN(pair_row, "first_foreign", c.signs.foreign),
        BOOLEAN(pair_row, "first_opening", c.signs.opening),

        BOOLEAN(pair_row, "has_opening", c.has_opening),
        OPENING("kl_low", OPENING_KL_LOW),
        OPENING("tv_low", OPENING_TV_LOW),
        OPENING("tv_high", OPENING_TV_HIGH),
        OPENING("js_low", OPENING_JS_LOW),
        OPENING("js_high", OPENING_JS_HIGH),
        OPENING("missing_mass", OPENING_MISSING_MASS),
        OPENING("same_top", OPENING_SAME_TOP),
};

static const struct row_column LEFT_OUT_COLUMNS[] = {
        EXCHANGE(left_out_row),
        SIDE(left_out_row, base),
        SIDE(left_out_row, test),
        BOOLEAN(left_out_row, "is_floor", is_floor),
        BOOLEAN(left_out_row, "redacted", redacted),
        WORD(left_out_row, "reason", why.reason, left_out_reason_name, 1, N_LEFT_OUT_REASONS),
        BOOLEAN(left_out_row, "of_base", why.of_base),
        WORD(left_out_row, "outcome", why.outcome, outcome_name, 1, N_OUTCOMES),
        CHARS(left_out_row, "why", why.text),
        CHARS(left_out_row, "members", why.members),
        BOOLEAN(left_out_row, "base_failed", failed[SIDE_BASE]),
        BOOLEAN(left_out_row, "test_failed", failed[SIDE_TEST]),
        BOOLEAN(left_out_row, "has_metadata", has_metadata),
        BOOLEAN(left_out_row, "metadata_whole", metadata.is_whole),
        BOOLEAN(left_out_row, "metadata_hashed", metadata.is_hashed),
        BOOLEAN(left_out_row, "metadata_greedy", metadata.greedy),
        BOOLEAN(left_out_row, "metadata_differ", metadata.differ),
        BOOLEAN(left_out_row, "metadata_has_finish", metadata.has_finish),
        BOOLEAN(left_out_row, "metadata_finish_differs", metadata.finish_differs),
        COUNT(left_out_row, "metadata_base_bytes", metadata.base_bytes),
        COUNT(left_out_row, "metadata_test_bytes", metadata.test_bytes),
};

static const struct row_column FLOOR_COLUMNS[] = {
        REQUIRED_ID(floor_row, "exchange", exchange),
        HASH(floor_row, "cluster", cluster),
        NAME(floor_row, "base", base),
        NAME(floor_row, "test", test),
        COLUMN(floor_row, "floor_of", COLUMN_WORD, of, .word = floor_of_name, .end = N_FLOORS,
                .required = true),
        COLUMN(floor_row, "of_repeats", COLUMN_BOOLEAN, of_repeats, .required = true),
        REQUIRED_ID(floor_row, "leg", leg),
        REQUIRED_ID(floor_row, "other_leg", other_leg),
        COLUMN(floor_row, "choice", COLUMN_INTEGER, choice, .required = true),
        BOOLEAN(floor_row, "differ", facts.differ),
        BOOLEAN(floor_row, "decided", facts.decided),
        BOOLEAN(floor_row, "changed", facts.changed),
        WORD(floor_row, "base_gold", facts.base_gold, meaning_gold_name, 1, N_MEANING_GOLDS),
        WORD(floor_row, "test_gold", facts.test_gold, meaning_gold_name, 1, N_MEANING_GOLDS),
        COUNT(floor_row, "positions", facts.at_risk),
        BOOLEAN(floor_row, "tokens_differ", facts.tokens_differ),
        COUNT(floor_row, "tops", facts.tops),
        COUNT(floor_row, "tops_equal", facts.tops_equal),
        NUMBER(floor_row, "divergence_index", facts.divergence_index),
        BOOLEAN(floor_row, "has_first", facts.has_first),
        FIRST(floor_row, facts.first),
        NUMBER(floor_row, "noise", noise),
        COUNT(floor_row, "noise_n", noise_n),
};

static const struct row_column SAMPLES_COLUMNS[] = {
        NAME(samples_row, "base", base),
        NAME(samples_row, "test", test),
        COUNT(samples_row, "base_answers", result.base_answers),
        COUNT(samples_row, "test_answers", result.test_answers),
        BOOLEAN(samples_row, "is_tested", result.is_tested),
        NUMBER(samples_row, "distance", result.distance),
        NUMBER(samples_row, "variance", result.variance),
        NUMBER(samples_row, "third", result.third),
        NUMBER(samples_row, "extreme", result.extreme),
};

static const struct row_column CROSSTALK_COLUMNS[] = {
        REQUIRED_ID(crosstalk_row, "exchange", exchange),
        NAME(crosstalk_row, "base", base),
        NAME(crosstalk_row, "test", test),
        BOOLEAN(crosstalk_row, "of_base", of_base),
        BOOLEAN(crosstalk_row, "under_way", under_way),
        BOOLEAN(crosstalk_row, "elsewhere", elsewhere),
        BOOLEAN(crosstalk_row, "control", control),
        NUMBER(crosstalk_row, "chance", chance),
        BOOLEAN(crosstalk_row, "greedy", greedy),
};

static const struct row_column LEG_COLUMNS[] = {
        REQUIRED_ID(leg_summary, "exchange", exchange),
        REQUIRED_ID(leg_summary, "leg", leg),
        ID(leg_summary, "run", run),
        COUNT(leg_summary, "pass", pass),
        NAME(leg_summary, "backend", backend),
        WORD(leg_summary, "role", role, role_name, ROLE_PRIMARY, ROLE_CANDIDATE + 1),
        WORD(leg_summary, "end", end, leg_end_name, 0, N_LEG_ENDS),
        CHARS(leg_summary, "failure", failure),
        BOOLEAN(leg_summary, "streamed", streamed),
        BOOLEAN(leg_summary, "of_client", of_client),
        BOOLEAN(leg_summary, "injected", injected),
        WORD(leg_summary, "lists", lists, leg_lists_name, 0, N_LEG_LISTS),
        BOOLEAN(leg_summary, "mirrored", mirrored),
        COUNT(leg_summary, "start_ns", start_ns),
        MICROSECONDS(leg_summary, "queued_us", queued_us),
        MICROSECONDS(leg_summary, "first_content_us", first_content_us),
        MICROSECONDS(leg_summary, "end_us", end_us),
        COUNT(leg_summary, "body_bytes", body_bytes),
        INTEGER(leg_summary, "prompt_tokens", prompt_tokens, -1),
        INTEGER(leg_summary, "completion_tokens", completion_tokens, -1),
        INTEGER(leg_summary, "cached_tokens", cached_tokens, -1),
};

static const struct row_column TIMES_COLUMNS[] = {
        REQUIRED_ID(times_row, "leg", leg),
        NAME(times_row, "backend", backend),
        MICROSECONDS(times_row, "ttft_us", ttft_us),
        MICROSECONDS(times_row, "tpot_us", tpot_us),
        MICROSECONDS(times_row, "e2e_us", e2e_us),
        HISTOGRAM(times_row, "gaps", gaps),
};

/* Sums over the tokens from position `at` on. */
#define SCORE_SPAN(i, at)                                                                          \
	SUM(score_row, "delta_at_" #at, sizes_at[i], aligned),                                     \
	        SUM(score_row, "k3_at_" #at, k3_at[i], aligned)

static const struct row_column SCORE_COLUMNS[] = {
        REQUIRED_ID(score_row, "exchange", exchange.id),
        REQUIRED_ID(score_row, "leg", scorer.leg),
        NAME(score_row, "scorer", scorer.name),
        WORD(score_row, "scorer_role", scorer.role, role_name, ROLE_PRIMARY, ROLE_CANDIDATE + 1),
        TEXT(score_row, "scorer_backend", scorer.backend, ROW_BACKEND_LIMIT),
        TEXT(score_row, "scorer_url", scorer.url, ROW_URL_LIMIT),
        TEXT(score_row, "scorer_dialect", scorer.dialect, TEXT_LIMIT),
        WORD(score_row, "result", result, score_result_name, 0, N_SCORE_RESULTS),
        NAME(score_row, "of", of.name),
        WORD(score_row, "of_role", of.role, role_name, ROLE_PRIMARY, ROLE_CANDIDATE + 1),
        ID(score_row, "of_leg", of.leg),
        TEXT(score_row, "of_backend", of.backend, ROW_BACKEND_LIMIT),
        TEXT(score_row, "of_url", of.url, ROW_URL_LIMIT),
        TEXT(score_row, "of_dialect", of.dialect, TEXT_LIMIT),
        BOOLEAN(score_row, "is_self", is_self),
        BOOLEAN(score_row, "given_prompt", given_prompt),
        INTEGER(score_row, "scorer_prompt_tokens", scorer.prompt_tokens, -1),
        INTEGER(score_row, "of_prompt_tokens", of.prompt_tokens, -1),
        COUNT(score_row, "messages", exchange.messages),
        COUNT(score_row, "system_bytes", exchange.system.bytes),
        COUNT(score_row, "system_words", exchange.system.words),
        COUNT(score_row, "scorer_us", scorer_us),
        COUNT(score_row, "of_us", of_us),
        INTEGER(score_row, "of_tokens", of_tokens, -1),
        INTEGER(score_row, "scorer_tokens", scorer_tokens, -1),
        HASH(score_row, "cluster", exchange.cluster),
        WORD(score_row, "decoding", decoding, decoding_name, 0, N_DECODINGS),
        WORD(score_row, "basis", basis, score_basis_name, 0, N_SCORE_BASES),
        COUNT(score_row, "tokens", tokens),
        COUNT(score_row, "positions", positions),
        COUNT(score_row, "tops", tops),
        COUNT(score_row, "tops_equal", tops_equal),
        COUNT(score_row, "logprobs", logprobs),
        NUMBER(score_row, "own", own),
        NUMBER(score_row, "by_scorer", by_scorer),
        NUMBER(score_row, "delta_squares", delta_squares),
        COUNT(score_row, "aligned", aligned),
        NUMBER(score_row, "k3", k3),
        NUMBER(score_row, "delta", delta),
        NUMBER(score_row, "delta_sizes", delta_sizes),
        NUMBER(score_row, "delta_max", delta_max),
        NUMBER(score_row, "ratios", ratios),
        NUMBER(score_row, "ratio_squares", ratio_squares),
        COUNT(score_row, "ratios_outside", ratios_outside),
        HISTOGRAM(score_row, "log_ratio_below", log_ratios.negative),
        HISTOGRAM(score_row, "log_ratio_above", log_ratios.positive),
        SCORE_SPAN(0, 0),
        SCORE_SPAN(1, 16),
        SCORE_SPAN(2, 64),
        SCORE_SPAN(3, 256),
        SCORE_SPAN(4, 1024),
        SCORE_SPAN(5, 4096),
        SCORE_SPAN(6, 16384),
        COUNT(score_row, "contrasts", contrasts),
        NUMBER(score_row, "contrast", contrast),
        NUMBER(score_row, "own_gaps", own_gaps),
        NUMBER(score_row, "scorer_gaps", scorer_gaps),
        NUMBER(score_row, "gap_products", gap_products),
        HISTOGRAM(score_row, "gap_sizes", gap_sizes),
        HISTOGRAM(score_row, "noise_sizes", noise_sizes),
};

static const struct row_column DRAWS_COLUMNS[] = {
        REQUIRED_ID(draws_row, "exchange", exchange),
        REQUIRED_ID(draws_row, "leg", leg),
        COLUMN(draws_row, "choice", COLUMN_INTEGER, choice, .required = true),
        NAME(draws_row, "backend", backend),
        WORD(draws_row, "role", role, role_name, ROLE_PRIMARY, ROLE_CANDIDATE + 1),
        TEXT(draws_row, "model", model, NAME_LIMIT),
        TEXT(draws_row, "replica", replica, NAME_LIMIT),
        ID(draws_row, "stack", stack),
        WORD(draws_row, "excluded", excluded, draws_exclusion_name, 1, N_DRAWS_EXCLUSIONS),
        WORD(draws_row, "lists", lists, logprobs_basis_name, 1, N_LOGPROBS_BASES),
        NUMBER(draws_row, "temperature", temperature),
        BOOLEAN(draws_row, "unasked", unasked),
        COUNT(draws_row, "seed", seed),
        COUNT(draws_row, "longest", longest),
        NUMBER(draws_row, "stated_temperature", stated.temperature),
        NUMBER(draws_row, "stated_top_k", stated.top_k),
        NUMBER(draws_row, "stated_top_p", stated.top_p),
        NUMBER(draws_row, "stated_min_p", stated.min_p),
        NUMBER(draws_row, "stated_penalty", stated.penalty),
        COUNT(draws_row, "tokens", counts.tokens),
        COUNT(draws_row, "draws", counts.draws),
        COUNT(draws_row, "filtered", counts.filtered),
        HISTOGRAM(draws_row, "chosen", counts.chosen),
        NUMBERS(draws_row, "expected", sums.expected),
        NUMBERS(draws_row, "variance", sums.variance),
        NUMBERS(draws_row, "slope", sums.slope),
        NUMBERS(draws_row, "curvature", sums.curvature),
        NUMBERS(draws_row, "head_slope", sums.head_slope),
        NUMBERS(draws_row, "head_curvature", sums.head_curvature),
        HISTOGRAM(draws_row, "cut_seen", counts.cut_seen),
        NUMBERS(draws_row, "cut", sums.cut),
        NUMBERS(draws_row, "shift_slope", sums.shift_slope),
        NUMBERS(draws_row, "shift_curvature", sums.shift_curvature),
        COUNT(draws_row, "repeats_pairs", counts.repeats_pairs),
        COUNT(draws_row, "repeats_identical", counts.repeats_identical),
        NUMBER(draws_row, "repeats_expected", repeats_expected),
};

static const struct row_column OPINION_COLUMNS[] = {
        REQUIRED_ID(opinion_row, "exchange", exchange),
        NAME(opinion_row, "base", base),
        NAME(opinion_row, "test", test),
        HASH(opinion_row, "cluster", cluster),
        NAME(opinion_row, "judge", judge),
        WORD(opinion_row, "meaning", ladder, meaning_class_name, 0, N_MEANING_CLASSES),
        BOOLEAN(opinion_row, "unfinished", unfinished),
        TEXT(opinion_row, "model", models[0], NAME_LIMIT),
        TEXT(opinion_row, "other_model", models[1], NAME_LIMIT),
        COUNT(opinion_row, "unclear", unclear),
        WORD(opinion_row, "verdict", end, opinion_end_name, 0, N_OPINION_ENDS),
};

static const struct row_column STACK_COLUMNS[] = {
        NAME(stack_row, "backend", backend),
        REQUIRED_ID(stack_row, "stack", stack),
        TEXT(stack_row, "name", name, NAME_LIMIT),
};

static const struct row_column END_COLUMNS[] = {
        COLUMN(part_end, "part", COLUMN_COUNT, part, .required = true),
        COLUMN(part_end, "of", COLUMN_COUNT, of, .required = true),
        COLUMN(part_end, "rows", COLUMN_COUNT, rows, .required = true),
        COUNT(part_end, "exchanges", counts.chosen),
        COUNT(part_end, "exchanges_absent", counts.absent),
        COUNT(part_end, "not_understood", counts.not_understood),
        COUNT(part_end, "not_read", counts.not_read),
        COUNT(part_end, "unpaired", counts.unpaired),
        COUNT(part_end, "left_out_before", counts.left_out.before),
        COUNT(part_end, "left_out_after", counts.left_out.after),
        COUNT(part_end, "left_out_where", counts.left_out.others),
        COUNT(part_end, "left_out_answers", counts.left_out.legs),
        COUNT(part_end, "repeated_prompts", repeated.prompts),
        COUNT(part_end, "repeated_pairs", repeated.pairs),
        COUNT(part_end, "repeated_unlike", repeated.unlike),
        COUNT(part_end, "segments", segments),
        COUNT(part_end, "refused_segments", refused_segments),
        COUNT(part_end, "damaged_rows", damaged_rows),
        LIST(part_end, "problems", problems),
};

#define TABLE(name, columns, is_named)                                                             \
	{                                                                                          \
		name, columns, ARRAY_LEN(columns), is_named                                        \
	}
_Static_assert(ARRAY_LEN(PAIR_COLUMNS) <= ROW_COLUMNS_LIMIT, "");

const struct row_table *row_table(enum row_type t)
{
	static const struct row_table TABLES[N_ROW_TYPES] = {
	        [PART_ROW] = TABLE("part", PART_COLUMNS, false),
	        [PAIR_ROW] = TABLE("pair", PAIR_COLUMNS, true),
	        [LEFT_OUT_ROW] = TABLE("left_out", LEFT_OUT_COLUMNS, true),
	        [FLOOR_ROW] = TABLE("floor", FLOOR_COLUMNS, true),
	        [SAMPLES_ROW] = TABLE("samples", SAMPLES_COLUMNS, false),
	        [CROSSTALK_ROW] = TABLE("crosstalk", CROSSTALK_COLUMNS, false),
	        [LEG_ROW] = TABLE("leg", LEG_COLUMNS, true),
	        [TIMES_ROW] = TABLE("times", TIMES_COLUMNS, true),
	        [SCORE_ROW] = TABLE("score", SCORE_COLUMNS, true),
	        [DRAWS_ROW] = TABLE("draws", DRAWS_COLUMNS, true),
	        [OPINION_ROW] = TABLE("opinion", OPINION_COLUMNS, false),
	        [STACK_ROW] = TABLE("stack", STACK_COLUMNS, false),
	        [END_ROW] = TABLE("end", END_COLUMNS, false),
	};
	expect(t < N_ROW_TYPES);
	return &TABLES[t];
}

void *row_members(struct row *row)
{
	/* all types share one address */
	return &row->pair;
}
