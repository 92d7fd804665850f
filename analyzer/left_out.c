#include "analyzer/left_out.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "capture/leg_flaw.h"

static bool count_cut(const struct leg_row *leg, uint64_t counts[N_OUTCOMES])
{
	if (leg->outcome == OUTCOME_COMPLETE) {
		return false;
	}
	counts[leg->outcome < N_OUTCOMES ? leg->outcome : 0]++;
	return true;
}

bool left_out_is_cut(struct left_out *out, const struct leg_row *base, const struct leg_row *test)
{
	return count_cut(base, out->base_cut) || count_cut(test, out->test_cut);
}

/* Why one answer says nothing. */
enum fate { FATE_FINE, FATE_ERROR, FATE_UNREADABLE, FATE_UNRECORDED, FATE_UNFINISHED };

static enum fate fate_of_flaw(enum flaw f)
{
	switch (f) {
	case FLAW_NONE:
		return FATE_FINE;
	case FLAW_MALFORMED:
	case FLAW_EMPTY:
		return FATE_UNREADABLE;
	case FLAW_UNFINISHED:
	case FLAW_UNKNOWN_FINISH:
		return FATE_UNFINISHED;
	default:
		return FATE_ERROR;
	}
}

static enum fate fate_of(const struct left_out_leg *leg, char why[FLAW_TEXT_SIZE])
{
	const struct reading *r = leg->reading;
	enum flaw f = leg_flaw(leg->row, r);
	if (f != FLAW_NONE) {
		leg_flaw_print(leg->row, r, f, why);
		return fate_of_flaw(f);
	}
	if (!r && (leg->row->marks & LEG_TRUNCATED)) {
		snprintf(why, FLAW_TEXT_SIZE, "the recorder kept no body");
		return FATE_UNRECORDED;
	}
	uint32_t bad = READING_TOO_LARGE | READING_ENCODED;
	if (!r || (r->marks & bad) || (r->n_choices == 0 && r->n_embeddings == 0)) {
		snprintf(why, FLAW_TEXT_SIZE, "can't be read");
		return FATE_UNREADABLE;
	}
	return FATE_FINE;
}

static void count(struct left_out *out, enum fate fate, bool of_base, const char *why)
{
	out->base_error += fate == FATE_ERROR && of_base;
	out->test_error += fate == FATE_ERROR && !of_base;
	out->unreadable += fate == FATE_UNREADABLE;
	out->unrecorded += fate == FATE_UNRECORDED;
	out->unfinished += fate == FATE_UNFINISHED;
	reasons_add(of_base ? &out->base_why : &out->test_why, why);
}

static bool names(const struct reading *r, struct span name)
{
	const char *at = r->unknown;
	struct span other = reading_next_unknown(&at);
	while (other.len && !span_equal(other, name)) {
		other = reading_next_unknown(&at);
	}
	return other.len > 0;
}

/* A member of both sides counts once. False: all of both is read. */
static bool count_unread(
        struct left_out *out, const struct reading *base, const struct reading *test)
{
	const struct reading *sides[] = {base, test};
	for (size_t i = 0; i < ARRAY_LEN(sides); i++) {
		const char *at = sides[i]->unknown;
		struct span name;
		while ((name = reading_next_unknown(&at)).len) {
			char *text = span_dup(name);
			if (i == 0 || !names(base, name)) {
				reasons_add(&out->unread_members, text);
			}
			free(text);
		}
	}
	bool unread = base->unknown || test->unknown;
	out->unread += unread;
	return unread;
}

/* Of a pair of which neither is fine, an error tells more than what else is wrong. */
bool left_out_count(
        struct left_out *out, const struct left_out_leg *base, const struct left_out_leg *test)
{
	char base_why[FLAW_TEXT_SIZE], test_why[FLAW_TEXT_SIZE];
	enum fate b = fate_of(base, base_why), t = fate_of(test, test_why);
	if (b == FATE_FINE && t == FATE_FINE) {
		return count_unread(out, base->reading, test->reading);
	}
	bool of_base = b == FATE_ERROR || (b != FATE_FINE && t != FATE_ERROR);
	count(out, of_base ? b : t, of_base, of_base ? base_why : test_why);
	return true;
}

uint64_t left_out_total(const struct left_out *l)
{
	uint64_t n = l->unfinished + l->base_error + l->test_error + l->unreadable + l->unread +
	             l->unrecorded + l->metadata;
	for (size_t i = 0; i < N_OUTCOMES; i++) {
		n += l->base_cut[i] + l->test_cut[i];
	}
	return n;
}

void left_out_merge(struct left_out *l, const struct left_out *other)
{
	for (size_t i = 0; i < N_OUTCOMES; i++) {
		l->base_cut[i] += other->base_cut[i];
		l->test_cut[i] += other->test_cut[i];
	}
	l->unfinished += other->unfinished;
	l->base_error += other->base_error;
	l->test_error += other->test_error;
	l->unreadable += other->unreadable;
	l->unread += other->unread;
	l->unrecorded += other->unrecorded;
	l->metadata += other->metadata;
	l->unlike_choices += other->unlike_choices;
	reasons_merge(&l->base_why, &other->base_why);
	reasons_merge(&l->test_why, &other->test_why);
	reasons_merge(&l->unread_members, &other->unread_members);
}

void left_out_finish(struct left_out *l)
{
	reasons_finish(&l->base_why);
	reasons_finish(&l->test_why);
	reasons_finish(&l->unread_members);
}
