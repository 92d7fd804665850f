#include "backends/engine/playback.h"

#include <stdlib.h>

#include "backends/engine/delivery.h"
#include "backends/engine/recorded_answers.h"
#include "base/clock.h"
#include "base/mem.h"

#define PLAYBACK_MAGIC 0x706c6179u

struct playback {
	uint32_t magic;
	struct responder responder;
	struct engine_client *client;
	struct recorded_answer answer;
	uint64_t began;        /* clock_mono() ns */
	size_t next;           /* of the moments */
	size_t sent;           /* bytes of the body */
	bool head_sent, waits; /* for the backlog to go */
	struct buf fields;     /* of the head */
};

static void play(struct engine_client *c);

static struct playback *playing(struct responder *r)
{
	struct playback *p = CONTAINER_OF(r, struct playback, responder);
	expect(p->magic == PLAYBACK_MAGIC);
	return p;
}

static void destroy(struct playback *p)
{
	p->client->worker->running--;
	recorded_answer_finish(&p->answer);
	buf_finish(&p->fields);
	p->magic = 0;
	free(p);
}

static void cancel(struct responder *r)
{
	struct playback *p = playing(r);
	p->client->worker->n_cancelled++;
	destroy(p);
}

static void drained(struct responder *r)
{
	struct playback *p = playing(r);
	if (p->waits) {
		p->waits = false;
		engine_client_wait(p->client, 0, play);
	}
}

static const struct responder_kind KIND = {cancel, drained};

/* Converts a recorded time to the present playback's clock. */
static uint64_t due(const struct playback *p, uint64_t us)
{
	double speed = p->client->worker->options->speed;
	return speed > 0 ? p->began + (uint64_t)((double)us * 1000 / speed) : 0;
}

static void end(struct playback *p)
{
	struct engine_client *c = p->client;
	bool broken = p->answer.broken;
	c->responder = NULL;
	destroy(p);
	if (broken) {
		delivery_break(c, ENGINE_CLIENT_CLOSE);
	} else {
		delivery_end(c);
	}
}

/* Sends the pieces that are due. False: more follow, at *ret_at or when the backlog was sent. */
static bool send_due(struct playback *p, uint64_t *ret_at)
{
	const struct recorded_answer *r = &p->answer;
	uint64_t now = clock_mono();
	if (!p->head_sent) {
		*ret_at = due(p, r->head_us);
		if (*ret_at > now) {
			return false;
		}
		delivery_begin_recorded(p->client, r->status, buf_span(&p->fields),
		        r->stream || r->broken ? -1 : (int64_t)r->body.len);
		p->head_sent = true;
	}
	for (; p->next < r->n_moments; p->next++) {
		const struct recorded_answer_moment *m = &r->moments[p->next];
		*ret_at = due(p, m->us);
		if (*ret_at > now) {
			return false;
		}
		if (engine_client_backlog(p->client) > ENGINE_CLIENT_BACKLOG_LIMIT) {
			p->waits = true;
			return false;
		}
		delivery_piece(p->client, buf_part(&r->body, p->sent, m->bytes));
		p->sent = m->bytes;
	}
	*ret_at = due(p, r->end_us);
	return *ret_at <= now;
}

static void play(struct engine_client *c)
{
	uint64_t at = 0;
	struct playback *p = playing(c->responder);
	if (send_due(p, &at)) {
		end(p);
	} else if (!p->waits) {
		uint64_t now = clock_mono();
		engine_client_wait(c, at > now ? at - now : 0, play);
	}
}

static void put_fields(struct playback *p, const struct recorded_answers_found *found)
{
	static const char *const MATCHES[] = {[RECORDED_ANSWERS_EXACT] = "exact",
	        [RECORDED_ANSWERS_PROMPT] = "prompt",
	        [RECORDED_ANSWERS_NEAREST] = "nearest"};
	char id[ID_TEXT_SIZE];
	buf_append_span(&p->fields, buf_span(&p->answer.fields));
	buf_printf(&p->fields, "x-plumbline-recorded: %s; take=%u/%u\r\n",
	        id_format(found->exchange, id), found->take, found->takes);
	buf_printf(&p->fields, "x-plumbline-match: %s", MATCHES[found->match]);
	if (found->match == RECORDED_ANSWERS_NEAREST) {
		buf_printf(&p->fields, "; similarity=%.2f", found->similarity);
	}
	buf_append_str(&p->fields, "\r\n");
}

static void refuse(struct engine_client *c, enum recorded_answers_match match,
        const struct request_facts *facts)
{
	struct engine_problem problem;
	switch (match) {
	case RECORDED_ANSWERS_NO_PROMPT:
		engine_problem_set(&problem, NULL,
		        "This engine serves recorded answers and finds them by the prompt. This "
		        "request has no prompt: its path is not known, or its body is not a "
		        "JSON object with a prompt.");
		break;
	case RECORDED_ANSWERS_OTHER_FORM:
		engine_problem_set(&problem, NULL, "This prompt was recorded only %s.",
		        facts->stream ? "without \"stream\": true"
		                      : "as a stream (\"stream\": true)");
		break;
	case RECORDED_ANSWERS_OTHER_MODEL:
		engine_problem_set(&problem, "model",
		        "This prompt was not recorded with the model \"%.128s\". "
		        "/v1/models lists the recorded models.",
		        facts->model);
		break;
	default:
		engine_problem_set(&problem, NULL,
		        "This prompt is not one of the %zu recorded prompts. With --unknown "
		        "nearest, the engine answers as to the most similar one.",
		        recorded_answers_summary(c->worker->options->tape)->n_questions);
	}
	problem.status = 404;
	delivery_problem(c, &problem);
}

void playback_begin(struct engine_client *c, const struct http_request *r)
{
	struct worker *w = c->worker;
	c->request.faults = (struct fault_set){0}; /* other faults need a generating engine */
	struct recorded_answers_found found;
	struct request_facts facts;
	enum endpoint endpoint = endpoint_of(r->method, r->target);
	request_read(endpoint, r->body, &facts);
	recorded_answers_find(w->options->tape, endpoint, r->body, &facts, &found);
	if (found.match >= RECORDED_ANSWERS_UNKNOWN) {
		refuse(c, found.match, &facts);
		return;
	}
	struct playback *p = xcalloc(1, sizeof(*p));
	*p = (struct playback){
	        .magic = PLAYBACK_MAGIC,
	        .responder = {&KIND},
	        .client = c,
	        .began = clock_mono(),
	};
	if (recorded_answers_load(w->options->tape, w->recorded, &found, &facts, &p->answer) < 0) {
		free(p);
		delivery_error(c, 500, "The recorded answer can't be read any more.");
		return;
	}
	put_fields(p, &found);
	w->n_turns++;
	w->running++;
	w->peak = MAX(w->peak, w->running);
	c->responder = &p->responder;
	play(c);
}
