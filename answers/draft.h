#pragma once
/*
 * draft - an answer while it is read: what its documents (events, or the one body) contained so
 * far, by choice.
 *
 * All growing parts count against draft.limit. What exceeds it is dropped, and the draft is marked
 * READING_TOO_LARGE. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "answers/reading.h"

/* The kinds of text of a choice, in order of generation. */
enum stretch_kind { STRETCH_REASONING, STRETCH_TEXT, STRETCH_REFUSAL, N_STRETCH_KINDS };

/* A part of the answer: the next len bytes of the choice's text of this kind. */
struct stretch {
	enum stretch_kind kind;
	size_t len;
};

/* The members of a message that can contain reasoning. Several of them may contain the same
 * text. */
enum reasoning_source {
	/* the sources from here to REASONING_OF_BLOCKS are members; reasoning.c has their names */
	REASONING_OF_CONTENT,
	REASONING_OF_REASONING,
	REASONING_OF_THINKING,
	REASONING_OF_DETAILS,
	REASONING_OF_TEXT,
	REASONING_OF_BLOCKS,
	REASONING_OF_PART, /* a part of the content */
	N_REASONING_SOURCES,
};

struct draft_call {
	int64_t index; /* as the answer states it, or else the position in the list of calls */
	struct buf id, name, arguments;
	bool has_arguments;
	/* as for json_token_unescape_piece(), for the arguments so far */
	uint16_t half;
	bool lone_half;
	/* State of matching the arguments' braces. */
	struct {
		size_t at, depth;
		bool in_string, escaped, closed, overrun;
	} braces;
};

struct draft_calls {
	struct draft_call *items;
	size_t n;
	size_t last; /* the index of the call that was begun or continued last */
};

/* How a stream sends a text: each event has all text so far (REPETITION_WHOLE), or only new text
 * (REPETITION_PARTS). REPETITION_UNSETTLED: too little text has arrived to decide, because a text
 * of less than REPETITION_BY_CHANCE bytes may be repeated by chance. counts[n]: the number of texts
 * of n bytes that arrived before the mode was settled. */
#define REPETITION_BY_CHANCE 16
struct repetition {
	enum { REPETITION_UNSETTLED, REPETITION_WHOLE, REPETITION_PARTS } mode;
	uint32_t counts[REPETITION_BY_CHANCE];
	/* pieces that draft_append() got, which should be new text: */
	size_t last;    /* offset of the last piece */
	uint32_t grown; /* how many pieces began with the whole piece before */
	bool differs;   /* a piece did not, so all are new text */
	bool doubtful;  /* each piece may be all text so far */
};

/* Which members contained texts of a choice so far: a set of bits. */
enum text_source {
	FROM_DELTAS = 1 << 0,
	FROM_MESSAGES = 1 << 1,
	HAS_ANY_TEXT = 1 << 2, /* any of them had text */
};

struct draft_choice {
	int32_t index;
	unsigned sources; /* enum text_source */
	struct repetition repetitions[N_STRETCH_KINDS];
	uint32_t pieces[N_STRETCH_KINDS]; /* the number of pieces in which each text came */
	struct buf text, reasoning, refusal;
	/* as for json_token_unescape_piece(), for each text so far */
	uint16_t halves[N_STRETCH_KINDS];
	bool lone_halves[N_STRETCH_KINDS];
	/* how much of the reasoning each source contained */
	struct reasoned {
		size_t len;    /* bytes, without a half of a surrogate pair at the end */
		uint16_t half; /* that half; 0: none */
	} reasoned[N_REASONING_SOURCES];
	struct buf stretches; /* struct stretch, in order of generation */
	struct draft_calls calls;
	struct draft_call legacy;        /* function_call: counts only if there are no tool calls */
	struct columns_builder *columns; /* of the answer's tokens; NULL: no logprobs so far */
	struct columns_builder *prompt;  /* of the prompt's tokens; NULL: no scores so far */
	struct usage usage;              /* from the choice's own members */
	char *finish;
	bool unended;  /* a document stated null as the finish reason */
	size_t n_ids;  /* token ids of the answer in lists of their own */
	bool is_read;  /* from the current event, or from an answer that is no stream */
	bool has_copy; /* a member that only repeats the output had a value */
};

struct draft {
	uint32_t marks;
	size_t limit, held; /* bytes of all growing parts: the most, and now */
	bool wants_logprobs, has_tools;
	struct offered offered;
	bool has_content; /* a text, reasoning or a call has arrived */
	bool has_copy;    /* as in draft_choice, of a member outside the choices */
	/* the current event ends its choice and has no logprobs of new tokens: it may repeat
	 * texts */
	bool may_repeat;
	bool done;     /* the answer said that it is complete */
	bool streamed; /* it arrives as several documents */
	bool expected; /* reading_hints_expect() */
	bool fits;     /* the current document has a member of the shape that it is read as */
	enum reading_shape shape; /* the answer's shape, once a document has shown it */
	/* for a list of documents: the index of the current document's choice */
	int32_t position;
	int status;
	char *model, *response_id, *fingerprint, *error;
	struct usage usage;
	struct draft_choice **choices;
	size_t n_choices;
	struct embedding *embeddings; /* the draft owns their values */
	size_t n_embeddings;
	struct buf unknown; /* as reading.unknown */
	size_t n_unknown;
	/* Responses stream: the parts received so far (answers/api/received.c) */
	struct buf received;
	struct buf items;                     /* Responses stream: the ids of items, one a line */
	struct buf scratch, scratch2, listed; /* working memory for one token */
};

void draft_init(struct draft *d, const struct reading_hints *hints);
void draft_finish(struct draft *d);

/* The choice of that index, created if necessary. NULL: there are too many, or the index is
 * negative or above INT32_MAX; the draft is marked READING_TOO_LARGE. */
struct draft_choice *draft_choice(struct draft *d, int64_t index);
/* Frees what the choice owns, not the choice itself. */
void draft_choice_finish(struct draft_choice *c);
struct buf *draft_text(struct draft_choice *c, enum stretch_kind kind);
/* Counts n more bytes against the limit. False: they would exceed it; the draft is marked
 * READING_TOO_LARGE. */
bool draft_reserve(struct draft *d, size_t n) MUST_CHECK;
/* Appends a string token to one of the choice's texts. Ignores other tokens, and, if may_repeat is
 * true, a piece that is the whole text once more. If it turns out that each piece of a stream has
 * all text so far, only the last piece counts. */
void draft_append(struct draft *d, struct draft_choice *c, enum stretch_kind kind,
        const struct json_token *t);
/* True if it is not certain whether each piece of this text was new text or all text so far. */
bool draft_is_doubtful(struct draft_choice *c, enum stretch_kind kind);
/* Appends bytes that are already unescaped. */
void draft_append_span(
        struct draft *d, struct draft_choice *c, enum stretch_kind kind, struct span s);
/* Sets *to from a string token, cut to 1 KiB, unless *to is set or the string is empty. */
void draft_set_once(char **to, const struct json_token *t);
/* Stores a finish reason. If several come, the last one that is not empty counts. */
void draft_set_finish(struct draft_choice *c, const struct json_token *t);
/* Reads a finish reason that may be an object with a "type" (SGLang). Moves j past the value. */
void draft_read_finish(struct draft_choice *c, struct json *j, const struct json_token *first);
/* Marks the draft READING_ERROR_BODY. Stores the message, cut to 4 KiB, unless there is one. */
void draft_set_error(struct draft *d, struct span message);
