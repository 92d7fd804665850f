#pragma once
/*
 * given - what a stream of the Responses API has given so far, part by part: events give texts in
 * pieces and repeat them whole, some more than once, and each must count once.
 */
#include "answers/draft.h"

/* What a part of an output item may hold. */
enum given_kind {
	GIVEN_TEXT,
	GIVEN_REFUSAL,
	GIVEN_REASONING,
	GIVEN_SUMMARY,
	GIVEN_LOGPROBS,
	GIVEN_ARGUMENTS,
};

/* A part of an output item, and where it stands. */
struct part {
	int64_t item, part;
	struct draft_choice *choice;
};

/* The number of the item with this id: that of its first appearance, for streams that do not say
 * where an item stands. An empty id is the first item's, and so is one that is too long or of too
 * many items, which marks the answer READING_TOO_LARGE. */
int64_t given_item(struct draft *d, struct span id);
/* Was it given already (or is there no room to remember)? From now on it was. */
bool given_take(struct draft *d, enum given_kind kind, const struct part *at);
/* Was the text of it told, or is it told otherwise (thoughts by their summary)? */
bool given_is_told(struct draft *d, enum given_kind kind, const struct part *at);
/* A piece of text, reasoning or refusal. A summary of thoughts that were given themselves is left
 * out, and the other way round. */
void given_add_piece(
        struct draft *d, enum given_kind kind, const struct part *at, const struct json_token *t);
/* The whole of it: counts if no piece and no whole came before. */
void given_add_whole(
        struct draft *d, enum given_kind kind, const struct part *at, const struct json_token *t);
