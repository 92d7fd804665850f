#include "capture/formats/infer_check_logprobs.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

#define NO_LOGPROB (-9000.0)
#define LISTED_LIMIT 256 /* alternatives of a position; a longer list would be a whole vocabulary */

static struct span span_of_token(const struct json_token *t)
{
	return (struct span){t->start, t->len};
}

/* Reads a list's next element; false: the list ended. */
static bool next_of(struct json *j, struct json_token *ret, struct span *ret_all)
{
	*ret = json_next(j);
	if (ret->type == JSON_ARRAY_END || ret->type == JSON_ERROR || ret->type == JSON_END) {
		return false;
	}
	*ret_all = json_skip(j, ret);
	return ret_all->len > 0;
}

static bool begin_list(struct json *j, struct span list)
{
	json_init_lenient(j, list.data, list.len);
	return list.len && json_next(j).type == JSON_ARRAY;
}

static size_t count_of(struct span list)
{
	struct json j;
	struct json_token t;
	struct span all;
	size_t n = 0;
	if (begin_list(&j, list)) {
		while (next_of(&j, &t, &all)) {
			n++;
		}
	}
	return n;
}

static void put_logprob(struct buf *to, double value, struct span as_written)
{
	if (!isfinite(value) || value <= NO_LOGPROB) {
		buf_append_str(to, "null");
	} else {
		buf_append_span(to, as_written);
	}
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
	struct span all;
	bool negative = false, positive = false;
	l->n = 0;
	if (!begin_list(&j, values)) {
		return false;
	}
	while (next_of(&j, &t, &all)) {
		if (t.type != JSON_NUMBER || l->n == LISTED_LIMIT) {
			return false;
		}
		l->values[l->n] = json_number(&t);
		l->written[l->n] = all;
		l->names[l->n].type = JSON_ERROR;
		negative |= l->values[l->n] < 0;
		positive |= l->values[l->n] > 0;
		l->n++;
	}
	/* infer-check itself also distinguishes probabilities from logprobs by sign. */
	l->are_probs = positive && !negative;
	if (!names.len || json_begin_lenient(&j, names).type != JSON_OBJECT) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_KEY) {
		struct span key = json_raw(&t);
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
		if (is_id && i < l->n && (name.type == JSON_STRING || name.type == JSON_NUMBER)) {
			l->names[i] = name;
		}
	}
	return t.type == JSON_OBJECT_END;
}

static void put_listed(struct buf *to, const struct listed *l)
{
	bool any = false;
	for (size_t i = 0; i < l->n; i++) {
		const struct json_token *name = &l->names[i];
		if (name->type == JSON_ERROR) {
			continue;
		}
		buf_append_str(to, any ? ",{\"token\":" : "{\"token\":");
		any = true;
		if (name->type == JSON_STRING) {
			buf_append_span(to, span_of_token(name));
		} else {
			buf_printf(to, "\"token_id:%.*s\"", (int)name->len, name->start);
		}
		buf_append_str(to, ",\"logprob\":");
		if (l->are_probs) {
			json_put_number(to, log(l->values[i]));
		} else {
			put_logprob(to, l->values[i], l->written[i]);
		}
		buf_append_char(to, '}');
	}
}

bool infer_check_logprobs_put(
        struct buf *to, const struct infer_check_logprobs *s, const struct import_sink *sink)
{
	struct json tokens, logprobs, lists, names;
	struct json_token token, lp, t;
	struct span all, as_written, values;
	struct listed listed;
	if (!s->logprobs.len) {
		return false;
	}
	if (count_of(s->tokens) != count_of(s->logprobs)) {
		sink->note(sink->arg, "the numbers of logprobs and tokens differ: without both");
		return false;
	}
	begin_list(&tokens, s->tokens);
	begin_list(&logprobs, s->logprobs);
	bool has_lists = count_of(s->distributions) == count_of(s->names) &&
	                 begin_list(&lists, s->distributions) && begin_list(&names, s->names);
	buf_append_str(to, "{\"content\":[");
	for (size_t i = 0; next_of(&tokens, &token, &all); i++) {
		buf_append_str(to, i ? ",{\"token\":" : "{\"token\":");
		buf_append_span(to, all);
		if (token.type != JSON_STRING || !next_of(&logprobs, &lp, &as_written)) {
			sink->note(sink->arg, "its tokens are no texts: without them");
			return false;
		}
		buf_append_str(to, ",\"logprob\":");
		put_logprob(to, json_number(&lp), as_written);
		buf_append_str(to, ",\"top_logprobs\":[");
		if (has_lists && next_of(&lists, &t, &values) && next_of(&names, &t, &all) &&
		        read_listed(values, all, &listed)) {
			put_listed(to, &listed);
		}
		buf_append_str(to, "]}");
	}
	buf_append_str(to, "]}");
	return true;
}
