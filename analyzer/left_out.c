#include "analyzer/left_out.h"

#include "base/check.h"

static bool is_error(const struct leg_row *leg, const struct reading *r)
{
	return leg->status < 200 || leg->status > 299 || (r->marks & READING_ERROR_BODY);
}

/* A file of results does not tell why an answer ended: it is taken as whole. */
static bool is_unfinished(const struct leg_row *leg, const struct reading *r)
{
	if (leg->marks & LEG_IMPORTED) {
		return false;
	}
	for (size_t i = 0; i < r->n_choices; i++) {
		if (!r->choices[i].finish) {
			return true;
		}
	}
	return false;
}

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

bool left_out_count(
        struct left_out *out, const struct left_out_leg *base, const struct left_out_leg *test)
{
	const struct reading *b = base->reading, *t = test->reading;
	if (!b || !t) {
		bool let_go = (!b && base->row->marks & LEG_TRUNCATED) ||
		              (!t && test->row->marks & LEG_TRUNCATED);
		out->unrecorded += let_go;
		out->unreadable += !let_go;
		return true;
	}
	if (is_error(base->row, b) || is_error(test->row, t)) {
		out->base_error += is_error(base->row, b);
		out->test_error += !is_error(base->row, b);
		return true;
	}
	uint32_t bad = READING_NOT_JSON | READING_TOO_LARGE | READING_ENCODED;
	bool nothing = (b->n_choices == 0 && b->n_embeddings == 0) ||
	               (t->n_choices == 0 && t->n_embeddings == 0);
	if (((b->marks | t->marks) & bad) || nothing) {
		out->unreadable++;
		return true;
	}
	if (is_unfinished(base->row, b) || is_unfinished(test->row, t)) {
		out->unfinished++;
		return true;
	}
	return false;
}

uint64_t left_out_total(const struct left_out *l)
{
	uint64_t n = l->unfinished + l->base_error + l->test_error + l->unreadable + l->unrecorded +
	             l->metadata;
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
	l->unrecorded += other->unrecorded;
	l->metadata += other->metadata;
	l->unlike_choices += other->unlike_choices;
}
