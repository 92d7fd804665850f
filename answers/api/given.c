#include "answers/api/given.h"

#include <string.h>

#define GIVEN_LIMIT 4096
/* Limit of items that are distinguished by ids only; they are searched linearly. */
#define ITEMS_LIMIT 256
#define ITEM_ID_LIMIT 256 /* bytes */

struct given {
	enum given_kind kind;
	int64_t item, part;
};

static struct given *find_given(struct draft *d, enum given_kind kind, const struct part *at)
{
	struct given *all = (struct given *)(void *)d->given.data;
	for (size_t i = d->given.len / sizeof(*all); i-- > 0;) {
		if (all[i].kind == kind && all[i].item == at->item && all[i].part == at->part) {
			return &all[i];
		}
	}
	return NULL;
}

int64_t given_item(struct draft *d, struct span id)
{
	int64_t n = 0;
	struct span known = buf_span(&d->items);
	if (id.len == 0) {
		return 0;
	}
	for (size_t at = 0; at < known.len; n++) {
		const char *from = known.data + at;
		size_t len = (size_t)((char *)memchr(from, '\n', known.len - at) - from);
		if (span_equal((struct span){from, len}, id)) {
			return n;
		}
		at += len + 1;
	}
	if (n == ITEMS_LIMIT || id.len > ITEM_ID_LIMIT || !draft_reserve(d, id.len + 1)) {
		d->marks |= READING_TOO_LARGE;
		return 0;
	}
	buf_append_span(&d->items, id);
	buf_append_char(&d->items, '\n'); /* JSON strings hold no raw line feed */
	return n;
}

bool given_add(struct draft *d, enum given_kind kind, const struct part *at)
{
	struct given now = {.kind = kind, .item = at->item, .part = at->part};
	if (find_given(d, kind, at)) {
		return true;
	}
	if (d->given.len / sizeof(now) == GIVEN_LIMIT || !draft_reserve(d, sizeof(now))) {
		d->marks |= READING_TOO_LARGE;
		return true;
	}
	buf_append(&d->given, &now, sizeof(now));
	return false;
}

static enum stretch_kind stretch_of(enum given_kind kind)
{
	switch (kind) {
	case GIVEN_REASONING:
	case GIVEN_SUMMARY:
		return STRETCH_REASONING;
	case GIVEN_REFUSAL:
		return STRETCH_REFUSAL;
	default:
		return STRETCH_TEXT;
	}
}

/* Whether the part is a summary of reasoning whose full text is given too. Such a summary adds
 * nothing. */
static bool is_summed_up(struct draft *d, enum given_kind kind, const struct part *at)
{
	const struct given *all = (const struct given *)(const void *)d->given.data;
	enum given_kind other = kind == GIVEN_SUMMARY     ? GIVEN_REASONING
	                        : kind == GIVEN_REASONING ? GIVEN_SUMMARY
	                                                  : kind;
	for (size_t i = d->given.len / sizeof(*all); other != kind && i-- > 0;) {
		if (all[i].kind == other && all[i].item == at->item) {
			return true;
		}
	}
	return false;
}

bool given_is_known(struct draft *d, enum given_kind kind, const struct part *at)
{
	return is_summed_up(d, kind, at) || find_given(d, kind, at);
}

void given_add_piece(
        struct draft *d, enum given_kind kind, const struct part *at, const struct json_token *t)
{
	if (t->type == JSON_TOKEN_STRING && t->len > 2 && !is_summed_up(d, kind, at)) {
		given_add(d, kind, at);
		draft_append(d, at->choice, stretch_of(kind), t);
	}
}

void given_add_whole(
        struct draft *d, enum given_kind kind, const struct part *at, const struct json_token *t)
{
	if (t->type == JSON_TOKEN_STRING && t->len > 2 && !is_summed_up(d, kind, at) &&
	        !given_add(d, kind, at)) {
		draft_append(d, at->choice, stretch_of(kind), t);
	}
}
