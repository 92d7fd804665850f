#include "capture/leg_flaw.h"

#include <stdio.h>

enum flaw leg_flaw(const struct leg_row *leg, const struct reading *r)
{
	if (leg->status >= 400) {
		return FLAW_STATUS;
	}
	if (leg->outcome != OUTCOME_COMPLETE) {
		return FLAW_OUTCOME;
	}
	if (leg->status < 200) {
		return FLAW_STATUS;
	}
	if (!r && (leg->marks & (LEG_UNREAD | LEG_TRUNCATED))) {
		return FLAW_NONE;
	}
	uint32_t marks = r ? r->marks : leg->reading_marks;
	if (leg->marks & LEG_IMPORTED) {
		marks &= ~(uint32_t)READING_CUT;
	}
	enum flaw f = flaw_of_marks(marks);
	/* Rows of older versions do not store the flaw that follows from the finish reason. */
	return f == FLAW_NONE && !r ? flaw_of_finish(leg->finish) : f;
}

/* Returns the first finish reason that has this flaw. */
static const char *reason_of(const struct leg_row *leg, const struct reading *r, enum flaw f)
{
	for (size_t i = 0; r && i < r->n_choices; i++) {
		if (flaw_of_finish(r->choices[i].finish) == f) {
			return r->choices[i].finish;
		}
	}
	return flaw_of_finish(leg->finish) == f ? leg->finish : NULL;
}

bool leg_is_whole_answer(const struct leg_row *leg)
{
	return leg_flaw(leg, NULL) == FLAW_NONE && !(leg->marks & (LEG_SCORED | LEG_TRUNCATED));
}

void leg_flaw_print(
        const struct leg_row *leg, const struct reading *r, enum flaw f, char to[FLAW_TEXT_SIZE])
{
	if (f == FLAW_STATUS) {
		snprintf(to, FLAW_TEXT_SIZE, "HTTP %d", leg->status);
	} else if (f == FLAW_OUTCOME) {
		bool known = leg->outcome >= OUTCOME_COMPLETE && leg->outcome < N_OUTCOMES;
		snprintf(to, FLAW_TEXT_SIZE, "%s", known ? outcome_name(leg->outcome) : "unknown");
	} else {
		flaw_print(f, reason_of(leg, r, f), to);
	}
}

struct reading *leg_whole_reading(struct capture *c, const struct capture_exchange *e, size_t leg)
{
	const struct leg_row *row = &e->legs[leg].row;
	struct reading *r;
	if (leg_flaw(row, NULL) != FLAW_NONE || (row->marks & LEG_TRUNCATED) ||
	        capture_reading(c, e, leg, &r) < 0) {
		return NULL;
	}
	if (leg_flaw(row, r) != FLAW_NONE || r->n_choices == 0) {
		reading_destroy(r);
		return NULL;
	}
	return r;
}
