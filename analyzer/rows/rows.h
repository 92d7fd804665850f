#pragma once
/*
 * rows - the results of one exchange of a capture, as plain values. All figures are computed from
 * rows. A row has a key (which exchange, which legs) and values; it holds no text of a prompt, an
 * answer or a right answer.
 *
 *	pair_row      two answers to one request that were compared
 *	left_out_row  two legs that can't be compared, and why
 *	floor_row     two greedy answers of one engine: its own noise
 *	leg_summary   what one leg shows by itself
 *	times_row     when the tokens of one leg came, for a sample of the legs
 *	score_row     one engine's probabilities for the tokens of another one's answer
 *	draws_row     how the tokens of one sampled answer were drawn (draws_row.h)
 *	opinion_row   a judge's result for two answers (analyzer/opinions)
 *	stack_row     a stack that legs were made under
 *	samples_row   all sampled answers to one request
 *	crosstalk_row an answer that contains words of other exchanges
 *
 * In a file, part_row begins a part and part_end ends it.
 *
 * To add a type of row: its struct and its place in struct row (here), its table (row_columns.c),
 * the code that makes it (walk.c or exchange_rows.c), and a case in fold_row().
 *
 * Names are borrowed: they live until the row is folded.
 */
#include "analyzer/compare/comparison.h"
#include "analyzer/compare/embedding.h"
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
#define ROW_BACKEND_LIMIT 128 /* bytes, as they are written */
#define ROW_URL_LIMIT 256
#define ROW_CAPTURE_SIZE 16

/* A backend's name, safe for a terminal (it comes from a file): "(unnamed)" if it has none, or one
 * that is not printable ASCII. */
const char *names_of_backend(const struct leg_row *leg);
/* Returns the name, or NULL if it is missing or the generic dialect's: then the dialect is not
 * known. */
const char *names_of_dialect(const char *name);

/* The members that all rows of one exchange share. */
struct row_exchange {
	struct id id;
	uint8_t cluster
	        /* answers of one session (or of one prompt, if there is no session) form a
	         * cluster */
	        [ROW_CLUSTER_SIZE];
	/* only its legs are in the capture; then the members below are not known */
	bool absent;
	enum endpoint endpoint;
	bool streamed;
	const char *model, *suite, *category; /* NULL: none */
	const char *question;                 /* the kind of answer that the prompt asks for */
	uint32_t messages;                    /* of a chat; 0: no chat, or sent as one prompt */
	struct system_text system;
};

/* One leg of a pair. */
struct row_side {
	struct id leg;
	const char *name;    /* the side's name in its group */
	const char *backend; /* NULL: same as the name; "": not known */
	const char *url;     /* NULL: not known */
	enum role role;
	const char *dialect; /* NULL: not known */
	struct id stack;     /* zero: not known */
	const char *replica; /* NULL: not known */
	uint64_t start_ns;   /* wall clock; 0: not known */
	uint32_t in_flight;  /* requests in flight to this backend at its start; 0: not known */
	int64_t prompt_tokens, cached_tokens; /* -1: not known */
	/* tokens do not spell the text; token counts contradict each other */
	bool misspelt, contradictory;
	bool injected,
	        /* plumbline asked for logprobs or usage; the engine refused them */
	        injection_refused;
	/* the repetition penalty that the engine applies by default, as it states, and that no
	 * request asked for; 0: none */
	double default_penalty;
};

struct pair_row {
	struct row_exchange exchange;
	struct row_side base, test;
	bool is_floor; /* both answers are of one engine */
	/* this is the first row of these two legs, which have one row per choice; figures of
	 * legs are counted only in it */
	bool is_first;
	bool redacted;    /* the request or an answer was redacted */
	bool has_choices; /* false: only members about legs are set */
	int32_t choice;   /* the choice's index in both answers */
	/* choices of the legs without a counterpart; in the first row only */
	uint32_t unmatched_choices;
	bool has_embeddings; /* in the first row only */
	struct embedding_figures embeddings;
	struct decoding_reason unlike; /* for DECODING_UNLIKE: the reason */
	bool has_seed;                 /* sampled, with the same seed on both sides */
	int64_t seed;
	struct comparison c;
};

/* A number that identifies the pair, the same in every run. */
uint64_t pair_row_key(const struct pair_row *row);

/* True if both engines counted the prompt's tokens and got different numbers: then they answered
 * different prompts. */
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
	bool base_failed, test_failed; /* this side's engine failed to give an answer */
	bool has_metadata;             /* one answer has only metadata */
	struct metadata_pair metadata;
};

enum floor_of { FLOOR_OF_PAIR, FLOOR_OF_BASE, FLOOR_OF_TEST, N_FLOORS };
const char *floor_of_name(enum floor_of f); /* "pair" */

/*
 * Two greedy answers of one engine to one prompt, compared to measure its noise: the noise of the
 * base or of the test in the group with these names. If the two answers come from a repeated
 * prompt, the group's own pairs on that prompt have rows of this type as well (FLOOR_OF_PAIR), for
 * comparison.
 */
struct floor_row {
	struct id exchange;
	struct id leg, other_leg; /* the two legs */
	int32_t choice;
	uint8_t cluster[ROW_CLUSTER_SIZE];
	const char *base, *test; /* names of the group */
	enum floor_of of;
	bool of_repeats; /* answers to a repeated prompt, not second legs */
	struct pair_facts facts;
	double noise; /* as in struct cause_signs; 0 if the prompts differ */
	uint64_t noise_n;
};

enum leg_end {
	LEG_END_COMPLETE,
	LEG_END_CUT, /* ended by the client or by our own shutdown: not a failure */
	LEG_END_FAILED,
	N_LEG_ENDS,
};
const char *leg_end_name(enum leg_end e);

/* The alternatives that a client's answer has for each token, by who asked for them. */
enum leg_lists {
	LEG_LISTS_OTHER,    /* the client, or no client's chat or completion */
	LEG_LISTS_NONE,     /* nobody: it has none */
	LEG_LISTS_ORDINARY, /* plumbline */
	LEG_LISTS_AUDIT,    /* plumbline: the longer lists of logprobs.audit */
	N_LEG_LISTS,
};
const char *leg_lists_name(enum leg_lists l);

/* A leg that was asked for an answer: not a score, a grade or a judge's reply. Times are
 * microseconds from its start; UINT64_MAX: this point was not reached. */
struct leg_summary {
	struct id exchange, leg, run;
	/* number of the pass within the run: each repeat of each suite has its own */
	uint64_t pass;
	const char *backend;
	enum role role;
	enum leg_end end;
	char failure[FLAW_TEXT_SIZE]; /* if it failed: why, in words; else "" */
	bool streamed;                /* the answer is server-sent events */
	bool of_client;               /* the primary's answer to a client's chat or completion */
	bool injected;                /* plumbline asked for logprobs or usage in addition */
	enum leg_lists lists;
	bool mirrored;     /* if of_client: another backend got a copy of the request */
	uint64_t start_ns; /* wall clock */
	uint64_t queued_us, first_content_us, end_us;
	uint64_t body_bytes;
	int64_t prompt_tokens, completion_tokens, cached_tokens; /* -1: not known */
};

#define TIMES_GAP_BINS 384 /* leg_rows.h */

/* When the tokens of one complete leg came. Microseconds; UINT64_MAX: not known. */
struct times_row {
	struct id leg;
	const char *backend;
	uint64_t ttft_us, tpot_us, e2e_us;
	uint64_t gaps[TIMES_GAP_BINS]; /* histogram of the times between events with tokens */
};

enum score_result {
	SCORE_COUNTS,
	SCORE_UNREADABLE, /* parts missing or damaged */
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
/* The logarithm of a ratio of probabilities is limited to this value. */
#define SCORE_LOG_RATIO_LIMIT 11.0

/* Whether the answer's tokens were drawn from the probabilities that its engine states. */
enum score_basis {
	SCORE_AS_DRAWN,    /* yes, as far as the request and the engine's stated defaults show */
	SCORE_GREEDY,      /* no: nothing was drawn */
	SCORE_TEMPERATURE, /* no: raw logprobs, and the temperature is not 1 */
	SCORE_FILTERED,    /* no: raw logprobs, and top-k, top-p or min-p was in force */
	SCORE_PENALISED,   /* no: raw logprobs, and a penalty was in force */
	/* not known: the logprobs may include temperature, truncation or penalties */
	SCORE_MIXED,
	/* yes, but the scores belong to other probabilities: these logprobs include temperature,
	 * truncation or penalties, and scores never do */
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

/* One scored leg. Figures are 0 unless the result is SCORE_COUNTS; for SCORE_ORPHAN the answer's
 * side is not known. */
struct score_row {
	struct id exchange, leg; /* the leg of the scorer */
	const char *scorer;      /* names of sides in their groups */
	enum role scorer_role;
	const char *scorer_url, *scorer_dialect; /* NULL: not known */
	enum score_result result;
	const char *of;
	enum role of_role;
	struct id of_leg;
	const char *of_url, *of_dialect;
	bool is_self; /* one engine scores its own answer */
	/* Time of the scorer, and of the engine that generated the answer: from sending to the last
	 * byte. */
	uint64_t scorer_us, of_us;
	int64_t of_tokens;     /* of the answer, from its usage; -1: not known */
	int64_t scorer_tokens; /* of prompt and answer, as the scorer reports; -1: not known */
	uint8_t cluster[ROW_CLUSTER_SIZE];
	enum decoding decoding; /* how the answer was decoded */
	enum score_basis basis;
	uint64_t tokens;    /* of the answer */
	uint64_t positions; /* tokens for which the scorer has a token with the same bytes */
	uint64_t tops,
	        /* tops: positions where the scores contain the most probable token; tops_equal:
	         * those of them where the answer's token is that one */
	        tops_equal;
	/* positions with a logprob on both sides; the next three are sums over these positions */
	uint64_t logprobs;
	double own, by_scorer; /* logprobs */
	double delta_squares;  /* (own - scorer's)^2 */
	/* Of these positions, those before the first place where the scorer's tokenizer splits
	 * the answer's text differently. The following figures are over these, with d = scorer's
	 * logprob - own logprob: */
	uint32_t aligned;
	double k3;          /* exp(d) - 1 - d */
	double delta;       /* d */
	double delta_sizes; /* |d| */
	double delta_max;   /* the largest |d| */
	/* exp(d) and its square, d limited to SCORE_LOG_RATIO_LIMIT */
	double ratios, ratio_squares;
	uint64_t ratios_outside;            /* exp(d) below 1/2 or above 2 */
	struct signed_histogram log_ratios; /* d */
	struct position_sum sizes_at[SCORE_SPANS], k3_at[SCORE_SPANS]; /* |d| and k3 by position */
	/* For positions with lists on both sides (compare/tokens/score_contrast.h), if the
	 * request asked for no penalty: how far, in nats, the engine of the answer moves tokens
	 * that already stood in the answer. contrast: the sum over `contrasts` positions. */
	uint64_t contrasts;
	double contrast;
	/* If the request asked for temperature 1 or for none: sums of the squares of both sides'
	 * gaps, and of the products of the two. */
	double own_gaps, scorer_gaps, gap_products;
	/* Empty if the logprobs may belong to other probabilities. gap_sizes: the gap between
	 * the scorer's two most probable tokens; noise_sizes: how much the same gap differs in
	 * the lists of the answer's engine (first_noise()). */
	struct log_histogram gap_sizes, noise_sizes;
};

/* A stack under which a backend answered. */
struct stack_row {
	const char *backend;
	struct id stack;
	const char *
	        /* "vllm 0.32.0, from 2026-03-01 12:03 UTC"; NULL: the capture does not tell */
	        name;
};

struct samples_row {
	const char *base, *test; /* names of the group */
	struct two_sample_result result;
};

struct crosstalk_row {
	struct id exchange;
	const char *base, *test; /* names of the group */
	bool of_base;            /* the answer is the base's; false: the test's */
	bool under_way;          /* has words of an exchange that was in flight at the same time */
	/* has words of other exchanges around, but of none that was in flight at the same time */
	bool elsewhere;
	/* The other side's answer has words of the exchanges that were in flight with this one. */
	bool control;
	/* of the exchanges around, the share that was in flight at the same time */
	double chance;
	bool greedy;
};

/* Counts of exchanges by outcome. Add with COUNTS_ADD(). */
struct exchange_counts {
	uint64_t chosen;
	uint64_t absent;         /* only their legs are in the capture */
	uint64_t not_understood; /* of an endpoint that plumbline does not know */
	/* of an endpoint whose answers are stored as bytes only */
	uint64_t not_read;
	uint64_t unpaired;                /* known, but without two legs to compare */
	struct selection_counts left_out; /* not selected; in no other count */
};

/* Counts of answers to repeated prompts. Add with COUNTS_ADD(). */
struct repeat_counts {
	uint64_t prompts; /* prompts that a backend answered twice under the same condition */
	uint64_t pairs;   /* pairs of such answers that were compared */
	/* pairs that were not compared: the requests differed in more than the prompt */
	uint64_t unlike;
};

struct text_list {
	const char *const *items;
	size_t n;
};

/*
 * The exchanges of a capture are divided into parts by the hash of their prompts, so that all
 * answers to an exchange and all repeats of a prompt are in one part. The parts of one capture have
 * equal members, except the number.
 */
struct part_row {
	uint32_t version;  /* ROWS_VERSION of the writer */
	uint32_t part, of; /* from 1 */
	/* Identifies the content of the whole capture at the time when the part was begun:
	 * captures with equal exchanges and legs have equal values. */
	uint8_t capture[ROW_CAPTURE_SIZE];
	struct text_list captures; /* their directories, as given on the command line */
	struct text_list backends; /* "NAME URL": the backends in the capture's settings */
	/* The selection on the command line. */
	const char *base, *test; /* NULL: by role */
	struct text_list where;
	uint64_t since_ns, until_ns; /* as in struct selection */
	enum slice_by by;
};

/* Ends the rows of a part that are written to a file. */
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
