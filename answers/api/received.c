#include "answers/api/received.h"

#include <string.h>

#include "answers/api/repetition.h"
#include "answers/members.h"

#define RECEIVED_LIMIT 4096
/* Limit of items that are distinguished by ids only; they are searched linearly. */
#define ITEMS_LIMIT 256
#define ITEM_ID_LIMIT 256 /* bytes */

struct received_part {
	enum received_kind kind;
	int64_t item, part;
	size_t from, to; /* where its text is in the choice's text of this kind */
};

static struct received_part *find_received(
        struct draft *d, enum received_kind kind, const struct part *at)
{
	struct received_part *all = (struct received_part *)(void *)d->received.data;
	for (size_t i = d->received.len / sizeof(*all); i-- > 0;) {
		if (all[i].kind == kind && all[i].item == at->item && all[i].part == at->part) {
			return &all[i];
		}
	}
	return NULL;
}

int64_t received_item(struct draft *d, struct span id)
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

bool received_add(struct draft *d, enum received_kind kind, const struct part *at)
{
	struct received_part now = {.kind = kind, .item = at->item, .part = at->part};
	if (find_received(d, kind, at)) {
		return true;
	}
	if (d->received.len / sizeof(now) == RECEIVED_LIMIT || !draft_reserve(d, sizeof(now))) {
		d->marks |= READING_TOO_LARGE;
		return true;
	}
	buf_append(&d->received, &now, sizeof(now));
	return false;
}

static enum stretch_kind stretch_of(enum received_kind kind)
{
	switch (kind) {
	case RECEIVED_REASONING:
	case RECEIVED_SUMMARY:
		return STRETCH_REASONING;
	case RECEIVED_REFUSAL:
		return STRETCH_REFUSAL;
	default:
		return STRETCH_TEXT;
	}
}

/* Whether the part is a summary of reasoning whose full text was received too. Such a summary adds
 * nothing. */
static bool is_summed_up(struct draft *d, enum received_kind kind, const struct part *at)
{
	const struct received_part *all =
	        (const struct received_part *)(const void *)d->received.data;
	enum received_kind other = kind == RECEIVED_SUMMARY     ? RECEIVED_REASONING
	                           : kind == RECEIVED_REASONING ? RECEIVED_SUMMARY
	                                                        : kind;
	for (size_t i = d->received.len / sizeof(*all); other != kind && i-- > 0;) {
		if (all[i].kind == other && all[i].item == at->item) {
			return true;
		}
	}
	return false;
}

bool received_is_known(struct draft *d, enum received_kind kind, const struct part *at)
{
	return is_summed_up(d, kind, at) || find_received(d, kind, at);
}

static bool holds_text(const struct json_token *t)
{
	return t->type == JSON_TOKEN_STRING && t->len > 2;
}

/* Appends a piece of the part's text. It repeats no piece of another part. */
static void append_piece(
        struct draft *d, enum received_kind kind, const struct part *at, const struct json_token *t)
{
	struct buf *text = draft_text(at->choice, stretch_of(kind));
	size_t from = text->len;
	struct received_part *part = find_received(d, kind, at);
	bool is_first = !part || part->to == 0;
	at->choice->repetitions[stretch_of(kind)].differs |= is_first && from > 0;
	draft_append(d, at->choice, stretch_of(kind), t);
	if (part) {
		part->from = is_first ? from : part->from;
		part->to = text->len;
	}
}

void received_add_piece(
        struct draft *d, enum received_kind kind, const struct part *at, const struct json_token *t)
{
	if (holds_text(t) && !is_summed_up(d, kind, at)) {
		received_add(d, kind, at);
		append_piece(d, kind, at, t);
	}
}

/* Whether the whole text repeats what was received of the part. */
static bool repeats(
        struct draft *d, enum received_kind kind, const struct part *at, const struct json_token *t)
{
	const struct received_part *part = find_received(d, kind, at);
	buf_clear(&d->scratch);
	json_token_unescape(t, &d->scratch);
	return part && repetition_is_of(buf_part(draft_text(at->choice, stretch_of(kind)),
	                                        part->from, part->to),
	                       buf_span(&d->scratch));
}

void received_add_whole(
        struct draft *d, enum received_kind kind, const struct part *at, const struct json_token *t)
{
	if (!holds_text(t) || is_summed_up(d, kind, at)) {
		return;
	}
	if (!received_add(d, kind, at)) {
		append_piece(d, kind, at, t);
	} else if (!repeats(d, kind, at, t)) {
		members_add_unknown(d, MEMBER_OF_RESPONSE, SPAN("output"));
	}
}
