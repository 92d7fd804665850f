#pragma once
/*
 * conf_tree - the tree that conf.c builds and conf_values.c reads. Private to these two.
 */
#include "base/conf.h"

struct conf_node {
	enum conf_kind kind;
	int line;
	const struct conf_node *parent;
	/* the node's key in its map; NULL: the node is an item of a list, or the root */
	const char *key;
	size_t index;  /* the node's index in its list or map */
	char *text;    /* the text of a scalar */
	bool plain;    /* the scalar has no quotes */
	size_t n, cap; /* of a list or map */
	char **keys;   /* the keys of a map, in file order; the items have the same order */
	struct conf_node **items;
	/* keys for which conf_get() was called, then NULL; NULL: none */
	const char **known_keys;
	size_t n_known_keys;
};
