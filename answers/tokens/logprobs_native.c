#include "answers/tokens/logprobs.h"

#include <math.h>

#include "answers/json_key.h"
#include "answers/json_list.h"

struct triple {
	struct json_token lp, id, text;
};

/* Reads a list of two or three elements, whose first token was read; j is then after the list.
 * False: it has another form. */
static bool read_triple(struct json *j, const struct json_token *first, struct triple *ret)
{
	struct json_token t;
	size_t n = 0;
	*ret = (struct triple){0};
	if (first->type != JSON_TOKEN_ARRAY) {
		json_skip(j, first);
		return false;
	}
	while ((t = json_next(j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR) {
		if (n == 0) {
			ret->lp = t;
		} else if (n == 1) {
			ret->id = t;
		} else if (n == 2) {
			ret->text = t;
		}
		n++;
		json_skip(j, &t);
	}
	return t.type == JSON_TOKEN_ARRAY_END && (n == 2 || n == 3) &&
	       ret->id.type == JSON_TOKEN_NUMBER;
}

static void read_triple_rows(
        const struct token_sink *s, struct json *j, const struct json_token *first)
{
	struct json_token t;
	if (first->type != JSON_TOKEN_ARRAY) {
		token_sink_mark(s, first->type == JSON_TOKEN_NULL ? 0 : READING_MALFORMED_LOGPROBS);
		json_skip(j, first);
		return;
	}
	while ((t = json_next(j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR) {
		struct triple row;
		if (!read_triple(j, &t, &row)) {
			token_sink_mark(s, READING_MALFORMED_LOGPROBS);
			continue;
		}
		uint8_t flags = 0;
		int32_t id = token_id(&row.id), placeholder = id;
		struct span bytes = token_text(s, &row.text, &placeholder);
		token_add_row(s, bytes, id, token_logprob(s, &row.lp, &flags));
	}
}

static void add_triple(const struct token_sink *s, const struct triple *token)
{
	uint8_t flags = 0;
	int32_t id = token_id(&token->id), placeholder = id;
	float lp = token_logprob(s, &token->lp, &flags);
	if (token->text.type != JSON_TOKEN_STRING) {
		token_sink_mark(s, READING_KEYLESS_TOKENS);
	}
	struct span bytes = token_text(s, &token->text, &placeholder);
	token_add(s, bytes, id, lp, flags);
}

/* False: the number of lists of alternatives differs from the number of tokens. */
static bool walk_triples(
        const struct token_sink *s, struct span triples, struct span tops, uint32_t from)
{
	struct json_list entry, top;
	json_list_begin(&entry, triples);
	json_list_begin(&top, tops);
	bool has_tops = top.open, fewer = false;
	for (uint32_t i = 0; json_list_next(&entry); i++) {
		struct triple token;
		bool has_rows = json_list_next(&top);
		fewer |= has_tops && !has_rows;
		if (has_rows && i < from) {
			json_skip(&top.j, &top.t);
		} else if (has_rows) {
			read_triple_rows(s, &top.j, &top.t);
		}
		if (i < from) {
			json_skip(&entry.j, &entry.t);
		} else if (read_triple(&entry.j, &entry.t, &token)) {
			add_triple(s, &token);
		} else {
			columns_builder_drop_rows(s->b);
			token_sink_mark(s, READING_MALFORMED_LOGPROBS);
		}
	}
	return !fewer && !json_list_next(&top);
}

void logprobs_read_triples(
        const struct token_sink *s, struct span triples, struct span tops, uint32_t from)
{
	uint32_t before = columns_builder_count(s->b);
	size_t held = s->d->held;
	tops = json_list_is_empty(tops) ? (struct span){0} : tops;
	if (!walk_triples(s, triples, tops, from)) {
		token_sink_mark(s, READING_MALFORMED_LOGPROBS);
		columns_builder_truncate(s->b, before);
		s->d->held = held;
		(void)walk_triples(s, triples, (struct span){0}, from);
	}
}

/* {"<id>": {"logprob", "rank", "decoded_token"}, ...}: all of them are rows, the first is the
 * token. */
static void read_prompt_token(const struct token_sink *s, struct json *j)
{
	struct buf *token = &s->d->listed;
	struct json_token t;
	int32_t token_id_value = -1;
	float token_lp = NAN;
	uint8_t token_flags = TOKEN_MISSING;
	bool first = true;
	buf_clear(token);
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token key = t, v = json_next(j), decoded = {0}, lp = {0};
		struct json_token digits = {JSON_TOKEN_NUMBER, false, key.start + 1, key.len - 2};
		if (v.type != JSON_TOKEN_OBJECT) {
			json_skip(j, &v);
			continue;
		}
		while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
			v = json_next(j);
			if (KEY_IS(&t, "logprob")) {
				lp = v;
			} else if (KEY_IS(&t, "decoded_token")) {
				decoded = v;
			}
			json_skip(j, &v);
		}
		uint8_t flags = 0;
		int32_t id = token_id(&digits), placeholder = id;
		float value = token_logprob(s, &lp, &flags);
		struct span bytes = token_text(s, &decoded, &placeholder);
		token_add_row(s, bytes, id, value);
		if (first) {
			buf_append_span(token, bytes);
			token_id_value = id;
			token_lp = value;
			token_flags = flags;
			first = false;
		}
	}
	token_add(s, buf_span(token), token_id_value, token_lp, token_flags);
}

void logprobs_read_prompt(struct draft *d, struct draft_choice *c, struct span list)
{
	struct json_list entry;
	json_list_begin(&entry, list);
	if (!entry.open) {
		return;
	}
	struct token_sink s = token_sink_prompt(d, c);
	columns_builder_truncate(s.b, 0);
	while (json_list_next(&entry)) {
		if (entry.t.type == JSON_TOKEN_OBJECT) {
			read_prompt_token(&s, &entry.j);
		} else {
			/* The first token has no logprob. */
			token_add(&s, (struct span){0}, -1, NAN, TOKEN_MISSING);
			token_sink_mark(&s,
			        entry.t.type == JSON_TOKEN_NULL ? 0 : READING_MALFORMED_LOGPROBS);
			json_skip(&entry.j, &entry.t);
		}
	}
}

void logprobs_read_prompt_ids(struct draft *d, struct draft_choice *c, struct span list)
{
	struct json_list entry;
	json_list_begin(&entry, list);
	if (!entry.open) {
		return;
	}
	struct token_sink s = token_sink_prompt(d, c);
	uint32_t n = columns_builder_count(s.b);
	if (n && n != json_list_count(list)) {
		return;
	}
	for (uint32_t i = 0; json_list_next(&entry); i++) {
		if (n) {
			columns_builder_set_id(s.b, i, token_id(&entry.t));
		} else {
			token_add(&s, (struct span){0}, token_id(&entry.t), NAN, TOKEN_MISSING);
		}
		json_skip(&entry.j, &entry.t);
	}
}

void logprobs_read_ids(struct draft_choice *c, uint32_t from, struct span list)
{
	struct json_list entry;
	if (!c->columns || json_list_count(list) != columns_builder_count(c->columns) - from) {
		return;
	}
	json_list_begin(&entry, list);
	for (uint32_t i = from; json_list_next(&entry); i++) {
		columns_builder_set_id(c->columns, i, token_id(&entry.t));
		json_skip(&entry.j, &entry.t);
	}
}

void logprobs_read_triple_ids(struct draft_choice *c, uint32_t from, struct span triples)
{
	struct json_list entry;
	struct triple token;
	if (!c->columns || json_list_count(triples) != columns_builder_count(c->columns) - from) {
		return;
	}
	json_list_begin(&entry, triples);
	for (uint32_t i = from; json_list_next(&entry); i++) {
		if (read_triple(&entry.j, &entry.t, &token)) {
			columns_builder_set_id(c->columns, i, token_id(&token.id));
		}
	}
}
