#include "analyzer/annotate/score_answers.h"

#include <stdlib.h>
#include <string.h>

#include "backends/scoring/score_task.h"
#include "base/inflate.h"
#include "base/mem.h"
#include "capture/resend.h"

#define RAW_LIMIT ((size_t)64 << 20)

struct work {
	struct score_job *job;
	struct annotator_items list;
	struct id manifest; /* as recorded; zero: not yet, or nothing is known */
};

static bool is_wanted(const struct leg_row *leg, const char *of)
{
	bool its = of ? leg->backend && strcmp(leg->backend, of) == 0 : leg->role == ROLE_PRIMARY;
	return its && !(leg->marks & LEG_SCORED) && leg->status >= 200 && leg->status < 300;
}

/* Whether the backend has scored the answer after the prompt that is to be used now. */
static bool is_scored(
        const struct capture_exchange *e, const struct leg_row *leg, const struct score_job *j)
{
	uint32_t prompt = j->scorer.prompt == SCORE_PROMPT_PRIMARY ? LEG_GIVEN_PROMPT : 0;
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		if (leg_has_scores(row->marks) && !(row->marks & LEG_TRUNCATED) &&
		        (row->marks & LEG_GIVEN_PROMPT) == prompt &&
		        row->outcome == OUTCOME_COMPLETE && row->backend &&
		        strcmp(row->backend, j->name) == 0 &&
		        id_compare(row->score_of, leg->id) == 0) {
			return true;
		}
	}
	return false;
}

/* Lists the answers. This reads only rows. */
static void list(struct work *w)
{
	struct score_job *j = w->job;
	struct capture_exchange e;
	while (capture_next(j->capture, &e) == 1) {
		bool usable = !e.absent && endpoint_is_openai(e.row.endpoint);
		for (size_t i = 0; usable && i < e.n_legs; i++) {
			const struct leg_row *leg = &e.legs[i].row;
			if (is_wanted(leg, j->of) && is_scored(&e, leg, j)) {
				j->already++;
			} else if (is_wanted(leg, j->of)) {
				annotator_items_add(
				        &w->list, &(struct annotator_item){e.row.id, leg->id, 0});
			}
		}
		capture_exchange_finish(&e);
	}
	j->wanted = MIN(w->list.n, j->limit);
}

/* The answer's body without its content coding; empty if it can't be read. */
static void read_raw(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct buf *to)
{
	struct buf raw = {0};
	struct span coding = span_of(e->legs[leg].row.content_encoding);
	int r = capture_response_body(c, e, leg, &raw);
	if (r == 0 && coding.len > 0 && !span_is_nocase(coding, "identity")) {
		r = inflate_body(coding, buf_span(&raw), RAW_LIMIT, to);
	} else if (r == 0) {
		buf_append_span(to, buf_span(&raw));
	}
	if (r < 0) {
		buf_clear(to);
	}
	buf_finish(&raw);
}

/* Reads what is to be scored. NULL, or why it cannot be scored. */
static const char *read_subject(
        struct capture *c, const struct capture_exchange *e, size_t leg, struct score_subject *ret)
{
	struct buf sent = {0}, raw = {0};
	struct reading *r = NULL;
	const char *why = NULL;
	if (resend_is_redacted(&e->row) || e->legs[leg].row.redactions > 0) {
		why = "private text in it was replaced";
	} else if (capture_sent_body(c, e, leg, &sent) < 0) {
		why = "the body of the request is not in the capture";
	} else if (capture_reading(c, e, leg, &r) < 0) {
		why = "the body of the answer is not in the capture";
	} else {
		read_raw(c, e, leg, &raw);
		why = score_subject_read(e->row.endpoint, buf_span(&sent), r, buf_span(&raw), ret);
	}
	reading_destroy(r);
	buf_finish(&sent);
	buf_finish(&raw);
	return why;
}

/* Reads the answer into the task's subject. NULL, or why it cannot be scored. */
static const char *read_answer(const struct score_job *j, const struct annotator_item *item,
        struct score_subject *ret, struct score_task *task, char **ret_model)
{
	struct capture_exchange e;
	if (capture_find(j->capture, item->exchange, &e) < 0) {
		return "it can no longer be read";
	}
	size_t leg = capture_leg_index(&e, item->leg);
	const char *why = leg < e.n_legs ? read_subject(j->capture, &e, leg, ret)
	                                 : "it can no longer be read";
	const char *model = j->model(j->arg, e.row.model);
	*ret_model = model ? xstrdup(model) : NULL;
	task->about.body_bytes = capture_request_bytes(j->capture, &e);
	capture_exchange_finish(&e);
	return why;
}

static bool ask(struct annotator *a, void *arg, void *client, size_t from, size_t to)
{
	struct work *w = arg;
	struct score_job *j = w->job;
	const struct annotator_item *item = &w->list.items[from];
	struct score_subject subject = {0};
	struct scorer_result r = {.end = QUESTION_UNABLE};
	char *model = NULL;
	uint64_t tokens = 0;
	struct score_task task = {
	        .about = annotator_common(a),
	        .subject = &subject,
	        .recorder = j->to->recorder,
	        .book = j->to->book,
	};
	task.about.exchange = item->exchange;
	task.about.of = item->leg;
	annotator_lock(a);
	const char *why = read_answer(j, item, &subject, &task, &model);
	if (!why && id_is_zero(w->manifest)) {
		w->manifest =
		        recording_manifest(j->to->recorder, j->manifest, j->name, j->url, j->role);
	}
	task.about.manifest = w->manifest;
	annotator_unlock(a);
	if (!why) {
		task.model = model;
		score_task_run(client, &task, &r, &tokens);
	}
	annotator_lock(a);
	annotator_count(a, r.end, why ? why : r.why);
	j->tokens += tokens;
	annotator_unlock(a);
	bool asked = r.end != QUESTION_UNABLE;
	scorer_result_finish(&r);
	score_subject_finish(&subject);
	free(model);
	return asked;
}

static void *open_scorer(const void *arg, char **ret_error)
{
	const struct work *w = arg;
	return scorer_create(&w->job->scorer, ret_error);
}

static void close_scorer(void *client)
{
	scorer_destroy(client);
}

static void stop_scorer(void *client)
{
	scorer_stop(client);
}

char *score_answers(struct score_job *j)
{
	struct work w = {.job = j};
	char *error = NULL;
	list(&w);
	if (w.list.n > 0) {
		const struct annotator_settings settings = {
		        .to = j->to,
		        .common = {.backend = j->name, .url = j->url, .role = j->role},
		        .noun = "scores",
		        .workers = j->concurrency,
		        .items = w.list.n,
		        .questions = j->wanted,
		        .limit = j->limit,
		        .arg = &w,
		        .ask = ask,
		        .open = open_scorer,
		        .close = close_scorer,
		        .stop = stop_scorer,
		};
		error = annotator_run(&settings, &j->tally);
	}
	free(w.list.items);
	return error;
}
