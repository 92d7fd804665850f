#pragma once
/*
 * side - one of several JSON lists that are read in parallel.
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

/* Advances to the next element, which the caller skips (json_skip()). False: the end. */
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
