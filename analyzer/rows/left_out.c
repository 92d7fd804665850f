#include "analyzer/rows/left_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/enum_names.h"

ENUM_NAMES(left_out_reason_name, enum left_out_reason, "none", "cut", "unfinished", "error",
        "unreadable", "unread", "unrecorded", "metadata");

static bool find_cut(const struct leg_row *leg, bool of_base, struct left_out_why *ret)
{
	if (leg->outcome == OUTCOME_COMPLETE) {
		return false;
	}
	*ret = (struct left_out_why){.reason = LEFT_OUT_CUT, .of_base = of_base};
	ret->outcome = leg->outcome < N_OUTCOMES ? leg->outcome : 0;
	return true;
}

bool left_out_is_cut(
        const struct leg_row *base, const struct leg_row *test, struct left_out_why *ret)
{
	return find_cut(base, true, ret) || find_cut(test, false, ret);
}

static enum left_out_reason reason_of_flaw(enum flaw f)
{
	switch (f) {
	case FLAW_NONE:
		return LEFT_OUT_NOT;
	case FLAW_MALFORMED:
	case FLAW_EMPTY:
		return LEFT_OUT_UNREADABLE;
	case FLAW_UNFINISHED:
	case FLAW_UNKNOWN_FINISH:
		return LEFT_OUT_UNFINISHED;
	default:
		return LEFT_OUT_ERROR;
	}
}

static enum left_out_reason reason_of(const struct left_out_leg *leg, char why[FLAW_TEXT_SIZE])
{
	const struct reading *r = leg->reading;
	enum flaw f = leg_flaw(leg->row, r);
	if (f != FLAW_NONE) {
		leg_flaw_print(leg->row, r, f, why);
		return reason_of_flaw(f);
	}
	if (!r && (leg->row->marks & LEG_TRUNCATED)) {
		snprintf(why, FLAW_TEXT_SIZE, "the recorder kept no body");
		return LEFT_OUT_UNRECORDED;
	}
	uint32_t bad = READING_TOO_LARGE | READING_ENCODED;
	if (!r || (r->marks & bad) || (r->n_choices == 0 && r->n_embeddings == 0)) {
		snprintf(why, FLAW_TEXT_SIZE, "can't be read");
		return LEFT_OUT_UNREADABLE;
	}
	return LEFT_OUT_NOT;
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

static void add_member(char to[LEFT_OUT_MEMBERS_SIZE], struct span name)
{
	size_t n = strlen(to);
	if (n + 1 + name.len < LEFT_OUT_MEMBERS_SIZE) {
		snprintf(to + n, LEFT_OUT_MEMBERS_SIZE - n, "%s%.*s", n ? " " : "", (int)name.len,
		        name.data);
	}
}

/* Collects the members that plumbline does not read; one that both sides have counts once.
 * Returns false if it reads everything. */
static bool find_unread(
        const struct reading *base, const struct reading *test, struct left_out_why *ret)
{
	const struct reading *sides[] = {base, test};
	if (!base->unknown && !test->unknown) {
		return false;
	}
	*ret = (struct left_out_why){.reason = LEFT_OUT_UNREAD, .of_base = base->unknown};
	for (size_t i = 0; i < ARRAY_LEN(sides); i++) {
		const char *at = sides[i]->unknown;
		struct span name;
		while ((name = reading_next_unknown(&at)).len) {
			if (i == 0 || !names(base, name)) {
				add_member(ret->members, name);
			}
		}
	}
	return true;
}

/* If both sides have a flaw, an error is reported rather than another flaw. */
bool left_out_find(
        const struct left_out_leg *base, const struct left_out_leg *test, struct left_out_why *ret)
{
	struct left_out_why b = {.of_base = true}, t = {.of_base = false};
	b.reason = reason_of(base, b.text);
	t.reason = reason_of(test, t.text);
	if (b.reason == LEFT_OUT_NOT && t.reason == LEFT_OUT_NOT) {
		return find_unread(base->reading, test->reading, ret);
	}
	bool of_base = b.reason == LEFT_OUT_ERROR ||
	               (b.reason != LEFT_OUT_NOT && t.reason != LEFT_OUT_ERROR);
	*ret = of_base ? b : t;
	return true;
}

static void add_members(struct left_out *l, const char *members)
{
	struct span name;
	while ((name = reading_next_unknown(&members)).len) {
		char *text = span_dup(name);
		name_counts_add(&l->unread_members, text, 1);
		free(text);
	}
}

void left_out_add(struct left_out *l, const struct left_out_why *why)
{
	enum side side = why->of_base ? SIDE_BASE : SIDE_TEST;
	l->pairs[why->reason][side]++;
	l->cuts[side][why->outcome] += why->reason == LEFT_OUT_CUT;
	if (*why->text) {
		name_counts_add(&l->why[side], why->text, 1);
	}
	add_members(l, why->members);
}

uint64_t left_out_pairs(const struct left_out *l, enum left_out_reason r)
{
	return l->pairs[r][SIDE_BASE] + l->pairs[r][SIDE_TEST];
}

uint64_t left_out_total(const struct left_out *l)
{
	uint64_t n = 0;
	for (enum left_out_reason r = LEFT_OUT_NOT + 1; r < N_LEFT_OUT_REASONS; r++) {
		n += left_out_pairs(l, r);
	}
	return n;
}

void left_out_finish(struct left_out *l)
{
	name_counts_finish(&l->why[SIDE_BASE]);
	name_counts_finish(&l->why[SIDE_TEST]);
	name_counts_finish(&l->unread_members);
}

bool left_out_leg_has_failed(const struct leg_row *leg, const struct reading *r)
{
	switch (leg->outcome) {
	case OUTCOME_REFUSED:
	case OUTCOME_TIMEOUT:
	case OUTCOME_BROKEN:
	case OUTCOME_BAD_ANSWER:
		return true;
	case OUTCOME_COMPLETE:
		return leg_flaw(leg, r) != FLAW_NONE;
	default:
		return false;
	}
}
