#include "answers/api/output.h"

#include "answers/json_key.h"
#include "answers/tokens/logprobs.h"
#include "answers/members.h"
#include "answers/reasoning.h"
#include "base/ascii.h"

void output_read_logprobs(struct draft *d, const struct part *at, struct span list, bool is_delta)
{
	struct json j;
	struct json_token first = json_begin_lenient(&j, list);
	struct json before = j;
	if (first.type != JSON_TOKEN_ARRAY || json_next(&before).type != JSON_TOKEN_OBJECT) {
		return; /* none, or an empty list */
	}
	if (!received_add(d, RECEIVED_LOGPROBS, at) || is_delta) {
		logprobs_read_entries(d, at->choice, &j, &first);
	}
}

/* of: the kind of texts in the item or in its list. */
static enum received_kind kind_of_part(
        struct draft *d, enum received_kind of, const struct json_token *type)
{
	static const struct {
		const char *type;
		enum received_kind kind;
	} kinds[] = {
	        {"refusal", RECEIVED_REFUSAL},
	        {"reasoning_text", RECEIVED_REASONING},
	        {"summary_text", RECEIVED_SUMMARY},
	};
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (json_token_is_string(type, kinds[i].type)) {
			return kinds[i].kind;
		}
	}
	if (type->type == JSON_TOKEN_STRING && !json_token_is_string(type, "output_text") &&
	        !json_token_is_string(type, "text")) {
		members_add_unknown(d, MEMBER_OF_PART, json_token_raw(type));
	}
	return of;
}

/* Reads a reasoning part in the chat's form: its text under one of several names, or a list of
 * texts. */
static bool read_reasoning_part(struct draft *d, const struct part *at, struct span value)
{
	static const char *const types[] = {"reasoning", "thinking", "redacted_thinking", NULL};
	struct json_token type = output_text_of(value, "type");
	if (type.type != JSON_TOKEN_STRING || !span_is_one_of(json_token_raw(&type), types)) {
		return false;
	}
	struct buf *known_reasoning = &at->choice->reasoning;
	size_t before = known_reasoning->len;
	if (!received_is_known(d, RECEIVED_REASONING, at)) {
		struct json j;
		struct json_token first = json_begin_lenient(&j, value);
		reasoning_read(d, at->choice, REASONING_OF_PART, &j, &first);
	}
	if (known_reasoning->len > before) {
		(void)received_add(d, RECEIVED_REASONING, at);
	}
	return true;
}

/* Reads a complete part, such as {"type": "output_text", "text": ..., "logprobs": [...]}. */
void output_read_part(
        struct draft *d, enum received_kind kind, const struct part *at, struct span value)
{
	struct json j;
	struct json_token t, type = {0}, text = {0}, refusal = {0};
	struct span logprobs = {0};
	t = json_begin_lenient(&j, value);
	if (t.type == JSON_TOKEN_STRING) {
		received_add_whole(d, kind, at, &t);
		return;
	}
	if (t.type != JSON_TOKEN_OBJECT) {
		members_add_unread(d, MEMBER_OF_ITEM, "content", value);
		return;
	}
	if (read_reasoning_part(d, at, value)) {
		return;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(&j);
		if (KEY_IS(&t, "logprobs")) {
			logprobs = json_skip(&j, &v);
			continue;
		}
		if (KEY_IS(&t, "type")) {
			type = v;
		} else if (KEY_IS(&t, "text")) {
			text = v;
		} else if (KEY_IS(&t, "refusal")) {
			refusal = v;
		} else {
			members_skip(d, MEMBER_OF_PART, &j, &t, &v);
			continue;
		}
		json_skip(&j, &v);
	}
	kind = kind_of_part(d, kind, &type);
	received_add_whole(d, kind, at, kind == RECEIVED_REFUSAL ? &refusal : &text);
	if (logprobs.len) {
		output_read_logprobs(d, at, logprobs, false);
	}
}

/* An item's "content" or "summary": a text, or a list of parts. */
static void read_parts(struct draft *d, struct draft_choice *c, enum received_kind kind,
        int64_t item, struct span list)
{
	struct json j;
	struct json_token t;
	if (json_begin_lenient(&j, list).type != JSON_TOKEN_ARRAY) {
		output_read_part(d, kind, &(struct part){.item = item, .choice = c}, list);
		return;
	}
	for (int64_t i = 0;
	        (t = json_next(&j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR;
	        i++) {
		struct part at = {.item = item, .part = i, .choice = c};
		output_read_part(d, kind, &at, json_skip(&j, &t));
	}
}

/* The whole arguments of a call should repeat those that were received. */
static void check_repeated(struct draft *d, const struct part *at, const struct call_piece *p)
{
	const struct draft_calls *calls = &at->choice->calls;
	struct span value = p->arguments_span;
	buf_clear(&d->scratch);
	if (p->arguments.type == JSON_TOKEN_STRING) {
		json_token_unescape(&p->arguments, &d->scratch);
		value = buf_span(&d->scratch);
	}
	for (size_t i = 0; i < calls->n; i++) {
		if (calls->items[i].index == at->item &&
		        span_equal(span_trim(buf_span(&calls->items[i].arguments)),
		                span_trim(value))) {
			return;
		}
	}
	members_add_unknown(d, MEMBER_OF_CALL, SPAN("arguments"));
}

void output_add_call(struct draft *d, const struct part *at, struct call_piece *p, bool is_whole)
{
	p->has_index = true;
	p->index = at->item;
	bool is_value =
	        p->arguments.type == JSON_TOKEN_OBJECT || p->arguments.type == JSON_TOKEN_ARRAY;
	if (is_value || (p->arguments.type == JSON_TOKEN_STRING && p->arguments.len > 2)) {
		bool known = received_add(d, RECEIVED_ARGUMENTS, at);
		if (known && is_whole) {
			check_repeated(d, at, p);
			p->arguments = (struct json_token){0};
		}
	}
	tool_calls_add(d, at->choice, p);
}

struct json_token output_text_of(struct span object, const char *name)
{
	struct json_token t;
	struct span all;
	bool found = json_find_lenient(object, name, &t, &all) && t.type == JSON_TOKEN_STRING;
	return found ? t : (struct json_token){0};
}

enum item_kind { ITEM_TEXTS, ITEM_CALL, ITEM_UNKNOWN };

static enum item_kind kind_of_item(const struct json_token *type)
{
	if (json_token_is_string(type, "message") || json_token_is_string(type, "reasoning")) {
		return ITEM_TEXTS;
	}
	bool is_call = json_token_is_string(type, "function_call") ||
	               json_token_is_string(type, "custom_tool_call");
	return is_call ? ITEM_CALL : ITEM_UNKNOWN;
}

/* One output item, whole or just begun. */
void output_read_item(struct draft *d, struct draft_choice *c, int64_t index, struct span value)
{
	struct json j;
	struct json_token t, type = output_text_of(value, "type");
	struct call_piece call = {0};
	struct span content = {0}, summary = {0};
	enum item_kind kind = kind_of_item(&type);
	if (kind == ITEM_UNKNOWN && type.type == JSON_TOKEN_STRING) {
		members_add_unknown(d, MEMBER_OF_ITEM, json_token_raw(&type));
		return;
	}
	json_init_lenient(&j, value.data, value.len);
	if (kind == ITEM_UNKNOWN || json_next(&j).type != JSON_TOKEN_OBJECT) {
		members_add_unread(d, MEMBER_OF_ITEM, "item", value);
		return;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(&j);
		if (kind == ITEM_TEXTS && KEY_IS(&t, "content")) {
			content = json_skip(&j, &v);
		} else if (kind == ITEM_TEXTS && KEY_IS(&t, "summary")) {
			summary = json_skip(&j, &v);
		} else if (kind == ITEM_CALL && KEY_IS(&t, "call_id")) {
			call.id = v;
			json_skip(&j, &v);
		} else if (kind == ITEM_CALL && KEY_IS(&t, "name")) {
			call.name = v;
			json_skip(&j, &v);
		} else if (kind == ITEM_CALL && (KEY_IS(&t, "arguments") || KEY_IS(&t, "input"))) {
			call.is_text = KEY_IS(&t, "input");
			call.arguments = v;
			call.arguments_span = json_skip(&j, &v);
		} else {
			members_skip(d, MEMBER_OF_ITEM, &j, &t, &v);
		}
	}
	if (kind == ITEM_CALL) {
		struct part at = {.item = index, .choice = c};
		output_add_call(d, &at, &call, true);
	} else {
		bool is_reasoning = json_token_is_string(&type, "reasoning");
		read_parts(d, c, is_reasoning ? RECEIVED_REASONING : RECEIVED_TEXT, index, content);
		read_parts(d, c, RECEIVED_SUMMARY, index, summary);
	}
}

void output_read(struct draft *d, struct draft_choice *c, struct span list)
{
	struct json j;
	struct json_token t;
	if (json_begin_lenient(&j, list).type != JSON_TOKEN_ARRAY) {
		members_add_unread(d, MEMBER_OF_RESPONSE, "output", list);
		return;
	}
	for (int64_t i = 0;
	        (t = json_next(&j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR;
	        i++) {
		output_read_item(d, c, i, json_skip(&j, &t));
	}
}
