#include "backends/injection/cut.h"

#include <string.h>

#include "backends/injection/edits.h"
#include "base/json.h"

/* A text being copied to the client: everything before `from` has been appended or omitted. */
struct cutting {
	struct buf *to;
	const char *from;
	bool cut;
	bool usage_stays;
};

static void leave_out(void *arg, const char *from, const char *to)
{
	struct cutting *c = arg;
	buf_append(c->to, c->from, (size_t)(from - c->from));
	c->from = to;
	c->cut = true;
}

/* Restores a member to what it would have been without our request. */
static void cut_member(struct cutting *c, struct members *m, enum kind_member kind, const char *key,
        const struct json_token *value, struct span span)
{
	const char *end = span.data + span.len;
	if (kind == KIND_ABSENT) {
		members_take(m, key, end);
		return;
	}
	members_keep(m, key, end);
	if (kind == KIND_NULL && value->type != JSON_TOKEN_NULL) {
		leave_out(c, span.data, end);
		buf_append(c->to, "null", 4);
	}
}

/* Skips a member's value. The removed values are most of an answer and need not be valid JSON. */
static struct span pass_value(struct json *j, const struct json_token *value, enum kind_member kind)
{
	return kind_can_cut(kind) ? json_skip_unchecked(j, value) : json_skip(j, value);
}

/* One choice, whose opening brace was read. */
static void cut_choice(struct json *j, const struct json_token *brace, struct cutting *c,
        const struct kind *kind, struct cut_facts *facts)
{
	struct members m;
	struct json_token t;
	members_open(&m, brace->start, leave_out, c);
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		bool logprobs = json_token_is_key(&t, "logprobs"), ids = kind_is_token_ids(&t);
		bool finish = json_token_is_key(&t, "finish_reason");
		enum kind_member as = logprobs ? kind->logprobs
		                      : ids    ? kind->token_ids
		                               : KIND_UNKNOWN;
		struct json_token value = json_next(j);
		struct span span = pass_value(j, &value, as);
		if (!span.data) {
			return;
		}
		facts->finished |= finish && value.type == JSON_TOKEN_STRING;
		if (logprobs || kind_can_cut(as)) {
			facts->added |= value.type != JSON_TOKEN_NULL;
			cut_member(c, &m, as, t.start, &value, span);
		} else {
			facts->says |= !json_token_is_key(&t, "index") && kind_says(span);
			facts->text |= kind_has_text(&t, span);
			members_keep(&m, t.start, span.data + span.len);
		}
	}
	if (t.type == JSON_TOKEN_OBJECT_END) {
		members_close(&m, t.start);
	}
}

/* The choices array, whose bracket was read. */
static void cut_choices(
        struct json *j, struct cutting *c, const struct kind *kind, struct cut_facts *facts)
{
	struct json_token t;
	facts->has_choices = true;
	while ((t = json_next(j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR) {
		facts->n_choices++;
		if (t.type == JSON_TOKEN_OBJECT) {
			cut_choice(j, &t, c, kind, facts);
		} else {
			json_skip(j, &t);
		}
	}
}

/* Members that every event has, whatever its content. */
static bool is_label(const struct json_token *key, const struct kind *kind)
{
	static const char *const names[] = {"id", "object", "created", "model",
	        "system_fingerprint", "service_tier", "provider", "obfuscation"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (json_token_is_key(key, names[i])) {
			return true;
		}
	}
	return kind->tail[0] && json_token_is_key(key, kind->tail);
}

/* Some engines (Ollama), when asked for usage, put a usage of zeros into each event. */
static bool counts_something(struct span usage)
{
	struct json j;
	struct json_token t;
	json_init_lenient(&j, usage.data, usage.len);
	while ((t = json_next(&j)).type != JSON_TOKEN_END && t.type != JSON_TOKEN_ERROR) {
		if (t.type == JSON_TOKEN_NUMBER && json_token_number(&t) != 0) {
			return true;
		}
	}
	return false;
}

static void cut_usage(struct cutting *c, struct members *m, enum kind_member kind, const char *key,
        const struct json_token *value, struct span span, struct cut_facts *facts)
{
	bool object = value->type == JSON_TOKEN_OBJECT;
	facts->usage |= object;
	facts->counts |= object && counts_something(span);
	if (facts->counts && (facts->says || c->usage_stays)) {
		kind = KIND_UNKNOWN;
	}
	facts->usage_taken |= object && kind_can_cut(kind);
	cut_member(c, m, kind, key, value, span);
}

static bool cut_top(
        struct json *j, struct cutting *c, const struct kind *kind, struct cut_facts *facts)
{
	struct members m;
	struct json_token t = json_next(j);
	if (t.type != JSON_TOKEN_OBJECT) {
		return false;
	}
	members_open(&m, t.start, leave_out, c);
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token key = t, value = json_next(j);
		if (json_token_is_key(&key, "choices") && value.type == JSON_TOKEN_ARRAY) {
			/* Kept before anything inside is cut, since pieces must be in order. The
			 * array's end follows later. */
			members_keep(&m, key.start, value.start);
			cut_choices(j, c, kind, facts);
			members_keep(&m, key.start, j->p);
			continue;
		}
		enum kind_member ids = kind_is_token_ids(&key) ? kind->token_ids : KIND_UNKNOWN;
		struct span span = pass_value(j, &value, ids);
		if (!span.data) {
			return false;
		}
		if (kind->tail[0] && json_token_is_key(&key, kind->tail)) {
			facts->tail = (struct span){m.end, (size_t)(span.data + span.len - m.end)};
		}
		if (json_token_is_key(&key, "usage")) {
			cut_usage(c, &m, kind->usage, key.start, &value, span, facts);
		} else if (kind_can_cut(ids)) {
			cut_member(c, &m, ids, key.start, &value, span);
		} else {
			bool says = !is_label(&key, kind) && kind_says(span);
			facts->other |= says;
			facts->error |= says && json_token_is_key(&key, "error");
			members_keep(&m, key.start, span.data + span.len);
		}
	}
	if (t.type != JSON_TOKEN_OBJECT_END) {
		return false;
	}
	members_close(&m, t.start);
	facts->end = c->to->len + (m.end > c->from ? (size_t)(m.end - c->from) : 0);
	return json_next(j).type == JSON_TOKEN_END;
}

/* False: not a JSON object. */
static bool cut_pass(
        struct span json, const struct kind *kind, struct cutting *c, struct cut_facts *facts)
{
	struct json j;
	*facts = (struct cut_facts){0};
	json_init_lenient(&j, json.data, json.len);
	if (!cut_top(&j, c, kind, facts)) {
		return false;
	}
	buf_append(c->to, c->from, (size_t)(json.data + json.len - c->from));
	return true;
}

enum cut cut_text(struct span json, const struct injection *injected, const struct kind *learned,
        struct buf *to, struct cut_facts *facts)
{
	size_t begin = to->len;
	struct cutting c = {.to = to, .from = json.data};
	struct kind kind = *learned;
	kind.logprobs = injected->logprobs ? kind.logprobs : KIND_UNKNOWN;
	kind.usage = injected->usage ? kind.usage : KIND_UNKNOWN;
	kind.token_ids = injected->token_ids ? kind.token_ids : KIND_UNKNOWN;
	bool ok = cut_pass(json, &kind, &c, facts);
	if (ok && facts->says && facts->counts && facts->usage_taken) {
		/* The usage came first and was removed; the later choices show that the engine
		 * sends it unasked. */
		to->len = begin;
		c = (struct cutting){.to = to, .from = json.data, .usage_stays = true};
		ok = cut_pass(json, &kind, &c, facts);
	}
	if (!ok) {
		to->len = begin;
		buf_append_span(to, json);
		*facts = (struct cut_facts){0};
		return CUT_FAILED;
	}
	return c.cut ? CUT_DONE : CUT_KEPT;
}

enum cut cut_json(
        struct span json, const struct injection *injected, struct kind kind, struct buf *to)
{
	struct cut_facts facts;
	return cut_text(json, injected, &kind, to, &facts);
}

static bool holds(struct span text, struct span part)
{
	return text.len && memmem(text.data, text.len, part.data, part.len);
}

bool cut_shows(struct span text, const struct injection *injected)
{
	return (injected->logprobs && holds(text, SPAN("\"logprobs\""))) ||
	       (injected->usage && holds(text, SPAN("\"usage\""))) ||
	       (injected->token_ids && holds(text, SPAN("token_ids\"")));
}
