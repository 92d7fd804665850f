#include "capture/formats/infer_check_logprobs.h"

#include <math.h>
#include <string.h>

#include "answers/json_list.h"
#include "base/json_writer.h"

#define NO_LOGPROB (-9000.0)
#define LISTED_LIMIT 256 /* alternatives of a position; a longer list would be a whole vocabulary */

static void put_logprob(struct json_writer *w, double value, struct span as_written)
{
	bool known = isfinite(value) && value > NO_LOGPROB;
	json_writer_raw(w, "logprob", known ? as_written : SPAN("null"));
}

/* One position's numbers. */
struct listed {
	double values[LISTED_LIMIT];
	struct span written[LISTED_LIMIT];
	struct json_token names[LISTED_LIMIT];
	size_t n;
	bool are_probs;
};

static bool read_listed(struct span values, struct span names, struct listed *l)
{
	struct json j;
	struct json_token t;
	struct json_list list;
	struct span all;
	bool negative = false, positive = false;
	l->n = 0;
	json_list_begin(&list, values);
	if (!list.open) {
		return false;
	}
	while (json_list_next_value(&list, &all)) {
		if (list.t.type != JSON_TOKEN_NUMBER || l->n == LISTED_LIMIT) {
			return false;
		}
		l->values[l->n] = json_token_number(&list.t);
		l->written[l->n] = all;
		l->names[l->n].type = JSON_TOKEN_ERROR;
		negative |= l->values[l->n] < 0;
		positive |= l->values[l->n] > 0;
		l->n++;
	}
	/* infer-check itself also distinguishes probabilities from logprobs by sign. */
	l->are_probs = positive && !negative;
	if (!names.len || json_begin_lenient(&j, names).type != JSON_TOKEN_OBJECT) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct span key = json_token_raw(&t);
		struct json_token name = json_next(&j);
		if (!json_skip(&j, &name).len) {
			return false;
		}
		size_t i = 0;
		bool is_id = key.len > 3 && key.len < 8 && memcmp(key.data, "id_", 3) == 0;
		for (size_t k = 3; is_id && k < key.len; k++) {
			is_id = key.data[k] >= '0' && key.data[k] <= '9';
			i = i * 10 + (size_t)(key.data[k] - '0');
		}
		if (is_id && i < l->n &&
		        (name.type == JSON_TOKEN_STRING || name.type == JSON_TOKEN_NUMBER)) {
			l->names[i] = name;
		}
	}
	return t.type == JSON_TOKEN_OBJECT_END;
}

static void put_listed(struct json_writer *w, const struct listed *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct json_token *name = &l->names[i];
		if (name->type == JSON_TOKEN_ERROR) {
			continue;
		}
		json_writer_open(w, NULL, '{');
		if (name->type == JSON_TOKEN_STRING) {
			json_writer_raw(w, "token", (struct span){name->start, name->len});
		} else {
			json_writer_printf(
			        w, "token", "\"token_id:%.*s\"", (int)name->len, name->start);
		}
		if (l->are_probs) {
			json_writer_number(w, "logprob", log(l->values[i]));
		} else {
			put_logprob(w, l->values[i], l->written[i]);
		}
		json_writer_close(w, "}");
	}
}

bool infer_check_logprobs_put(
        struct buf *to, const struct infer_check_logprobs *s, const struct format_sink *sink)
{
	struct json_list tokens, logprobs, lists, names;
	struct span token, as_written, values, ids;
	struct listed listed;
	if (!s->logprobs.len) {
		return false;
	}
	if (json_list_count(s->tokens) != json_list_count(s->logprobs)) {
		format_note(
		        sink, "the numbers of logprobs and tokens differ, so both are left out");
		return false;
	}
	json_list_begin(&tokens, s->tokens);
	json_list_begin(&logprobs, s->logprobs);
	json_list_begin(&lists, s->distributions);
	json_list_begin(&names, s->names);
	bool has_lists = json_list_count(s->distributions) == json_list_count(s->names);
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	json_writer_open(&w, "content", '[');
	while (json_list_next_value(&tokens, &token)) {
		if (tokens.t.type != JSON_TOKEN_STRING ||
		        !json_list_next_value(&logprobs, &as_written)) {
			format_note(sink, "its tokens are not texts, so they are left out");
			return false;
		}
		json_writer_open(&w, NULL, '{');
		json_writer_raw(&w, "token", token);
		put_logprob(&w, json_token_number(&logprobs.t), as_written);
		json_writer_open(&w, "top_logprobs", '[');
		if (has_lists && json_list_next_value(&lists, &values) &&
		        json_list_next_value(&names, &ids) && read_listed(values, ids, &listed)) {
			put_listed(&w, &listed);
		}
		json_writer_close(&w, "]}");
	}
	json_writer_close(&w, "]}");
	return true;
}
