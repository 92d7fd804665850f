#include "analyzer/rows/selection.h"

#include <stdlib.h>

#include "analyzer/compare/meaning/task.h"
#include "base/mem.h"

bool selection_has_conditions(const struct selection *s)
{
	return s->since_ns > 0 || s->until_ns > 0 || s->filters.n > 0;
}

/* Ids that were made from a file's lines contain no time; then the legs' times are used. */
static uint64_t time_of(const struct capture_exchange *e)
{
	if (!e->absent && e->row.wall_ns > 0) {
		return e->row.wall_ns;
	}
	uint64_t first = UINT64_MAX;
	for (size_t i = 0; i < e->n_legs; i++) {
		first = MIN(first, e->legs[i].row.start_ns);
	}
	return first < UINT64_MAX ? first : id_time_ms(e->row.id) * 1000000;
}

static const char *category_of(struct capture *c, const struct capture_exchange *e)
{
	struct buf body = {0};
	struct task task = {0};
	if (capture_request_body(c, e, &body) == 0) {
		task_read(&task, e->row.endpoint, buf_span(&body));
	}
	buf_finish(&body);
	const char *name = question_name(task.question);
	task_finish(&task);
	return name;
}

static bool is_wanted(
        const struct selection *s, struct capture *c, const struct capture_exchange *e)
{
	const struct exchange_row *row = &e->row;
	const struct filter_request request = {
	        .exchange = row->id,
	        .model = row->model,
	        .endpoint = row->endpoint,
	        .stream = row->streamed,
	        .tools = row->facts.has_tools,
	        .session = row->hashes.session,
	        .category = filters_have(&s->filters, FILTER_CATEGORY) ? category_of(c, e) : NULL,
	};
	return filters_match(&s->filters, &request);
}

/* The leg whose tokens this one scored, or itself. */
static const struct leg_row *answer_of(const struct capture_exchange *e, const struct leg_row *leg)
{
	for (size_t i = 0; (leg->marks & LEG_SCORED) && i < e->n_legs; i++) {
		if (id_compare(e->legs[i].row.id, leg->score_of) == 0) {
			return &e->legs[i].row;
		}
	}
	return leg;
}

static bool is_of_runs(const struct selection *s, const struct leg_row *leg)
{
	bool found = s->n_runs == 0;
	for (size_t i = 0; i < s->n_runs && !found; i++) {
		found = id_compare(leg->run, s->runs[i]) == 0;
	}
	return found;
}

static uint64_t take_out_legs(const struct selection *s, struct capture_exchange *e)
{
	bool *out = xcalloc(e->n_legs + 1, sizeof(*out));
	size_t kept = 0, n = e->n_legs;
	for (size_t i = 0; i < n; i++) {
		const struct leg_row *answer = answer_of(e, &e->legs[i].row);
		out[i] = !is_of_runs(s, answer) || !filters_match_leg(&s->filters, answer);
	}
	for (size_t i = 0; i < n; i++) {
		if (out[i]) {
			leg_row_finish(&e->legs[i].row);
		} else {
			e->legs[kept++] = e->legs[i];
		}
	}
	free(out);
	e->n_legs = kept;
	return n - kept;
}

bool selection_apply(const struct selection *s, struct capture *c, struct capture_exchange *e,
        struct selection_counts *counts)
{
	if (!selection_has_conditions(s) && s->n_runs == 0) {
		return true;
	}
	uint64_t at = time_of(e);
	if (at < s->since_ns) {
		counts->before++;
		return false;
	}
	if (s->until_ns > 0 && at >= s->until_ns) {
		counts->after++;
		return false;
	}
	if (!is_wanted(s, c, e)) {
		counts->others++;
		return false;
	}
	counts->legs += take_out_legs(s, e);
	return true;
}

bool selection_find(
        const struct selection *s, struct capture *c, struct id id, struct capture_exchange *ret)
{
	struct selection_counts none = {0};
	if (capture_find(c, id, ret) < 0) {
		return false;
	}
	if (!selection_apply(s, c, ret, &none)) {
		capture_exchange_finish(ret);
		return false;
	}
	return true;
}
