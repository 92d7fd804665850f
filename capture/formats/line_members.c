#include "capture/formats/line_members.h"

#include <math.h>

#define SECONDS_LIMIT 1e10

bool line_is_object(struct span line)
{
	struct json j;
	struct json_token t = json_begin_lenient(&j, line);
	return t.type == JSON_TOKEN_OBJECT && json_skip(&j, &t).len &&
	       json_next(&j).type == JSON_TOKEN_END;
}

bool line_is_conversation(struct span line)
{
	static const char *const OF_REQUESTS[] = {"model", "stream", "max_tokens",
	        "max_completion_tokens", "temperature", "continue_final_message",
	        "add_generation_prompt"};
	struct json j;
	struct json_token t;
	struct span messages, last = {0};
	if (line_value(line, "messages", JSON_TOKEN_ARRAY, &messages) != LINE_READ) {
		return false;
	}
	for (size_t i = 0; i < ARRAY_LEN(OF_REQUESTS); i++) {
		if (line_find(line, OF_REQUESTS[i], NULL, NULL)) {
			return false;
		}
	}
	json_begin_lenient(&j, messages);
	while ((t = json_next(&j)).type == JSON_TOKEN_OBJECT) {
		last = json_skip(&j, &t);
	}
	/* A message with `prefix` or `partial` is to be continued. */
	return t.type == JSON_TOKEN_ARRAY_END && json_find_member(last, "role", &t, NULL) &&
	       json_token_is_string(&t, "assistant") && !line_find(last, "prefix", NULL, NULL) &&
	       !line_find(last, "partial", NULL, NULL);
}

bool line_find(struct span line, const char *name, struct json_token *ret, struct span *ret_all)
{
	struct json_token own;
	struct json_token *t = ret ? ret : &own;
	return json_find_member(line, name, t, ret_all) && t->type != JSON_TOKEN_NULL;
}

enum line_result line_value(
        struct span line, const char *name, enum json_token_type type, struct span *ret_all)
{
	struct json_token t;
	struct span all;
	if (!line_find(line, name, &t, &all)) {
		return LINE_MISSING;
	}
	if (t.type != type) {
		return LINE_WRONG;
	}
	*ret_all = all;
	return LINE_READ;
}

enum line_result line_count(struct span line, const char *name, int64_t limit, int64_t *ret)
{
	struct json_token t;
	int64_t n;
	if (!line_find(line, name, &t, NULL)) {
		return LINE_MISSING;
	}
	if (!json_token_integer(&t, &n)) {
		double value = json_token_number(&t);
		/* Negated, so that NaN is refused too. */
		if (!(value >= 0 && value <= (double)limit) || value != floor(value)) {
			return LINE_WRONG;
		}
		n = (int64_t)value;
	}
	if (n < 0 || n > limit) {
		return LINE_WRONG;
	}
	*ret = n;
	return LINE_READ;
}

enum line_result line_time(struct span line, const char *name, double unit, uint64_t *ret_ns)
{
	struct json_token t;
	if (!line_find(line, name, &t, NULL)) {
		return LINE_MISSING;
	}
	double value = json_token_number(&t);
	if (!(value >= 0 && value * unit < SECONDS_LIMIT * 1e9)) {
		return LINE_WRONG;
	}
	/* converted separately: a double is too short for whole part and fraction */
	uint64_t whole = (uint64_t)value;
	*ret_ns = whole * (uint64_t)unit + (uint64_t)llround((value - (double)whole) * unit);
	return LINE_READ;
}

void line_text(struct span line, const char *name, struct buf *to, struct span *ret)
{
	struct json_token t;
	buf_clear(to);
	if (line_find(line, name, &t, NULL) && t.type == JSON_TOKEN_STRING) {
		json_token_unescape(&t, to);
	} else if (line_find(line, name, &t, NULL) && t.type == JSON_TOKEN_NUMBER) {
		buf_append(to, t.start, t.len);
	}
	*ret = buf_span(to);
}
