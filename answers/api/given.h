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

/* The number of the item with this id, by first appearance, for streams that do not state an item's
 * place. An empty id is the first item. So is an id that is too long, or one too many, which marks
 * the answer READING_TOO_LARGE. */
int64_t given_item(struct draft *d, struct span id);
/* True if it was delivered before (or cannot be remembered). Then remembers it. */
bool given_take(struct draft *d, enum given_kind kind, const struct part *at);
/* True if its text was delivered, or in another way (reasoning by its summary). */
bool given_is_told(struct draft *d, enum given_kind kind, const struct part *at);
/* Adds a piece of text, reasoning or refusal. Of reasoning and its summary only the first kind to
 * arrive counts. */
void given_add_piece(
        struct draft *d, enum given_kind kind, const struct part *at, const struct json_token *t);
/* Adds the whole text, unless a piece or the whole came before. */
void given_add_whole(
        struct draft *d, enum given_kind kind, const struct part *at, const struct json_token *t);
