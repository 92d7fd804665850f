#include "replay/sessions.h"

#include <stdlib.h>

#include "capture/edits.h"
#include "base/json.h"
#include "base/mem.h"

/* An answer, linked to the earlier answers in its session. */
struct turn_answer {
	struct turn_answer *before;
	uint32_t holders;       /* later answers, and sends that may still need it */
	uint32_t message_index; /* its place among the messages */
	char *json;             /* its text, as a JSON string */
};

struct sessions {
	const struct plan *plan;
	/* by send: the number of sends directly after it that need its answer */
	uint32_t *waiting;
	struct turn_answer **answers; /* by send */
};

static uint32_t turn_before(const struct sessions *s, uint32_t send)
{
	return s->plan->sends[send].after;
}

struct sessions *sessions_create(const struct plan *p)
{
	struct sessions *s = xcalloc(1, sizeof(*s));
	s->plan = p;
	s->waiting = xcalloc(p->n_sends + 1, sizeof(*s->waiting));
	s->answers = xcalloc(p->n_sends + 1, sizeof(struct turn_answer *));
	/* A turn comes later in the order than the one before it. So in a pass from the end,
	 * each send's waiting turns are known when it is reached. */
	for (size_t i = p->n_sends; i-- > 0;) {
		const struct plan_send *send = &p->sends[i];
		bool needed = !send->skipped || s->waiting[i] > 0;
		if (needed && send->after != PLAN_NONE) {
			s->waiting[send->after]++;
		}
	}
	return s;
}

static void release(struct turn_answer *a)
{
	while (a && --a->holders == 0) {
		struct turn_answer *then = a->before;
		free(a->json);
		free(a);
		a = then;
	}
}

void sessions_destroy(struct sessions *s)
{
	if (!s) {
		return;
	}
	for (size_t i = 0; i < s->plan->n_sends; i++) {
		for (; s->answers[i] && s->waiting[i] > 0; s->waiting[i]--) {
			release(s->answers[i]);
		}
	}
	free(s->waiting);
	free(s->answers);
	free(s);
}

bool sessions_wants(const struct sessions *s, uint32_t send)
{
	return s->waiting[send] > 0;
}

void sessions_answer(struct sessions *s, uint32_t send, uint32_t n_messages, struct span text)
{
	uint32_t earlier = turn_before(s, send);
	expect(s->waiting[send] > 0 && !s->answers[send]);
	if (earlier != PLAN_NONE && !s->answers[earlier]) {
		return; /* an earlier answer is missing, so the history would have a gap */
	}
	struct turn_answer *a = xcalloc(1, sizeof(*a));
	struct buf json = {0};
	json_put_string(&json, text);
	*a = (struct turn_answer){
	        .holders = s->waiting[send], .message_index = n_messages, .json = buf_steal(&json)};
	if (earlier != PLAN_NONE) {
		a->before = s->answers[earlier];
		a->before->holders++;
	}
	s->answers[send] = a;
}

void sessions_answer_read(
        struct sessions *s, uint32_t send, uint32_t n_messages, const struct reading *reading)
{
	struct buf text = {0};
	if (reading->n_choices == 0 || reading->choices[0].n_calls > 0) {
		return;
	}
	choice_answer(&reading->choices[0], &text);
	sessions_answer(s, send, n_messages, buf_span(&text));
	buf_finish(&text);
}

void sessions_send_ended(struct sessions *s, uint32_t send)
{
	uint32_t earlier = turn_before(s, send);
	bool needed = !s->plan->sends[send].skipped || s->waiting[send] > 0;
	if (earlier == PLAN_NONE || !needed) {
		return;
	}
	expect(s->waiting[earlier] > 0);
	struct turn_answer *a = s->answers[earlier];
	if (--s->waiting[earlier] == 0) {
		s->answers[earlier] = NULL;
	}
	release(a);
}

static const char *replace(
        const struct turn_answer *a, struct span body, struct span message, struct edits *edits)
{
	struct json_token value;
	struct span content;
	if (!json_find_member(message, "role", &value, NULL) ||
	        !json_token_is_string(&value, "assistant")) {
		return "its history lacks the answer to the turn before";
	}
	if (json_find_member(message, "tool_calls", &value, NULL) &&
	        value.type == JSON_TOKEN_ARRAY) {
		return "its history has tool calls, whose results can't be made again";
	}
	if (!json_find_member(message, "content", &value, &content)) {
		return "its history lacks the answer to the turn before";
	}
	edits_add(edits, (size_t)(content.data - body.data), content.len, span_of(a->json));
	return NULL;
}

/* Makes one edit for each answer. NULL, or why it is impossible. */
static const char *find_edits(const struct turn_answer *last, struct span body, struct edits *edits)
{
	struct json_token first;
	struct span messages;
	struct json j;
	const char *why = NULL;
	uint32_t at = 0, found = 0, wanted = 0;
	if (!json_find_member(body, "messages", &first, &messages) ||
	        first.type != JSON_TOKEN_ARRAY) {
		return "it is not a chat";
	}
	for (const struct turn_answer *a = last; a; a = a->before) {
		wanted++;
	}
	json_begin_lenient(&j, messages);
	for (struct json_token t; !why && (t = json_next(&j)).type == JSON_TOKEN_OBJECT; at++) {
		struct span message = json_skip(&j, &t);
		const struct turn_answer *a = last;
		while (a && a->message_index != at) {
			a = a->before;
		}
		if (a) {
			why = replace(a, body, message, edits);
			found++;
		}
	}
	return why || found == wanted ? why : "its history lacks the answer to the turn before";
}

const char *sessions_put(const struct sessions *s, uint32_t send, struct span body, struct buf *to)
{
	uint32_t earlier = turn_before(s, send);
	expect(earlier != PLAN_NONE);
	if (!s->answers[earlier]) {
		return "the turn before it has no answer for its history";
	}
	struct edits edits = {0};
	const char *why = find_edits(s->answers[earlier], body, &edits);
	if (!why) {
		edits_sort(&edits);
		edits_apply(edits.items, edits.n, body, to);
	}
	edits_finish(&edits);
	return why;
}
