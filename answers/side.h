#pragma once
/*
 * side - reads one JSON list. A caller uses one struct side for each of several parallel lists.
 * Pure.
 */
#include "base/json.h"

struct side {
	struct json j;
	struct json_token t; /* first token of the current element */
	bool open;
};

static inline void side_begin(struct side *s, struct span list)
{
	*s = (struct side){0};
	json_init_lenient(&s->j, list.data, list.len);
	s->open = list.len && json_next(&s->j).type == JSON_ARRAY;
}

/* Advances to the next element. The caller must skip it (json_skip()) before the next call.
 * False: the list has ended. */
static inline bool side_next(struct side *s)
{
	if (s->open) {
		s->t = json_next(&s->j);
		s->open = s->t.type != JSON_ARRAY_END && s->t.type != JSON_ERROR;
	}
	return s->open;
}

/* True for an empty list and for anything that is not a list. */
static inline bool side_is_empty(struct span list)
{
	struct side s;
	side_begin(&s, list);
	return !side_next(&s);
}

/* The number of elements; 0 for anything that is not a list. */
static inline size_t side_count(struct span list)
{
	struct side s;
	size_t n = 0;
	side_begin(&s, list);
	while (side_next(&s)) {
		json_skip(&s.j, &s.t);
		n++;
	}
	return n;
}
