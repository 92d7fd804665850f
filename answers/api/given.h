#pragma once
/*
 * given - which parts a stream of the Responses API has delivered: its events send texts in pieces
 * and repeat them whole, some more than once, and each must count once.
 */
#include "answers/draft.h"

/* What a part of an output item can hold. */
enum given_kind {
	GIVEN_TEXT,
	GIVEN_REFUSAL,
	GIVEN_REASONING,
	GIVEN_SUMMARY,
	GIVEN_LOGPROBS,
	GIVEN_ARGUMENTS,
};

/* A part of an output item, and its place. */
struct part {
	int64_t item, part;
	struct draft_choice *choice;
};

/* The number of the item with this id, for streams that do not state an item's place: items are
 * numbered as they first appear. An empty id counts as the first item. An id that is too long,
 * or that exceeds the number of items we remember, also counts as the first item and marks the
 * answer READING_TOO_LARGE. */
int64_t given_item(struct draft *d, struct span id);
/* True if this part was delivered before, or cannot be remembered. Otherwise remembers it as
 * delivered. */
bool given_take(struct draft *d, enum given_kind kind, const struct part *at);
/* True if the part's text was delivered, either itself or in another form (reasoning as its
 * summary). */
bool given_is_told(struct draft *d, enum given_kind kind, const struct part *at);
/* Adds a piece of text, reasoning or refusal. Of reasoning and its summary only the first kind to
 * arrive counts. */
void given_add_piece(
        struct draft *d, enum given_kind kind, const struct part *at, const struct json_token *t);
/* Adds the whole text, unless a piece or the whole came before. */
void given_add_whole(
        struct draft *d, enum given_kind kind, const struct part *at, const struct json_token *t);
