#pragma once
/*
 * side - one of several JSON lists that are walked side by side.
 */
#include "base/json.h"

struct side {
	struct json j;
	struct json_token t; /* the first token of the element at hand */
	bool open;
};

static inline void side_begin(struct side *s, struct span list)
{
	*s = (struct side){0};
	json_init_lenient(&s->j, list.data, list.len);
	s->open = list.len && json_next(&s->j).type == JSON_ARRAY;
}

/* The next element; the caller reads past it (json_skip). False: there is none. */
static inline bool side_next(struct side *s)
{
	if (s->open) {
		s->t = json_next(&s->j);
		s->open = s->t.type != JSON_ARRAY_END && s->t.type != JSON_ERROR;
	}
	return s->open;
}

/* Also what is no list is empty. */
static inline bool side_is_empty(struct span list)
{
	struct side s;
	side_begin(&s, list);
	return !side_next(&s);
}

/* How many elements a list has; 0 for what is none. */
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
