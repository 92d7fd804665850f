#include "capture/privacy/redact_pieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "capture/privacy/redact_form.h"

#define PIECES_LIMIT ((size_t)1 << 20)
#define LONG_NUMBER 13 /* digits; a shorter number is no card number */

struct piece *redact_pieces_add(
        struct pieces *p, size_t at, size_t len, enum redact_spelling how, unsigned flags)
{
	if (p->n == p->cap && !p->error) {
		struct piece *items = p->n < PIECES_LIMIT ? claim_grow(p->claim, p->items, &p->cap,
		                                                    sizeof(*items))
		                                          : NULL;
		p->items = items ? items : p->items;
		p->error = items ? 0 : p->n < PIECES_LIMIT ? -ENOMEM : -E2BIG;
	}
	struct piece *piece = p->error ? &p->nowhere : &p->items[p->n];
	*piece = (struct piece){
	        .at = at,
	        .len = (uint32_t)len,
	        .order = (uint32_t)p->n,
	        .flags = (uint16_t)flags,
	        .spelling = (uint8_t)how,
	};
	p->n += !p->error;
	p->has_private |= (flags & PIECE_PRIVATE) != 0;
	return piece;
}

/* Prompt tokens have no slot: each is redacted by itself. */
static uint64_t slot_of(const struct redact_places *w, const struct redact_node *n)
{
	return n->flags & PLACE_BLANK ? 0 : redact_place_slot(w, n);
}

static unsigned flags_of(const struct redact_places *w, const struct redact_node *n)
{
	unsigned flags = n->flags & PLACE_PRIVATE ? PIECE_PRIVATE : 0;
	flags |= n->flags & PLACE_BLANK ? PIECE_BLANK : 0;
	if (slot_of(w, n)) {
		flags |= n->flags & PLACE_ALTERNATIVE ? PIECE_ALTERNATIVE : PIECE_TOKEN;
	}
	return flags;
}

/* Sets the channel of a piece whose text continues in other pieces. */
static void put_channel(struct piece *p, const struct redact_places *w, const struct redact_node *n)
{
	if (!(p->flags & (PIECE_ALTERNATIVE | PIECE_BLANK))) {
		p->channel = n->hash | 1;
		p->path = n->path | 1;
		p->document = w->document;
	}
}

/* Whether the member is a handle. Handles are replaced consistently: distinct ones stay
 * distinct, and repeated ones stay equal. */
static bool is_handle(struct redact_places *w, const struct redact_node *n)
{
	static const char *const HANDLES[] = {"id", "item_id", "call_id", "tool_call_id", NULL};
	return span_is_one_of(redact_place_name(w, n), HANDLES);
}

static void put_string(struct pieces *p, struct redact_places *w, struct redact_node *n)
{
	unsigned flags = flags_of(w, n);
	if (w->policy->everything && !redact_place_is_form(w, n)) {
		flags |= PIECE_PRIVATE;
	}
	struct span raw = redact_place_raw(w, n);
	static const char NUMBERED[] = "token_id:";
	size_t skip = strlen(NUMBERED);
	if (n->box != REDACT_NO_NODE && raw.len > skip && memcmp(raw.data, NUMBERED, skip) == 0 &&
	        redact_place_is_id(span_from(raw, skip))) {
		redact_pieces_add(p, n->at + skip, n->len - skip, REDACT_PLAIN, PIECE_IDS);
		return;
	}
	struct piece *piece = redact_pieces_add(p, n->at, n->len, REDACT_ESCAPED, flags);
	piece->slot = slot_of(w, n);
	if (!w->policy->everything || !is_handle(w, n)) {
		put_channel(piece, w, n);
	}
	p->has_tokens |= (flags & PIECE_TOKEN) != 0;
}

static void put_key(struct pieces *p, struct redact_places *w, struct redact_node *n)
{
	const struct redact_node *object = &w->tree.items[n->parent];
	bool token = object->flags & PLACE_ALTERNATIVE && object->only_numbers;
	unsigned flags = object->flags & PLACE_PRIVATE ? PIECE_PRIVATE : 0;
	if (w->policy->everything && (object->flags & PLACE_OF_USER || token ||
	                                     !redact_form_has_name(redact_place_raw(w, n)))) {
		flags |= PIECE_PRIVATE;
	}
	if (token) {
		flags |= PIECE_ALTERNATIVE;
	} else if (object->flags & PLACE_BLANK) {
		bool id = redact_place_is_id(redact_place_raw(w, n));
		flags |= id ? PIECE_BLANK | PIECE_DIGITS : 0;
	}
	struct piece *piece = redact_pieces_add(p, n->at, n->len, REDACT_ESCAPED, flags);
	piece->slot = token ? slot_of(w, object) : 0;
}

static void put_number(struct pieces *p, struct redact_places *w, struct redact_node *n)
{
	static const char *const IDS[] = {"id", "token_id", NULL};
	const struct redact_node *parent = redact_place_parent(w, n);
	uint64_t slot = slot_of(w, n);
	bool of_prompt = n->flags & PLACE_BLANK;
	/* SGLang writes tokens as [logprob, id, text]. */
	bool second = parent && parent->kind == REDACT_ARRAY && n->index == 1 &&
	              parent->key == REDACT_NO_NODE;
	bool id = (slot || of_prompt) && (second || span_is_one_of(redact_place_name(w, n), IDS));
	bool private = n->flags & PLACE_PRIVATE ||
	               (w->policy->everything && !redact_place_is_measure(w, n));
	if (id && of_prompt) {
		redact_pieces_add(p, n->at, n->len, REDACT_PLAIN, PIECE_IDS | PIECE_BLANK);
	} else if (id) {
		redact_pieces_add(p, n->at, n->len, REDACT_PLAIN, PIECE_ID)->slot = slot;
	} else if (private || n->len >= LONG_NUMBER || w->policy->n_patterns) {
		unsigned flags = private ? PIECE_PRIVATE : 0;
		redact_pieces_add(p, n->at, n->len, REDACT_PLAIN, flags | PIECE_DIGITS);
	}
}

/* Adds a word that is not JSON, from a malformed document. */
static void put_word(struct pieces *p, struct redact_places *w, const struct redact_node *n)
{
	static const char *const KNOWN[] = {
	        "true", "false", "null", "NaN", "Infinity", "DONE", NULL};
	if (w->policy->everything && !span_is_one_of(redact_place_raw(w, n), KNOWN)) {
		redact_pieces_add(p, n->at, n->len, REDACT_PLAIN, PIECE_PRIVATE);
	}
}

static void put_array(struct pieces *p, struct redact_places *w, uint32_t i)
{
	struct redact_node *n = &w->tree.items[i];
	const struct redact_node *child = redact_place_first_child(w, i);
	if (redact_place_has_ids(w, i)) {
		redact_pieces_add(p, n->at, n->len, REDACT_PLAIN, PIECE_IDS);
		n->flags |= redact_place_is_numeric(w, i) ? PLACE_COVERED : 0;
	} else if (child && n->only_numbers && span_is(redact_place_name(w, n), "bytes")) {
		unsigned flags = flags_of(w, n);
		struct piece *piece = redact_pieces_add(p, n->at, n->len, REDACT_BYTES,
		        flags | (w->policy->everything ? PIECE_PRIVATE : 0));
		piece->slot = slot_of(w, n);
		put_channel(piece, w, n);
		n->flags |= PLACE_COVERED;
	}
}

static void put_node(struct pieces *p, struct redact_places *w, uint32_t i)
{
	struct redact_node *n = &w->tree.items[i];
	switch ((enum redact_kind)n->kind) {
	case REDACT_ARRAY:
		put_array(p, w, i);
		break;
	case REDACT_STRING:
		put_string(p, w, n);
		break;
	case REDACT_KEY:
		put_key(p, w, n);
		break;
	case REDACT_NUMBER:
		put_number(p, w, n);
		break;
	case REDACT_WORD:
		put_word(p, w, n);
		break;
	case REDACT_OBJECT:
		break;
	}
}

void redact_pieces_add_document(struct pieces *p, struct redact_places *w)
{
	for (uint32_t i = 0; i < w->tree.n && !p->error; i++) {
		struct redact_node *n = &w->tree.items[i];
		const struct redact_node *parent = redact_place_parent(w, n);
		if (parent && parent->flags & PLACE_COVERED) {
			n->flags |= PLACE_COVERED;
		} else {
			put_node(p, w, i);
		}
	}
}

void redact_pieces_finish(struct pieces *p)
{
	free(p->items);
	p->items = NULL;
	p->n = p->cap = 0;
}
