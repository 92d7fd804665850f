#pragma once
/*
 * draft - an answer that is being read: what its events or body have said so far, by choice.
 *
 * All growing parts count against one limit. What exceeds it is dropped and marked
 * READING_TOO_LARGE.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "answers/reading.h"

/* The kind of text that a stretch of the answer belongs to, in order of generation. */
enum stretch_kind { STRETCH_REASONING, STRETCH_TEXT, STRETCH_REFUSAL, N_STRETCH_KINDS };

struct stretch {
	enum stretch_kind kind;
	size_t len;
};

/* The members that can contain reasoning; several members may contain the same text. */
enum reasoning_source {
	REASONING_OF_CONTENT, /* to OF_BLOCKS: members; reasoning.c has their names */
	REASONING_OF_REASONING,
	REASONING_OF_THINKING,
	REASONING_OF_DETAILS,
	REASONING_OF_BLOCKS,
	REASONING_OF_PART, /* a part of the content */
	N_REASONING_SOURCES,
};

struct draft_call {
	int64_t index; /* as stated, or the position in its list */
	struct buf id, name, arguments;
	bool has_arguments;
	/* State of matching the arguments' braces. */
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
 * Whether each event of a stream repeats all text so far (RETOLD_WHOLE) or holds only new text
 * (RETOLD_PARTS). A short new text can begin with all text so far by chance. Until that is decided,
 * `counts` has the number of texts of each length, so that the text can still be assembled either
 * way.
 */
#define RETOLD_BY_CHANCE 16
struct retold {
	enum { RETOLD_UNSETTLED, RETOLD_WHOLE, RETOLD_PARTS } how;
	uint32_t counts[RETOLD_BY_CHANCE];
};

/* Where a choice's texts came from so far. */
enum teller {
	TOLD_BY_DELTAS = 1 << 0,
	TOLD_BY_MESSAGES = 1 << 1,
	TOLD_TEXT = 1 << 2, /* one of these contained text */
};

struct draft_choice {
	int32_t index;
	unsigned told; /* enum teller */
	struct retold retold[N_STRETCH_KINDS];
	uint32_t pieces[N_STRETCH_KINDS]; /* number of pieces of each text */
	struct buf text, reasoning, refusal;
	/* per source: how many bytes of the reasoning it has delivered */
	size_t reasoned[N_REASONING_SOURCES];
	struct buf stretches; /* struct stretch */
	struct draft_calls calls;
	struct draft_call legacy;        /* function_call: counts only if there are no tool calls */
	struct columns_builder *columns; /* NULL: no logprobs yet */
	struct columns_builder *prompt;  /* NULL: no prompt scores yet */
	struct usage usage;              /* from the choice's own members */
	char *finish;
	bool unended; /* a document said explicitly that there is no finish reason yet */
};

struct draft {
	uint32_t marks;
	size_t limit, held;
	bool wants_logprobs, has_tools;
	struct offered offered;
	bool has_content; /* there was a text, reasoning or call */
	bool may_repeat;  /* the current event ends its choice and has no logprobs of new tokens */
	bool done;        /* the answer said that it is complete */
	bool streamed;    /* it comes as several documents */
	bool expected;    /* reading_hints_expect() */
	bool fits;        /* the current document has a member of the shape that it is read as */
	enum reading_shape shape; /* of the answer, once a document showed it */
	int32_t position;         /* in a list of documents: the index of its choice */
	int status;
	char *model, *response_id, *fingerprint, *error;
	struct usage usage;
	struct draft_choice **choices;
	size_t n_choices;
	struct embedding *embeddings; /* values are owned */
	size_t n_embeddings;
	struct buf unknown; /* as reading.unknown */
	size_t n_unknown;
	struct buf given; /* of a Responses stream: the parts that its events gave */
	struct buf items; /* of a Responses stream: item ids, one a line */
	struct buf scratch, scratch2, listed; /* for one token at a time */
};

void draft_init(struct draft *d, const struct reading_hints *hints);
void draft_finish(struct draft *d);

/* The choice of that index, created if necessary; NULL if there are too many. */
struct draft_choice *draft_choice(struct draft *d, int64_t index);
/* Frees what a choice holds, not the choice itself. */
void draft_choice_finish(struct draft_choice *c);
struct buf *draft_text(struct draft_choice *c, enum stretch_kind kind);
/* Counts n more bytes. False: the limit would be exceeded; the answer is marked
 * READING_TOO_LARGE. */
bool draft_take(struct draft *d, size_t n) MUST_CHECK;
/* Appends a string token to one of the texts. A last piece that repeats the whole text and has no
 * tokens is dropped. */
void draft_append(struct draft *d, struct draft_choice *c, enum stretch_kind kind,
        const struct json_token *t);
/* Appends bytes that are already unescaped. */
void draft_append_span(
        struct draft *d, struct draft_choice *c, enum stretch_kind kind, struct span s);
/* Sets *to from a string token if it is not set yet and the string is not empty. */
void draft_set_once(char **to, const struct json_token *t);
/* Stores a finish reason. The last string that is not empty counts. */
void draft_set_finish(struct draft_choice *c, const struct json_token *t);
/* Reads a finish reason that may be an object with a "type" (SGLang); j is then after the value. */
void draft_read_finish(struct draft_choice *c, struct json *j, const struct json_token *first);
/* An error message; the first one stays. Cut to a few KiB. */
void draft_set_error(struct draft *d, struct span message);
