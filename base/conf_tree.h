#pragma once
/*
 * conf_tree - the tree that conf.c builds and conf_values.c reads. Private to these two.
 */
#include "base/conf.h"

struct conf_node {
	enum conf_kind kind;
	int line;
	const struct conf_node *parent;
	const char *key; /* in its map; NULL in a list and at the root */
	size_t index;    /* in its list */
	char *text;      /* of a scalar */
	bool plain;      /* a scalar without quotes */
	size_t n, cap;   /* of a list or map */
	char **keys;     /* of a map, in file order, as are the items */
	struct conf_node **items;
	char **asked; /* keys that conf_get() was asked for */
	size_t n_asked;
};
