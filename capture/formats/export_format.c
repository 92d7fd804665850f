#include "capture/formats/export_format.h"

#include <string.h>

#include "base/ascii.h"
#include "base/http.h"
#include "base/inflate.h"
#include "base/json.h"
#include "capture/leg_flaw.h"
#include "capture/resend.h"

#define ANSWER_LIMIT ((size_t)256 << 20)

static bool is_answer(const struct leg_row *row)
{
	return !(row->marks & LEG_SCORED);
}

bool exporter_leg(const struct exporter *x, const struct capture_exchange *e, size_t *ret)
{
	for (size_t i = x->backend ? 0 : capture_first_answer(e); i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		if (!x->backend || (is_answer(row) && span_is(span_of(row->backend), x->backend))) {
			*ret = i;
			return true;
		}
	}
	return false;
}

bool export_is_redacted(const struct leg_row *row)
{
	return row->content == CONTENT_REDACTED && row->redactions > 0;
}

bool exporter_answer(
        struct exporter *x, const struct capture_exchange *e, size_t leg, struct buf *to)
{
	const struct leg_row *row = &e->legs[leg].row;
	struct span coding = span_of(row->content_encoding);
	struct buf body = {0};
	size_t before = to->len;
	bool whole = !(row->marks & LEG_TRUNCATED) && row->content != CONTENT_METADATA &&
	             !export_is_redacted(row) &&
	             capture_response_body(x->capture, e, leg, &body) == 0 &&
	             inflate_body(coding, buf_span(&body), ANSWER_LIMIT, to) == 0;
	to->len = whole ? to->len : before;
	buf_finish(&body);
	return whole;
}

const struct usage *exporter_usage(const struct exporter *x, const struct capture_exchange *e)
{
	size_t leg;
	if (!exporter_leg(x, e, &leg)) {
		return NULL;
	}
	const struct usage *u = &e->legs[leg].row.usage;
	return u->prompt_tokens > 0 && u->completion_tokens >= 0 ? u : NULL;
}

struct reading *exporter_reading(struct exporter *x, const struct capture_exchange *e, size_t leg)
{
	bool redacted = export_is_redacted(&e->legs[leg].row);
	return redacted ? NULL : leg_whole_reading(x->capture, e, leg);
}

void exporter_lose(struct exporter *x, const struct reading *r, bool with_reasoning)
{
	if (r->n_choices > 1) {
		error_tally_add(&x->lost, "choices after the first");
	}
	if (with_reasoning && r->choices[0].reasoning.len) {
		error_tally_add(&x->lost, "reasoning before answers");
	}
}

bool exporter_answer_text(
        struct exporter *x, const struct capture_exchange *e, size_t leg, struct buf *to)
{
	struct reading *reading = exporter_reading(x, e, leg);
	const struct choice *first = reading ? &reading->choices[0] : NULL;
	bool has_text = first && !first->n_calls && !first->refusal.len;
	if (has_text) {
		buf_append_span(to, buf_span(&first->text));
		exporter_lose(x, reading, true);
	}
	reading_destroy(reading);
	return has_text;
}

const char *exporter_body(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	const struct exchange_row *row = &e->row;
	if (e->absent) {
		return "its request is in another capture";
	}
	if (!row->target || !row->method) {
		return "its target is not known";
	}
	const char *why = resend_unfit(row, false);
	int r = why ? 0 : capture_request_body(x->capture, e, to);
	return r < 0 ? resend_unread(r) : why;
}

const char *exporter_request(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	size_t before = to->len;
	if (!e->absent && !endpoint_is_openai(e->row.endpoint)) {
		return "neither a chat nor a completion";
	}
	const char *why = exporter_body(x, e, to);
	struct span body = buf_part(to, before, to->len);
	return why ? why : json_is_one_object(body) ? NULL : "its body is not one JSON object";
}

bool exporter_content(struct span content, struct buf *to)
{
	struct json j;
	struct json_token t, type, text;
	t = json_begin_lenient(&j, content);
	if (t.type == JSON_TOKEN_STRING) {
		json_token_unescape(&t, to);
		return true;
	}
	if (t.type != JSON_TOKEN_ARRAY) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_OBJECT) {
		struct span part = json_skip(&j, &t);
		if (!json_find_member(part, "type", &type, NULL) ||
		        !json_token_is_string(&type, "text") ||
		        !json_find_member(part, "text", &text, NULL) ||
		        text.type != JSON_TOKEN_STRING) {
			return false;
		}
		json_token_unescape(&text, to);
	}
	return t.type == JSON_TOKEN_ARRAY_END;
}

bool export_has(struct span object, const char *member)
{
	struct json_token t;
	return json_find_member(object, member, &t, NULL) && t.type != JSON_TOKEN_NULL;
}

static const char *put_message(
        struct span message, struct buf *texts, export_message_fn each, void *arg)
{
	struct json_token role, content;
	struct span all;
	buf_clear(texts);
	if (!json_find_member(message, "role", &role, NULL) || role.type != JSON_TOKEN_STRING) {
		return "a message has no role";
	}
	if (export_has(message, "tool_calls") || export_has(message, "function_call") ||
	        json_token_is_string(&role, "tool")) {
		return "it has tool calls";
	}
	json_token_unescape(&role, texts);
	size_t role_len = texts->len;
	if (!json_find_member(message, "content", &content, &all) ||
	        !exporter_content(all, texts)) {
		return "a message has content other than text";
	}
	each(arg, buf_part(texts, 0, role_len), buf_part(texts, role_len, texts->len));
	return NULL;
}

const char *exporter_messages(struct span body, export_message_fn each, void *arg)
{
	struct json_token t;
	struct span list;
	if (!json_find_member(body, "messages", &t, &list) || t.type != JSON_TOKEN_ARRAY) {
		return "it is not a chat";
	}
	if (export_has(body, "tools")) {
		return "it offers tools";
	}
	struct buf texts = {0};
	struct json j;
	const char *why = NULL;
	json_begin_lenient(&j, list);
	while (!why && (t = json_next(&j)).type != JSON_TOKEN_ARRAY_END) {
		struct span message = json_skip(&j, &t);
		why = t.type == JSON_TOKEN_OBJECT && message.len
		              ? put_message(message, &texts, each, arg)
		              : "a message is not an object";
	}
	buf_finish(&texts);
	return why;
}

struct question {
	struct buf text;
	size_t n;
	bool by_user;
};

static void take_question(void *arg, struct span role, struct span text)
{
	struct question *q = arg;
	q->n++;
	q->by_user = span_is(role, "user");
	buf_clear(&q->text);
	buf_append_span(&q->text, text);
}

const char *exporter_question(struct exporter *x, const struct capture_exchange *e, struct buf *to)
{
	struct question q = {0};
	struct buf body = {0};
	const char *why = exporter_request(x, e, &body);
	why = why ? why : exporter_messages(buf_span(&body), take_question, &q);
	if (!why && (q.n != 1 || !q.by_user)) {
		why = "it is not a single message of a user";
	} else if (!why) {
		buf_append_span(to, buf_span(&q.text));
	}
	buf_finish(&q.text);
	buf_finish(&body);
	return why;
}

void exporter_fields(struct span head, export_field_fn each, void *arg)
{
	static const char *const OWN_FIELDS[] = {
	        "content-length", "transfer-encoding", "connection", "content-encoding", "host"};
	struct http_field field;
	while (http_lines_next(&head, &field)) {
		if (!span_in(field.name, OWN_FIELDS, ARRAY_LEN(OWN_FIELDS))) {
			each(arg, field.name, field.value);
		}
	}
}

struct span exporter_origin(const char *url)
{
	struct span all = span_of(url);
	const char *scheme = all.len ? memmem(all.data, all.len, "://", 3) : NULL;
	if (!scheme) {
		return SPAN("http://unknown");
	}
	size_t from = (size_t)(scheme - all.data) + 3;
	const char *path = memchr(all.data + from, '/', all.len - from);
	return (struct span){all.data, path ? (size_t)(path - all.data) : all.len};
}

uint64_t exporter_ns(const struct exporter *x, const struct capture_exchange *e)
{
	return e->row.wall_ns > x->first_ns ? e->row.wall_ns - x->first_ns : 0;
}

static void count_lost(struct exporter *x, unsigned content, const struct capture_exchange *e)
{
	const struct exchange_labels *l = &e->row.labels;
	size_t answers = 0, leg;
	for (size_t i = 0; i < e->n_legs; i++) {
		answers += is_answer(&e->legs[i].row);
	}
	size_t kept = content & EXPORT_PAIRS
	                      ? x->n_answers
	                      : (content & EXPORT_ANSWERS) && exporter_leg(x, e, &leg);
	if (content & EXPORT_ALL) {
		return;
	}
	if (answers > kept) {
		error_tally_add_many(&x->lost,
		        content & EXPORT_PAIRS
		                ? "answers that have no other answer to compare with, or are empty"
		        : content & EXPORT_ANSWERS ? "answers of other backends, or repeats"
		                                   : "texts of answers",
		        answers - kept);
	}
	if (!(content & (EXPORT_BODIES | EXPORT_PARAMETERS))) {
		error_tally_add(&x->lost, "requests' models or parameters");
	}
	if (!(content & EXPORT_TIMES)) {
		error_tally_add(&x->lost, "times");
	}
	if (!(content & EXPORT_LABELS) && (l->suite || l->item || l->category || l->gold)) {
		error_tally_add(&x->lost, "labels");
	}
}

void exporter_put(struct exporter *x, const struct export_format *f,
        const struct capture_exchange *e, struct buf *to)
{
	size_t before = to->len;
	if (!x->first_ns && !e->absent) {
		x->first_ns = e->row.wall_ns;
	}
	if (x->written && f->between) {
		buf_append_str(to, f->between);
	}
	x->n_answers = 0;
	const char *why = f->put(x, e, to);
	if (why) {
		to->len = before;
		error_tally_add(&x->left_out, why);
		return;
	}
	x->written++;
	count_lost(x, f->content, e);
}

void exporter_finish(struct exporter *x)
{
	error_tally_finish(&x->left_out);
	error_tally_finish(&x->lost);
	digest_map_finish(&x->known);
}
