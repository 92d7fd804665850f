/* Lists of token ids, and where engines put them into answers. */
#include <stdlib.h>

#include "backends/scoring/score_request.h"
#include "base/grow.h"
#include "base/json.h"
#include "base/sse.h"

void score_ids_add(struct score_ids *ids, int32_t id)
{
	ids->items = grow(ids->items, ids->n, &ids->cap, sizeof(*ids->items));
	ids->items[ids->n++] = id;
}

void score_ids_append(const struct score_ids *from, struct score_ids *to)
{
	for (size_t i = 0; i < from->n; i++) {
		score_ids_add(to, from->items[i]);
	}
}

void score_ids_finish(struct score_ids *ids)
{
	free(ids->items);
	*ids = (struct score_ids){0};
}

/* Appends the array's ids. */
static bool read_more(struct span array, struct score_ids *to)
{
	struct json j;
	struct json_token t;
	int64_t id;
	if (array.len == 0 || json_begin_lenient(&j, array).type != JSON_TOKEN_ARRAY) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_NUMBER) {
		if (!json_token_integer(&t, &id) || id < 0 || id > INT32_MAX ||
		        to->n == SCORE_TOKENS_LIMIT) {
			return false;
		}
		score_ids_add(to, (int32_t)id);
	}
	return t.type == JSON_TOKEN_ARRAY_END;
}

bool score_ids_read(struct span array, struct score_ids *to)
{
	score_ids_finish(to);
	if (read_more(array, to)) {
		return true;
	}
	score_ids_finish(to);
	return false;
}

void score_ids_put(const struct score_ids *ids, struct buf *to)
{
	buf_append_char(to, '[');
	for (size_t i = 0; i < ids->n; i++) {
		buf_printf(to, "%s%d", i ? "," : "", ids->items[i]);
	}
	buf_append_char(to, ']');
}

/* Appends the token_ids of the choice with index 0 in one document. False: there are no ids. */
static bool read_document(struct span document, struct score_ids *to)
{
	struct json_token t, index, ids;
	struct span list, choice, value;
	struct json j;
	int64_t number;
	if (!json_find_member(document, "choices", &t, &list) || t.type != JSON_TOKEN_ARRAY) {
		return true;
	}
	json_begin_lenient(&j, list);
	while (json_next_element(&j, &t, &choice)) {
		bool is_first = !json_find_member(choice, "index", &index, NULL) ||
		                (json_token_integer(&index, &number) && number == 0);
		if (is_first && json_find_member(choice, "token_ids", &ids, &value) &&
		        ids.type == JSON_TOKEN_ARRAY && !read_more(value, to)) {
			return false;
		}
	}
	return true;
}

struct documents {
	struct score_ids *to;
	bool good;
};

static void on_event(void *arg, const struct sse_event *event)
{
	struct documents *d = arg;
	d->good = d->good && (!event->has_data || read_document(event->data, d->to));
}

void score_ids_of_answer(struct span raw, struct score_ids *to)
{
	struct documents d = {to, true};
	if (raw.len > 0 && raw.data[0] == '{') {
		d.good = read_document(raw, to);
	} else if (raw.len > 0) {
		sse_read(raw, on_event, &d);
	}
	if (!d.good) {
		score_ids_finish(to);
	}
}
