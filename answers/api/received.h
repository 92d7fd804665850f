#pragma once
/* received - remembers which parts of a Responses API stream have been received. Its events send
 * texts in pieces and then repeat them whole, some more than once; each text must count once. */
#include "answers/draft.h"

/* What a part of an output item can hold. */
enum received_kind {
	RECEIVED_TEXT,
	RECEIVED_REFUSAL,
	RECEIVED_REASONING,
	RECEIVED_SUMMARY,
	RECEIVED_LOGPROBS,
	RECEIVED_ARGUMENTS,
};

/* The place of a part: the index of its output item, the index of the part in the item, and the
 * choice to which it belongs. */
struct part {
	int64_t item, part;
	struct draft_choice *choice;
};

/* The number of the item with this id, for streams that do not state an item's place. Items are
 * numbered in the order of their first appearance. An empty id counts as the first item. So does
 * an id that is too long, and an id beyond the number of items that the draft can remember;
 * these two mark the draft READING_TOO_LARGE. */
int64_t received_item(struct draft *d, struct span id);
/* Remembers the part as received. True: it was received before, or it cannot be remembered. */
bool received_add(struct draft *d, enum received_kind kind, const struct part *at);
/* True if the part was received before, or if it is a summary and its reasoning was received (or
 * the reverse). */
bool received_is_known(struct draft *d, enum received_kind kind, const struct part *at);
/* Adds a piece of text, reasoning or refusal. If an item has both reasoning and its summary,
 * only the kind that arrives first counts. */
void received_add_piece(struct draft *d, enum received_kind kind, const struct part *at,
        const struct json_token *t);
/* Adds the whole text. If a piece of this text or all of it was received before, adds nothing; a
 * text that does not repeat what was received counts as the unknown member "output". */
void received_add_whole(struct draft *d, enum received_kind kind, const struct part *at,
        const struct json_token *t);
