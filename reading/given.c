#include "reading/given.h"

#define GIVEN_LIMIT 4096

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

bool given_take(struct draft *d, enum given_kind kind, const struct part *at)
{
	struct given now = {.kind = kind, .item = at->item, .part = at->part};
	if (find_given(d, kind, at)) {
		return true;
	}
	if (d->given.len / sizeof(now) == GIVEN_LIMIT || !draft_take(d, sizeof(now))) {
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

/* A summary of thoughts that are shown themselves says nothing new. */
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

void given_add_piece(
        struct draft *d, enum given_kind kind, const struct part *at, const struct json_token *t)
{
	if (t->type == JSON_STRING && t->len > 2 && !is_summed_up(d, kind, at)) {
		given_take(d, kind, at);
		draft_append(d, at->choice, stretch_of(kind), t);
	}
}

void given_add_whole(
        struct draft *d, enum given_kind kind, const struct part *at, const struct json_token *t)
{
	if (t->type == JSON_STRING && t->len > 2 && !is_summed_up(d, kind, at) &&
	        !given_take(d, kind, at)) {
		draft_append(d, at->choice, stretch_of(kind), t);
	}
}
