#pragma once
/*
 * node - reads members of a JSON document that is not trusted: one that is missing or has
 * another type counts as empty. Also makes values and sets members. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

/* The text of a member; "" if it is no string. It lives as long as the document. */
const char *node_text(const json_t *o, const char *name);
/* True if the member is this text. A member that is no string counts as "". */
bool node_is(const json_t *o, const char *name, const char *text);
bool node_flag(const json_t *o, const char *name);     /* false unless the member is true */
double node_number(const json_t *o, const char *name); /* NaN if it is no number */
/* The member at a path of names, separated by dots; NULL: there is none. The path must not come
 * from a document: a name of 96 bytes or more ends the process. */
const json_t *node_at(const json_t *o, const char *path);

/* The first item of a list whose member is this text; NULL: there is none. */
const json_t *node_find(const json_t *list, const char *name, const char *text);

struct node_walk {
	const json_t *list;
	size_t at;
	bool is_left; /* by break */
};

/* Loop over the items of a list, each a json_t *item; over none if it is no list. NODE_SOME()
 * takes only the first `most`. */
#define NODE_EACH(item, of) NODE_SOME(item, of, SIZE_MAX)
#define NODE_SOME(item, of, most)                                                                  \
	for (struct node_walk item##_walk = {.list = (of)};                                        \
	        !item##_walk.is_left && item##_walk.at < (most) &&                                 \
	        item##_walk.at < json_array_size(item##_walk.list);                                \
	        item##_walk.at++)                                                                  \
		for (json_t *item = (item##_walk.is_left = true,                                   \
		                    json_array_get(item##_walk.list, item##_walk.at));             \
		        item##_walk.is_left; item##_walk.is_left = false)

struct node_member {
	json_t *of;
	const char *key;
	json_t *value; /* NULL: there are no more */
};

/* Loops over an object's members in order, each a struct node_member; other values have none. */
#define NODE_MEMBERS(member, of)                                                                   \
	for (struct node_member member = node_member_first(of); member.value;                      \
	        member = node_member_after(&member))
struct node_member node_member_first(const json_t *o);
struct node_member node_member_after(const struct node_member *m);

/* A number as JSON; null for NaN and infinity, which JSON can't express. A new reference, like
 * the next two. */
json_t *node_real(double value);
/* [low, high]; null unless both are finite. */
json_t *node_interval(double low, double high);
/* A text as a JSON string; null for NULL, and for texts of engines that are not UTF-8. */
json_t *node_string(const char *text);

/* Set a member of o. */
void node_set_count(json_t *o, const char *name, uint64_t n); /* up to INT64_MAX */
void node_set_number(json_t *o, const char *name, double value);
void node_set_text(json_t *o, const char *name, const char *text);
void node_set_flag(json_t *o, const char *name, bool flag);
