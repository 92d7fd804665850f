#pragma once
/*
 * json_list - reads one JSON list. A caller uses one struct json_list for each of several parallel
 * lists. Pure.
 */
#include "base/json.h"

struct json_list {
	struct json j;
	struct json_token t; /* first token of the current element */
	bool open;
};

static inline void json_list_begin(struct json_list *s, struct span list)
{
	*s = (struct json_list){0};
	json_init_lenient(&s->j, list.data, list.len);
	s->open = list.len && json_next(&s->j).type == JSON_TOKEN_ARRAY;
}

/* Advances to the next element. The caller must skip it (json_skip()) before the next call. False:
 * the list has ended (t.type is JSON_TOKEN_ARRAY_END), is malformed, or is no list. */
static inline bool json_list_next(struct json_list *s)
{
	if (s->open) {
		s->t = json_next(&s->j);
		s->open = s->t.type != JSON_TOKEN_ARRAY_END && s->t.type != JSON_TOKEN_ERROR;
	}
	return s->open;
}

/* Advances to the next element, skips it, and sets *ret to all of it. False: the list has ended or
 * is malformed. */
static inline bool json_list_next_value(struct json_list *s, struct span *ret)
{
	*ret = json_list_next(s) ? json_skip(&s->j, &s->t) : (struct span){0};
	return ret->len > 0;
}

/* True for an empty list and for anything that is not a list. */
static inline bool json_list_is_empty(struct span list)
{
	struct json_list s;
	json_list_begin(&s, list);
	return !json_list_next(&s);
}

/* The number of elements; 0 for anything that is not a list. */
static inline size_t json_list_count(struct span list)
{
	struct json_list s;
	size_t n = 0;
	json_list_begin(&s, list);
	while (json_list_next(&s)) {
		json_skip(&s.j, &s.t);
		n++;
	}
	return n;
}
