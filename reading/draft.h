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
#include "reading/reading.h"

/* Which text a stretch of the answer went to, in order of generation. */
enum stretch_kind { STRETCH_REASONING, STRETCH_TEXT, STRETCH_REFUSAL };

struct stretch {
	enum stretch_kind kind;
	size_t len;
};

struct draft_call {
	int64_t index; /* as said, or the position in its list */
	struct buf id, name, arguments;
	bool has_arguments;
};

struct draft_calls {
	struct draft_call *items;
	size_t n;
};

struct draft_choice {
	int32_t index;
	struct buf text, reasoning, refusal;
	struct buf stretches; /* struct stretch */
	struct draft_calls calls;
	struct draft_call legacy;        /* function_call: counts only if there are no tool calls */
	struct columns_builder *columns; /* NULL: no logprobs came */
	char *finish;
};

struct draft {
	uint32_t marks;
	size_t limit, held;
	bool wants_logprobs;
	bool has_content; /* a text, reasoning or call came */
	int status;
	char *model, *response_id, *fingerprint, *error;
	struct usage usage;
	struct draft_choice **choices;
	size_t n_choices;
	struct buf scratch, scratch2, listed; /* for one token at a time */
};

void draft_init(struct draft *d, const struct reading_hints *hints);
void draft_finish(struct draft *d);

/* The choice of that index, begun if need be; NULL when there are too many. */
struct draft_choice *draft_choice(struct draft *d, int64_t index);
/* Room for n more bytes? If not, the answer is marked. */
bool draft_take(struct draft *d, size_t n) MUST_CHECK;
/* Appends a string token to one of the texts. */
void draft_append(struct draft *d, struct draft_choice *c, enum stretch_kind kind,
        const struct json_token *t);
/* Sets *to from a string token if it is not set yet and the string is not empty. */
void draft_set_once(char **to, const struct json_token *t);
/* An error message; the first one stays. Cut to a few KiB. */
void draft_set_error(struct draft *d, struct span message);
/* Hands everything over; the draft is empty then. */
struct reading *draft_settle(struct draft *d);
