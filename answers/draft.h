#pragma once
/*
 * draft - an answer under way: what the events or the body have said so far, choice by choice.
 *
 * All that grows is counted against one limit; what goes over it is left out and marked
 * READING_TOO_LARGE.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "answers/reading.h"

/* Which text a stretch of the answer went to, in order of generation. */
enum stretch_kind { STRETCH_REASONING, STRETCH_TEXT, STRETCH_REFUSAL, N_STRETCH_KINDS };

struct stretch {
	enum stretch_kind kind;
	size_t len;
};

/* The members that tell of thoughts; several may tell of the same. */
enum reasoning_source {
	REASONING_OF_CONTENT, /* reasoning_content */
	REASONING_OF_REASONING,
	REASONING_OF_THINKING,
	REASONING_OF_DETAILS, /* reasoning_details */
	REASONING_OF_BLOCKS,  /* thinking_blocks */
	REASONING_OF_PART,    /* a part of the content */
	N_REASONING_SOURCES,
};

struct draft_call {
	int64_t index; /* as said, or the position in its list */
	struct buf id, name, arguments;
	bool has_arguments;
	/* Where the arguments' braces stand, as far as they were looked at. */
	struct {
		size_t at, depth;
		bool in_string, escaped, closed, overrun;
	} braces;
};

struct draft_calls {
	struct draft_call *items;
	size_t n;
};

/*
 * How the texts of a stream's events go together, where engines differ: each holds all so far, or
 * only what is new. That a text begins with all so far may be chance while it is short; until that is
 * settled, how many texts there were of each length tells how to put them together after all.
 */
#define RETOLD_BY_CHANCE 16
struct retold {
	enum { RETOLD_UNSETTLED, RETOLD_WHOLE, RETOLD_PARTS } how;
	uint32_t counts[RETOLD_BY_CHANCE];
};

/* Who told a choice's texts so far. */
enum teller {
	TOLD_BY_DELTAS = 1 << 0,
	TOLD_BY_MESSAGES = 1 << 1,
	TOLD_TEXT = 1 << 2, /* one of these held text */
};

struct draft_choice {
	int32_t index;
	unsigned told; /* enum teller */
	struct retold retold[N_STRETCH_KINDS];
	uint32_t pieces[N_STRETCH_KINDS]; /* of which each text was made */
	struct buf text, reasoning, refusal;
	size_t reasoned[N_REASONING_SOURCES]; /* each source's place in the reasoning */
	struct buf stretches;                 /* struct stretch */
	struct draft_calls calls;
	struct draft_call legacy;        /* function_call: counts only if there are no tool calls */
	struct columns_builder *columns; /* NULL: no logprobs came */
	struct columns_builder *prompt;  /* NULL: no scores of the prompt came */
	struct usage usage;              /* of the choice's own members */
	char *finish;
	bool unended; /* a document said that there is no finish reason yet */
};

struct draft {
	uint32_t marks;
	size_t limit, held;
	bool wants_logprobs, has_tools;
	struct offered offered;
	bool has_content; /* a text, reasoning or call came */
	bool may_repeat;  /* the event at hand ends its choice, without logprobs of new tokens */
	bool done;        /* the answer said that it is at its end */
	bool streamed;    /* it comes in several documents */
	bool expected;    /* reading_hints_expect() */
	bool fits;        /* the document at hand has a member of the shape that it is read as */
	enum reading_shape shape; /* of the answer, as soon as a document told it */
	int32_t position;         /* of the document in a list of them: its choice's index */
	int status;
	char *model, *response_id, *fingerprint, *error;
	struct usage usage;
	struct draft_choice **choices;
	size_t n_choices;
	struct embedding *embeddings; /* values are owned */
	size_t n_embeddings;
	struct buf unknown; /* as reading.unknown */
	size_t n_unknown;
	struct buf given; /* of a Responses stream: which parts its events gave */
	struct buf items; /* the same stream's item ids, a line each */
	struct buf scratch, scratch2, listed; /* for one token at a time */
};

void draft_init(struct draft *d, const struct reading_hints *hints);
void draft_finish(struct draft *d);

/* The choice of that index, begun if need be; NULL when there are too many. */
struct draft_choice *draft_choice(struct draft *d, int64_t index);
/* What is held by a choice, not the choice itself. */
void draft_choice_finish(struct draft_choice *c);
struct buf *draft_text(struct draft_choice *c, enum stretch_kind kind);
/* Room for n more bytes? If not, the answer is marked. */
bool draft_take(struct draft *d, size_t n) MUST_CHECK;
/* Appends a string token to one of the texts. A last piece that says all of the text once more, with
 * no tokens, is left out. */
void draft_append(struct draft *d, struct draft_choice *c, enum stretch_kind kind,
        const struct json_token *t);
/* The same with bytes that are unescaped. */
void draft_append_span(
        struct draft *d, struct draft_choice *c, enum stretch_kind kind, struct span s);
/* Sets *to from a string token if it is not set yet and the string is not empty. */
void draft_set_once(char **to, const struct json_token *t);
/* The last finish reason that is a string and not empty counts; null and "" are none yet. */
void draft_set_finish(struct draft_choice *c, const struct json_token *t);
/* The same from a value that may be an object with a "type" (SGLang); j is after it then. */
void draft_read_finish(struct draft_choice *c, struct json *j, const struct json_token *first);
/* An error message; the first one stays. Cut to a few KiB. */
void draft_set_error(struct draft *d, struct span message);
