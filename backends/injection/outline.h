#pragma once
/*
 * outline - the members of an answer's JSON object and of its choices, found in one pass.
 *
 * An answer with logprobs is long. Signature (signature.h), kind (kind.h) and cut (cut.h) need only
 * its members, so they share one outline. Values that injection adds (logprobs, token ids) need not
 * be valid JSON: outline_read() only looks for their ends.
 *
 * An outline points into the text, which must outlive it. Zero-initialised is empty. Reading again
 * reuses the memory.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json.h"

/* The members and choices of a text of len bytes that an outline can have. A text with more counts
 * as no JSON object. Answers to thousands of prompts have about one for each 15 bytes. */
#define OUTLINE_LIMIT(len) (16384 + (len) / 16)

#define OUTLINE_NO_BIT (UINT64_C(1) << 63)

enum outline_name {
	OUTLINE_OTHER,
	OUTLINE_CHOICES,       /* an array, outside of choices */
	OUTLINE_USAGE,         /* outside of choices */
	OUTLINE_INDEX,         /* in a choice */
	OUTLINE_LOGPROBS,      /* in a choice */
	OUTLINE_FINISH_REASON, /* in a choice, with a text that is not empty */
	OUTLINE_TOKEN_IDS,     /* token_ids or prompt_token_ids, in a choice or outside */
};

struct outline_member {
	enum outline_name name;
	struct json_token key, first; /* first: of the value */
	struct span value;
	size_t first_choice, n_choices; /* of OUTLINE_CHOICES: in `choices` */
};

struct outline_choice {
	struct span text;
	/* One bit for its index. All choices whose index has no bit of its own share
	 * OUTLINE_NO_BIT. */
	uint64_t bit;
	size_t first_member, n_members; /* in `choice_members`; none if it is no object */
};

struct outline {
	struct span text;
	/* from brace to brace; empty: the text is no JSON object, and only the members before
	 * the error are there */
	struct span object;
	struct buf members;        /* struct outline_member: of the text's object */
	struct buf choices;        /* struct outline_choice */
	struct buf choice_members; /* struct outline_member: of all choices */
};

void outline_read(struct outline *o, struct span text);
void outline_finish(struct outline *o);

/* Arrays of members and choices; for a loop, take the pointer and the number. */
struct outline_members {
	const struct outline_member *items;
	size_t n;
};
struct outline_choices {
	const struct outline_choice *items;
	size_t n;
};
struct outline_members outline_members(const struct outline *o);
struct outline_choices outline_choices(const struct outline *o, const struct outline_member *m);
struct outline_members outline_choice_members(
        const struct outline *o, const struct outline_choice *choice);
