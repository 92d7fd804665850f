#pragma once
/*
 * rows - the results of one exchange of a capture, as plain values. All figures are computed from
 * rows. A row has a key (which exchange, which legs) and values; it has no text of a prompt, an
 * answer or a right answer.
 *
 *	pair_row      two answers to one request that were compared
 *	left_out_row  two legs that can't be compared, and why
 *	floor_row     two greedy answers of one engine: its own noise
 *	leg_summary   what one leg shows by itself
 *	times_row     when the tokens of one leg came, for a sample of the legs
 *	score_row     one engine's probabilities for the tokens of an answer, which another engine,
 *	              or the same one, generated
 *	draws_row     how the tokens of one sampled answer were drawn (draws_row.h)
 *	opinion_row   a judge's result for two answers (opinions/opinions.h)
 *	stack_row     a stack under which legs were made
 *	samples_row   the two-sample test of all sampled answers to one request
 *	crosstalk_row an answer that has words of other exchanges, or whose control has some
 *
 * In a file, part_row begins a part and part_end ends it.
 *
 * To add a type of row: its struct and its place in struct row (here), its table (row_columns.c),
 * the code that makes it (capture_walk.c or exchange_rows.c), and a case in fold_row().
 *
 * The maker of a row owns its texts; they live until the sink (row_sink.h) returns.
 */
#include "analyzer/compare/comparison.h"
#include "analyzer/compare/embedding_figures.h"
#include "analyzer/rows/draws_row.h"
#include "analyzer/rows/partial_content.h"
#include "analyzer/rows/left_out.h"
#include "analyzer/opinions/opinions.h"
#include "analyzer/rows/selection.h"
#include "analyzer/stats/two_sample.h"
#include "analyzer/rows/slice.h"
#include "capture/capture.h"
#include "answers/flaw.h"

#define ROW_CLUSTER_SIZE 16
#define ROW_BACKEND_LIMIT 128 /* bytes; longer names are cut */
#define ROW_URL_LIMIT 256
#define ROW_CAPTURE_SIZE 16

/* A backend's name, safe for a terminal. "(unnamed)": it has none, or one that is not printable
 * ASCII. */
const char *names_of_backend(const struct leg_row *leg);
/* The name of a dialect. NULL: the dialect is unknown, since the name is missing or "generic". */
const char *names_of_dialect(const char *name);

/* The members that all rows of one exchange share. */
struct row_exchange {
	struct id id;
	/* answers of one session (or of one prompt, if there is no session) form a cluster */
	uint8_t cluster[ROW_CLUSTER_SIZE];
	/* only its legs are in the capture, so the members below are unknown */
	bool absent;
	enum endpoint endpoint;
	bool streamed;
	const char *model, *suite, *category; /* NULL: none */
	const char *question;                 /* the kind of answer that the prompt asks for */
	/* messages of a chat; 0: it is no chat, or was sent as one prompt */
	uint32_t messages;
	struct system_text system;
};

/* One leg of a pair. */
struct row_side {
	struct id leg;
	/* the side's name: that of the backend, with its slice or as the user labelled the run */
	const char *name;
	const char *backend; /* name of the backend; NULL: the same as `name`; "": unknown */
	const char *url;     /* NULL: not known */
	enum role role;
	const char *dialect; /* NULL: not known */
	struct id stack;     /* zero: unknown */
	const char *replica; /* NULL: not known */
	uint64_t start_ns;   /* wall clock; 0: unknown */
	/* requests in flight to the backend when the leg began, this one included; 0: unknown */
	uint32_t in_flight;
	int64_t prompt_tokens, cached_tokens; /* -1: not known */
	/* misspelt: the answer's tokens do not spell its text. contradictory: the answer's token
	 * counts contradict each other. */
	bool misspelt, contradictory;
	/* injected: plumbline added members for logprobs or usage to the request (of the primary
	 * only). injection_refused: the engine refused them. */
	bool injected, injection_refused;
	/* The engine's default repetition penalty, as the engine states it. 0: no penalty, or the
	 * request sets its own. */
	double default_penalty;
};

/* The name of the side's backend; "": unknown. */
static inline const char *row_side_backend(const struct row_side *s)
{
	return s->backend ? s->backend : s->name;
}

struct pair_row {
	struct row_exchange exchange;
	struct row_side base, test;
	bool is_floor; /* both answers are of one engine */
	/* Two legs have one row for each choice. True for the first of these rows; figures of legs
	 * must use only this row. */
	bool is_first;
	bool redacted;    /* the request or an answer was redacted */
	bool has_choices; /* false: only the members about legs are set */
	int32_t choice;   /* the choice's index in both answers */
	/* choices that only one leg has; a figure of legs (is_first) */
	uint32_t unmatched_choices;
	bool has_embeddings; /* a side gave vectors; a figure of legs (is_first) */
	struct embedding_figures embeddings;
	struct decoding_reason unlike; /* the reason for DECODING_UNLIKE */
	/* the answers are sampled, with the same seed on both sides */
	bool has_seed;
	int64_t seed;
	struct comparison c;
};

/* A number that identifies the pair, the same in every run. */
uint64_t pair_row_key(const struct pair_row *row);

/* True if both engines state how many tokens the prompt has, and the numbers differ. Then they
 * answered different prompts. */
static inline bool pair_row_prompts_differ(const struct pair_row *row)
{
	return row->base.prompt_tokens >= 0 && row->test.prompt_tokens >= 0 &&
	       row->base.prompt_tokens != row->test.prompt_tokens;
}

struct left_out_row {
	struct row_exchange exchange;
	struct row_side base, test;
	bool is_floor, redacted;
	struct left_out_why why;
	bool failed[N_SIDES]; /* left_out_leg_has_failed() of this side */
	bool has_metadata;    /* one answer has only metadata */
	struct metadata_pair metadata;
};

enum floor_of { FLOOR_OF_PAIR, FLOOR_OF_BASE, FLOOR_OF_TEST, N_FLOORS };
const char *floor_of_name(enum floor_of f); /* "pair" */

/*
 * Two greedy answers of one engine to one prompt, compared to measure the engine's noise. The names
 * `base` and `test` are those of the group that the row is for; `of` says which of these two the
 * engine is. If the two answers come from a repeated prompt, the group's own pairs on that prompt
 * have rows of this type as well (FLOOR_OF_PAIR), for comparison.
 */
struct floor_row {
	struct id exchange;
	struct id leg, other_leg; /* the two legs */
	int32_t choice;
	uint8_t cluster[ROW_CLUSTER_SIZE];
	const char *base, *test; /* names of both sides of the group */
	enum floor_of of;
	bool of_repeats; /* the answers are to a repeated prompt, not second legs */
	struct pair_facts facts;
	double noise; /* as in struct cause_signs; 0 if pair_row_prompts_differ() */
	uint64_t noise_n;
};

enum leg_end {
	LEG_END_COMPLETE,
	LEG_END_CUT, /* the client or plumbline's own stop ended it: not a failure */
	LEG_END_FAILED,
	N_LEG_ENDS,
};
const char *leg_end_name(enum leg_end e);

/* Who requested the lists of alternatives in the primary's answer to a chat or completion. */
enum leg_lists {
	LEG_LISTS_OTHER,    /* the client; or this is no such answer */
	LEG_LISTS_NONE,     /* nobody */
	LEG_LISTS_ORDINARY, /* plumbline */
	LEG_LISTS_AUDIT,    /* plumbline, for the longer lists of logprobs.audit */
	N_LEG_LISTS,
};
const char *leg_lists_name(enum leg_lists l);

/* A leg that holds an answer, not a score, a grade or a judge's reply. Times are microseconds
 * from the start of the leg; UINT64_MAX: this point was not reached. */
struct leg_summary {
	struct id exchange, leg, run;
	/* identifies the pass within the run: a hash of the suite's name and the number of the
	 * repeat */
	uint64_t pass;
	const char *backend;
	enum role role;
	enum leg_end end;
	char failure[FLAW_TEXT_SIZE]; /* if it failed: why, in words; if not: "" */
	bool streamed;                /* the answer is server-sent events */
	bool of_client;               /* the primary's answer to a chat or completion */
	bool injected;                /* plumbline added members for logprobs or usage */
	enum leg_lists lists;
	bool mirrored;     /* the primary's answer, and another backend got a copy of the request */
	uint64_t start_ns; /* wall clock */
	uint64_t queued_us, first_content_us, end_us;
	uint64_t body_bytes;
	int64_t prompt_tokens, completion_tokens, cached_tokens; /* -1: not known */
};

#define TIMES_GAP_BINS 384 /* see times_gap_bin() */

/* When the tokens of one complete leg came, as vLLM's benchmark defines these times.
 * Microseconds; UINT64_MAX: unknown. */
struct times_row {
	struct id leg;
	const char *backend;
	/* from the start to the first token; from token to token, on average; to the last token */
	uint64_t ttft_us, tpot_us, e2e_us;
	uint64_t gaps[TIMES_GAP_BINS]; /* times between two events with tokens */
};

enum score_result {
	SCORE_COUNTS,
	SCORE_UNREADABLE, /* parts are missing or damaged */
	SCORE_WITHOUT,    /* the answer was recorded without its own logprobs */
	SCORE_UNMATCHED,  /* no token of the answer matches a scored token */
	SCORE_ORPHAN,     /* the answer is not in the capture */
	N_SCORE_RESULTS,
};
const char *score_result_name(enum score_result r);

/* The tokens of an answer are divided by position: span i begins at SCORE_SPAN_AT(i) and ends
 * before SCORE_SPAN_AT(i + 1). */
#define SCORE_SPANS 7
#define SCORE_SPAN_AT(i)                                                                           \
	((i) == 0 ? UINT64_C(0) : UINT64_C(4) << (2 * (i))) /* 0, 16, 64, 256 ... */
/* The logarithm of a ratio of probabilities is at most this value. */
#define SCORE_LOG_RATIO_LIMIT 11.0

/* Were the answer's tokens drawn from the probabilities that its engine states? */
enum score_basis {
	SCORE_AS_DRAWN,    /* yes, as far as the request and the engine's stated defaults show */
	SCORE_GREEDY,      /* no: nothing was drawn */
	SCORE_TEMPERATURE, /* no: raw logprobs, and the temperature is not 1 */
	SCORE_FILTERED,    /* no: raw logprobs, and top-k, top-p or min-p was in force */
	SCORE_PENALISED,   /* no: raw logprobs, and a penalty was in force */
	/* unknown: the logprobs may include temperature, truncation or penalties */
	SCORE_MIXED,
	/* yes, but the scores are of other probabilities: the answer's logprobs include
	 * temperature, truncation or penalties, and scores never do */
	SCORE_PROCESSED,
	N_SCORE_BASES,
};
const char *score_basis_name(enum score_basis b);
static inline bool score_basis_is_drawn(enum score_basis b)
{
	return b == SCORE_AS_DRAWN || b == SCORE_PROCESSED;
}
/* True if the logprobs are of the same probabilities as scores: the model's own. */
static inline bool score_basis_is_comparable(enum score_basis b)
{
	return b != SCORE_MIXED && b != SCORE_PROCESSED;
}

/* One leg that scored another leg's answer. "Own" is what the engine that generated the answer
 * states. Figures are 0 unless the result is SCORE_COUNTS. For SCORE_ORPHAN, nothing is known
 * about the side of the answer. */
struct score_row {
	/* In files, only id, cluster, messages and system are kept. */
	struct row_exchange exchange;
	/* In files, only names, leg, URL, role, dialect and prompt_tokens are kept. The scorer's
	 * prompt_tokens: number of tokens before the answer; -1: unknown, or given_prompt. */
	struct row_side scorer, of;
	enum score_result result;
	bool is_self; /* one engine scores its own answer */
	/* The scores come after the prompt tokens that were recorded with the answer, instead of
	 * the scorer's own. */
	bool given_prompt;
	/* Microseconds from sending to the last byte, of the scorer and of the engine that
	 * generated the answer. */
	uint64_t scorer_us, of_us;
	int64_t of_tokens;      /* tokens of the answer, from its usage; -1: unknown */
	int64_t scorer_tokens;  /* tokens of prompt and answer, as the scorer states; -1: unknown */
	enum decoding decoding; /* how the answer was decoded */
	enum score_basis basis;
	uint64_t tokens; /* tokens of the answer */
	/* tokens that the scorer has, too, with the same bytes at the same place */
	uint64_t positions;
	/* positions where the scores contain the scorer's most probable token; of these, those
	 * where it is the answer's token */
	uint64_t tops, tops_equal;
	/* positions with a logprob on both sides; the next three members are sums over them */
	uint64_t logprobs;
	double own, by_scorer; /* logprobs by the answer's engine, by the scorer */
	double delta_squares;  /* squares of (own - by_scorer) */
	/* How many of these positions come before the first place at which the scorer's tokenizer
	 * splits the answer's text differently (aligned tokens). The following members are sums
	 * over the aligned tokens, with d = the scorer's logprob - own logprob: */
	uint32_t aligned;
	double k3;          /* exp(d) - 1 - d */
	double delta;       /* d */
	double delta_sizes; /* |d| */
	double delta_max;   /* the largest |d| */
	/* exp(d) and its square, d limited to SCORE_LOG_RATIO_LIMIT */
	double ratios, ratio_squares;
	/* positions with exp(d) below 1/2 or above 2 */
	uint64_t ratios_outside;
	struct signed_histogram log_ratios;                            /* d */
	struct position_sum sizes_at[SCORE_SPANS], k3_at[SCORE_SPANS]; /* |d| and k3 by span */
	/* Sum of score_contrast.moved over `contrasts` positions, nats. Only if the request asked
	 * for no penalty. */
	uint64_t contrasts;
	double contrast;
	/* Sums of the squares of own_gap and of scorer_gap (score_contrast.h), and of their
	 * products. Only if the request asked for temperature 1 or for none. */
	double own_gaps, scorer_gaps, gap_products;
	/* gap_sizes: the gap between the scorer's two most probable tokens. noise_sizes: how
	 * much this gap differs in the lists of the answer's engine (first_noise()). Both are
	 * empty unless score_basis_is_comparable(). */
	struct log_histogram gap_sizes, noise_sizes;
};

/* A stack under which a backend answered. */
struct stack_row {
	const char *backend;
	struct id stack;
	/* "vllm 0.32.0, from 2026-03-01 12:03 UTC"; NULL: unknown */
	const char *name;
};

struct samples_row {
	const char *base, *test; /* names of both sides of the group */
	struct two_sample_result result;
};

struct crosstalk_row {
	struct id exchange;
	const char *base, *test; /* names of both sides of the group */
	bool of_base;            /* the answer is the base's; false: the test's */
	bool under_way; /* the answer has words of an exchange in flight at the same time */
	/* the answer has words of other exchanges around, but of none in flight at the same time */
	bool elsewhere;
	/* The other side's answer has words of the exchanges that were in flight with this one. */
	bool control;
	/* share of the exchanges around that were in flight at the same time */
	double chance;
	bool greedy;
};

/* Numbers of selected exchanges: all, and those with a property; one exchange may have several.
 * Add with COUNTS_ADD(). */
struct exchange_counts {
	uint64_t chosen;
	uint64_t absent;         /* those of which only the legs are in the capture */
	uint64_t not_understood; /* those of an endpoint that plumbline does not know */
	/* those of an endpoint whose answers plumbline stores, but does not read */
	uint64_t not_read;
	uint64_t unpaired; /* those of other endpoints without two legs to compare */
	/* what was not selected; in no other count */
	struct selection_counts left_out;
};

/* Counts of repeated prompts (repeats.h). Add with COUNTS_ADD(). */
struct repeat_counts {
	uint64_t prompts; /* prompts that a backend answered twice under the same condition */
	uint64_t pairs;   /* pairs of such answers that were compared */
	/* pairs that were not compared, because the requests differ in more than the prompt */
	uint64_t unlike;
};

struct text_list {
	const char *const *items;
	size_t n;
};

/*
 * The first row of a part. The exchanges of a capture are divided into parts by the hash of their
 * prompts, so that all answers to an exchange and all repeats of a prompt are in one part. A reader
 * refuses a part if its version, `of`, `capture` or selection is not that of the parts before.
 */
struct part_row {
	uint32_t version;  /* ROWS_VERSION of the writer */
	uint32_t part, of; /* part number `part` (from 1) of `of` parts */
	/* Identifies the content of the whole capture when the part was begun: captures with
	 * equal exchanges and legs have equal values. */
	uint8_t capture[ROW_CAPTURE_SIZE];
	struct text_list captures; /* directories, as given on the command line */
	struct text_list backends; /* "NAME URL" for each backend in the capture's settings */
	/* The selection on the command line. */
	const char *base, *test; /* NULL: by role */
	struct text_list where;
	uint64_t since_ns, until_ns; /* see struct selection */
	enum slice_by by;
};

/* The last row of a part in a file. */
struct part_end {
	uint32_t part, of;
	uint64_t rows; /* rows between the part's first row and this one */
	/* Of the part: */
	struct exchange_counts counts;
	struct repeat_counts repeated;
	/* Of the whole capture: */
	uint64_t segments, refused_segments, damaged_rows;
	struct text_list problems; /* sentences */
};

enum row_type {
	PART_ROW, /* begins a part */
	PAIR_ROW,
	LEFT_OUT_ROW,
	FLOOR_ROW,
	SAMPLES_ROW,
	CROSSTALK_ROW,
	LEG_ROW,
	TIMES_ROW,
	SCORE_ROW,
	DRAWS_ROW,
	OPINION_ROW,
	STACK_ROW,
	END_ROW, /* ends a part */
	N_ROW_TYPES,
};

struct row {
	enum row_type type;
	union {
		struct part_row part;
		struct pair_row pair;
		struct left_out_row left_out;
		struct floor_row floor;
		struct samples_row samples;
		struct crosstalk_row crosstalk;
		struct leg_summary leg;
		struct times_row times;
		struct score_row score;
		struct draws_row draws;
		struct opinion_row opinion;
		struct stack_row stack;
		struct part_end end;
	};
};
