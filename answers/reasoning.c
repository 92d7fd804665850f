#include "answers/reasoning.h"

#include <string.h>

#include "answers/json_key.h"
#include "answers/members.h"

/* Limit of nested lists and objects. */
#define DEPTH_LIMIT 4

#define MEMBER(literal)                                                                            \
	{                                                                                          \
		(literal), sizeof(literal) - 1                                                     \
	}

static const struct span MEMBERS[REASONING_MEMBERS] = {
        [REASONING_OF_CONTENT] = MEMBER("reasoning_content"),
        [REASONING_OF_REASONING] = MEMBER("reasoning"),
        [REASONING_OF_THINKING] = MEMBER("thinking"),
        [REASONING_OF_DETAILS] = MEMBER("reasoning_details"),
        [REASONING_OF_TEXT] = MEMBER("reasoning_text"),
        [REASONING_OF_BLOCKS] = MEMBER("thinking_blocks"),
};

const char *reasoning_member(enum reasoning_source source)
{
	return MEMBERS[source].data;
}

enum reasoning_source reasoning_source_of(const struct json_token *key)
{
	for (size_t i = 0; i < REASONING_MEMBERS; i++) {
		if (key_is_bytes(key, MEMBERS[i].data, MEMBERS[i].len)) {
			return (enum reasoning_source)i;
		}
	}
	return N_REASONING_SOURCES;
}

bool reasoning_is_member(struct span name)
{
	for (size_t i = 0; i < REASONING_MEMBERS; i++) {
		if (span_equal(name, MEMBERS[i])) {
			return true;
		}
	}
	return false;
}

static size_t lone_half_size(const struct reasoned *from)
{
	return from->half ? JSON_LONE_HALF_SIZE : 0;
}

/* Appends new text from one source of the reasoning. Text that is already known, because another
 * source contained it, is not added again. */
static void append_new(
        struct draft *d, struct draft_choice *c, struct reasoned *from, const struct json_token *t)
{
	uint16_t *half = &c->halves[STRETCH_REASONING];
	bool is_whole = c->repetitions[STRETCH_REASONING].mode == REPETITION_WHOLE;
	if (is_whole || c->reasoning.len == from->len + lone_half_size(from)) {
		*half = from->half;
		draft_append(d, c, STRETCH_REASONING, t);
		from->half = *half;
		from->len = c->reasoning.len - lone_half_size(from);
		return;
	}
	buf_clear(&d->scratch);
	if (from->half) {
		buf_append_str(&d->scratch, JSON_LONE_HALF);
	}
	c->lone_halves[STRETCH_REASONING] |= json_token_unescape_piece(t, &from->half, &d->scratch);
	struct span text = buf_span(&d->scratch);
	text.len -= lone_half_size(from); /* it waits for the other half */
	struct span known = {c->reasoning.data + from->len, c->reasoning.len - from->len};
	size_t same = span_shared(known, text);
	if (same == text.len) {
		from->len += same;
		return;
	}
	if (same < known.len) {
		same = 0; /* different text */
	}
	draft_append_span(
	        d, c, STRETCH_REASONING, (struct span){text.data + same, text.len - same});
	from->len = c->reasoning.len;
}

static void read_value(struct draft *d, struct draft_choice *c, struct reasoned *from,
        struct json *j, const struct json_token *first, int depth);

/* The full reasoning comes before its summary. */
static const char *const names[] = {"text", "content", "thinking", "reasoning", "summary"};

static void skip_member(struct draft *d, struct json *j, const struct json_token *key,
        const struct json_token *first)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (json_token_is_key(key, names[i])) {
			json_skip(j, first);
			return;
		}
	}
	members_skip(d, MEMBER_OF_THOUGHT, j, key, first);
}

static void read_object(
        struct draft *d, struct draft_choice *c, struct reasoned *from, struct json *j, int depth)
{
	struct json_token t, found = {0};
	struct json found_at = {0};
	size_t best = ARRAY_LEN(names);
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		for (size_t i = 0; i < best; i++) {
			bool has = v.type == JSON_TOKEN_ARRAY || v.type == JSON_TOKEN_OBJECT ||
			           (v.type == JSON_TOKEN_STRING && v.len > 2);
			if (has && json_token_is_key(&t, names[i])) {
				best = i;
				found = v;
				found_at = *j;
			}
		}
		skip_member(d, j, &t, &v);
	}
	if (best < ARRAY_LEN(names)) {
		read_value(d, c, from, &found_at, &found, depth + 1);
	}
}

static void read_value(struct draft *d, struct draft_choice *c, struct reasoned *from,
        struct json *j, const struct json_token *first, int depth)
{
	struct json_token t;
	if (first->type == JSON_TOKEN_STRING) {
		append_new(d, c, from, first);
	} else if (first->type == JSON_TOKEN_OBJECT && depth < DEPTH_LIMIT) {
		read_object(d, c, from, j, depth);
	} else if (first->type == JSON_TOKEN_ARRAY && depth < DEPTH_LIMIT) {
		while ((t = json_next(j)).type != JSON_TOKEN_ARRAY_END &&
		        t.type != JSON_TOKEN_ERROR) {
			read_value(d, c, from, j, &t, depth + 1);
		}
	} else {
		members_add_unread(d, MEMBER_OF_MESSAGE, "reasoning", json_skip(j, first));
	}
}

void reasoning_read(struct draft *d, struct draft_choice *c, enum reasoning_source source,
        struct json *j, const struct json_token *first)
{
	read_value(d, c, &c->reasoned[source], j, first, 0);
}
