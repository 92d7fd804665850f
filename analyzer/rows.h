#pragma once
/*
 * rows - what one exchange of a capture says, as plain values: the only thing that figures are made of. A row
 * says what it is of and what was found; it holds no text of a prompt, an answer or a right answer.
 *
 *	pair_row      two answers to one request that were compared
 *	left_out_row  two legs that can't be compared, and why
 *	floor_row     two greedy answers of one engine, as what it differs from itself
 *
 * Names are borrowed: they live until the row was folded.
 */
#include "analyzer/compare/comparison.h"
#include "analyzer/compare/embedding.h"
#include "analyzer/kept.h"
#include "analyzer/left_out.h"
#include "capture/capture.h"

#define ROW_CLUSTER_SIZE 16

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
	const char *name;          /* of its group */
	const char *backend, *url; /* NULL: not known */
	enum role role;
	const char *dialect; /* generic: not known */
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
	bool is_floor;    /* both are of one engine */
	bool is_first;    /* of the rows of its legs, and the one by which legs are counted */
	bool redacted;    /* the request, or an answer */
	bool has_choices; /* else only what is of legs */
	int32_t choice;   /* index of both */
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

/* Both engines counted the prompt's tokens, and not the same number: then the answers are to unlike prompts. */
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

/* For the group of these names: what its base or its test differs from itself, or, where floors are of repeated
 * prompts, what its pairs differ on these. */
struct floor_row {
	struct id exchange;
	uint8_t cluster[ROW_CLUSTER_SIZE];
	const char *base, *test; /* names of the group */
	enum floor_of of;
	bool of_repeats; /* of answers to one prompt that came again, not of second legs */
	struct pair_facts facts;
	double noise; /* as in struct cause_signs; 0 where the prompts differ */
	uint64_t noise_n;
};
