#pragma once
/*
 * rows - what one exchange of a capture says, as plain values: the only thing that figures are made
 * of. A row says what it is of and what was found; it holds no text of a prompt, an answer or a
 * right answer.
 *
 *	pair_row      two answers to one request that were compared
 *	left_out_row  two legs that can't be compared, and why
 *	floor_row     two greedy answers of one engine, as what it differs from itself
 *	leg_summary   what one leg shows by itself
 *	times_row     when the tokens of one leg came, for a sample of the legs
 *	score_row     what one engine says of the tokens that another one gave
 *	draws_row     how the tokens of one sampled answer were drawn (draws_row.h)
 *	opinion_row   what a judge says of two answers (analyzer/opinions)
 *	stack_row     a stack that legs were made under
 *	samples_row   all sampled answers to one request
 *	crosstalk_row an answer that says words of other exchanges
 *
 * part_row and part_end stand around those of a part that are written to a file.
 *
 * To add a type of row: its struct and its place in struct row (here), its table (row_columns.c),
 * what makes it (walk.c or exchange_rows.c), and fold_row().
 *
 * Names are borrowed: they live until the row was folded.
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

/* A backend's name as it may go to a terminal, for it comes from a file: "(unnamed)" for what has
 * none, or one that is not printable ASCII. */
const char *names_of_backend(const struct leg_row *leg);
/* NULL where it is not known which one it is. */
const char *names_of_dialect(const char *name);

/* What all rows of one exchange have in common. */
struct row_exchange {
	struct id id;
	uint8_t cluster
	        [ROW_CLUSTER_SIZE]; /* answers that go together: of a session, else of a prompt */
	bool absent;                /* known from its legs alone; then what follows is not known */
	enum endpoint endpoint;
	bool streamed;
	const char *model, *suite, *category; /* NULL: none */
	const char *question;                 /* what kind of answer the prompt asks for */
	uint32_t messages; /* of a chat; 0: it is none, or was sent as one prompt */
	struct system_text system;
};

/* One leg of a pair. */
struct row_side {
	struct id leg;
	const char *name;    /* of its group */
	const char *backend; /* NULL: as the name; "": not known */
	const char *url;     /* NULL: not known */
	enum role role;
	const char *dialect; /* NULL: not known */
	struct id stack;     /* zero: not known */
	const char *replica; /* NULL: not known */
	uint64_t start_ns;   /* wall clock; 0: not known */
	uint32_t in_flight;  /* requests of this backend at its start; 0: not known */
	int64_t prompt_tokens, cached_tokens; /* -1: not known */
	bool misspelt, contradictory;         /* tokens that do not spell the text; such a usage */
	bool injected,
	        injection_refused; /* logprobs or usage were asked for, or would not be given */
	double default_penalty;    /* that the engine states and nobody asked for; 0: none */
};

struct pair_row {
	struct row_exchange exchange;
	struct row_side base, test;
	bool is_floor; /* both are of one engine */
	bool is_first; /* of the rows of these legs, one a choice: what is of legs is counted once */
	bool redacted;              /* the request, or an answer */
	bool has_choices;           /* else only what is of legs */
	int32_t choice;             /* index of both */
	uint32_t unmatched_choices; /* of the legs; in the first row */
	bool has_embeddings;        /* likewise */
	struct embedding_figures embeddings;
	struct decoding_reason unlike; /* of DECODING_UNLIKE: why */
	bool has_seed;                 /* sampled, with one seed on both sides */
	int64_t seed;
	struct comparison c;
};

/* A number that names the pair, the same in every run. */
uint64_t pair_row_key(const struct pair_row *row);

/* Both engines counted the prompt's tokens, and not the same number: then the answers are to
 * unlike prompts. */
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
	bool base_failed, test_failed; /* by the engine's doing */
	bool has_metadata;             /* one answer is metadata alone */
	struct metadata_pair metadata;
};

enum floor_of { FLOOR_OF_PAIR, FLOOR_OF_BASE, FLOOR_OF_TEST, N_FLOORS };
const char *floor_of_name(enum floor_of f); /* "pair" */

/*
 * Two greedy answers of one engine to one prompt, compared to measure its noise: that of the base
 * or the test of the group with these names. Where the answers come from a prompt that was asked
 * again, the pairs of the group on that prompt have such rows too (FLOOR_OF_PAIR), to be compared
 * with.
 */
struct floor_row {
	struct id exchange;
	struct id leg, other_leg; /* that were compared */
	int32_t choice;
	uint8_t cluster[ROW_CLUSTER_SIZE];
	const char *base, *test; /* names of the group */
	enum floor_of of;
	bool of_repeats; /* of answers to one prompt that came again, not of second legs */
	struct pair_facts facts;
	double noise; /* as in struct cause_signs; 0 where the prompts differ */
	uint64_t noise_n;
};

enum leg_end {
	LEG_END_COMPLETE,
	LEG_END_CUT, /* by the client, or by our own shutdown: no failure */
	LEG_END_FAILED,
	N_LEG_ENDS,
};
const char *leg_end_name(enum leg_end e);

/* A leg that was asked for an answer: no score, grade or judge's reply. Times are microseconds
 * from its start; UINT64_MAX: it never came so far. */
struct leg_summary {
	struct id exchange, leg, run;
	uint64_t pass; /* of its run: a number for one repeat of one suite */
	const char *backend;
	enum role role;
	enum leg_end end;
	char failure[FLAW_TEXT_SIZE]; /* of a failed one, in words; else "" */
	bool streamed;                /* the answer is server-sent events */
	bool of_client;               /* the primary's answer to a chat or completion */
	bool injected;     /* logprobs or usage were asked for beside what the client asked */
	bool mirrored;     /* of_client: another backend got a copy of the request */
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
	uint64_t gaps[TIMES_GAP_BINS]; /* between events with tokens */
};

enum score_result {
	SCORE_COUNTS,
	SCORE_UNREADABLE, /* parts missing or damaged */
	SCORE_WITHOUT,    /* the answer was recorded without logprobs of its own */
	SCORE_UNMATCHED,  /* no token of the answer is a scored one */
	SCORE_ORPHAN,     /* the answer is not in the capture */
	N_SCORE_RESULTS,
};
const char *score_result_name(enum score_result r);

/* Tokens of an answer by their position: from SCORE_SPANS_AT(i) up to the next one. */
#define SCORE_SPANS 7
#define SCORE_SPAN_AT(i)                                                                           \
	((i) == 0 ? UINT64_C(0) : UINT64_C(4) << (2 * (i))) /* 0, 16, 64, 256 ... */
/* Ratios of probabilities count as e to this power at most. */
#define SCORE_LOG_RATIO_LIMIT 11.0

/* Were the answer's tokens drawn from the probabilities that its engine states? */
enum score_basis {
	SCORE_AS_DRAWN,    /* as far as the request and the engine's own words tell */
	SCORE_GREEDY,      /* no: nothing was drawn */
	SCORE_TEMPERATURE, /* no: raw logprobs, at another temperature than 1 */
	SCORE_FILTERED,    /* no: raw logprobs, and top-k, top-p or min-p was in force */
	SCORE_PENALISED,   /* no: raw logprobs, and a penalty was in force */
	SCORE_MIXED,       /* not known: temperature, cuts or penalties may be in the logprobs */
	/* Yes, but scores are of other probabilities: temperature, cuts or penalties that are in
	 * force are in these logprobs, and in no score. */
	SCORE_PROCESSED,
	N_SCORE_BASES,
};
const char *score_basis_name(enum score_basis b);
static inline bool score_basis_is_drawn(enum score_basis b)
{
	return b == SCORE_AS_DRAWN || b == SCORE_PROCESSED;
}
/* Scores are of the same probabilities: the model's own. */
static inline bool score_basis_is_comparable(enum score_basis b)
{
	return b != SCORE_MIXED && b != SCORE_PROCESSED;
}

/* One scored leg. Figures are 0 unless the result is SCORE_COUNTS; of SCORE_ORPHAN the answer's
 * side is unknown. */
struct score_row {
	struct id exchange, leg; /* the scorer's */
	const char *scorer;      /* names of groups' sides */
	enum role scorer_role;
	const char *scorer_url, *scorer_dialect; /* NULL: not known */
	enum score_result result;
	const char *of;
	enum role of_role;
	struct id of_leg;
	const char *of_url, *of_dialect;
	bool is_self; /* one engine scores its own answer */
	/* What the scorer took, and what the answer took its own engine: from sending to the last
	 * byte. */
	uint64_t scorer_us, of_us;
	int64_t of_tokens;     /* of the answer, as its usage says; -1: it does not */
	int64_t scorer_tokens; /* of prompt and answer, that the scorer read; -1: not known */
	uint8_t cluster[ROW_CLUSTER_SIZE];
	enum decoding decoding; /* how the answer was made */
	enum score_basis basis;
	uint64_t tokens;    /* of the answer */
	uint64_t positions; /* of these: the scorer has a token of the same bytes */
	uint64_t tops,
	        tops_equal;    /* positions whose scores name a most probable token; the same one */
	uint64_t logprobs;     /* positions with a logprob on both sides; sums over these: */
	double own, by_scorer; /* logprobs */
	double delta_squares;  /* (own - scorer's)^2 */
	/* Of these: before the first place where the scorer's tokenizer splits the answer's text
	 * otherwise than it was generated; sums over these, with d = scorer's - own: */
	uint32_t aligned;
	double k3;                    /* exp(d) - 1 - d */
	double delta;                 /* d */
	double delta_sizes;           /* |d| */
	double delta_max;             /* the largest |d| */
	double ratios, ratio_squares; /* exp(d) and its square, d cut at SCORE_LOG_RATIO_LIMIT */
	uint64_t ratios_outside;      /* exp(d) below 1/2 or above 2 */
	struct signed_histogram log_ratios;                            /* d */
	struct position_sum sizes_at[SCORE_SPANS], k3_at[SCORE_SPANS]; /* |d| and k3 by position */
	/* Of positions that both sides have lists of (compare/tokens/score_contrast.h), where
	 * the request asked for no penalty: how far tokens that stood in the answer are moved,
	 * nats. */
	uint64_t contrasts;
	double contrast;
	/* Where it asked for no other temperature than 1: squares of gaps, and the product. */
	double own_gaps, scorer_gaps, gap_products;
	/* Unless the logprobs may be of other probabilities: the gap between the scorer's two most
	 * probable tokens, and how far the answer's engine has them from it (first_noise()). */
	struct log_histogram gap_sizes, noise_sizes;
};

/* A stack under which a backend gave answers. */
struct stack_row {
	const char *backend;
	struct id stack;
	const char *
	        name; /* "vllm 0.32.0, from 2026-03-01 12:03 UTC"; NULL: the capture does not tell */
};

struct samples_row {
	const char *base, *test; /* names of the group */
	struct two_sample_result result;
};

struct crosstalk_row {
	struct id exchange;
	const char *base, *test; /* names of the group */
	bool of_base;            /* the answer is the base's; else the test's */
	bool under_way;          /* one of the others was under way at the same time */
	double chance;           /* the share of all exchanges around it that were */
	bool greedy;
};

/* What became of the exchanges that were read. Added up by COUNTS_ADD(). */
struct exchange_counts {
	uint64_t chosen;
	uint64_t absent;                  /* known from their legs alone */
	uint64_t not_understood;          /* of an endpoint whose answers are not known */
	uint64_t not_read;                /* of one whose answers are kept as bytes only */
	uint64_t unpaired;                /* understood, but with no two legs to compare */
	struct selection_counts left_out; /* not chosen; in no other count */
};

/* Answers to prompts that came again. Added up by COUNTS_ADD(). */
struct repeat_counts {
	uint64_t prompts; /* that some backend answered twice under one condition */
	uint64_t pairs;   /* of such answers that were compared */
	uint64_t unlike;  /* and that were not: the requests differed beside the prompt */
};

struct text_list {
	const char *const *items;
	size_t n;
};

/*
 * A capture's exchanges are divided by the hash of their prompts, so that the answers to an
 * exchange and the repeats of a prompt are in one part. Parts of one capture agree in all but their
 * number.
 */
struct part_row {
	uint32_t version;  /* ROWS_VERSION of who wrote it */
	uint32_t part, of; /* from 1 */
	/* Of the whole capture, as it was when the part was begun: the same for equal exchanges
	 * with equal legs. */
	uint8_t capture[ROW_CAPTURE_SIZE];
	struct text_list captures; /* their directories, as they were given */
	struct text_list backends; /* "NAME URL": those that the capture's settings have */
	/* What was chosen, as the command line has it. */
	const char *base, *test; /* NULL: by role */
	struct text_list where;
	uint64_t since_ns, until_ns; /* as in struct selection */
	enum slice_by by;
};

/* Ends the rows of a part that are written to a file. */
struct part_end {
	uint32_t part, of;
	uint64_t rows; /* between the part's first row and this one */
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
