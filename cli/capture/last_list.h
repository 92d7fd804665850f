#pragma once
/*
 * last_list - remembers the exchanges of the list printed last for a capture, so that @3 means its
 * third.
 *
 * The first LAST_LIST_LIMIT ids are in a file of the user's state directory
 * ($XDG_STATE_HOME/plumbline/lists, else ~/.local/state/plumbline/lists), one file for each set of
 * directories. If a list cannot be stored, the next command says that there is none. One thread.
 */
#include <stddef.h>

#include "base/check.h"
#include "base/id.h"
#include "capture/capture.h"

#define LAST_LIST_LIMIT 1000

struct last_list { /* zero-initialised is empty */
	struct id *ids;
	size_t n; /* number added; at most LAST_LIST_LIMIT are stored */
};
void last_list_add(struct last_list *l, struct id id);
/* Stores it as the last list of the capture, and empties it. */
void last_list_keep(struct last_list *l, const struct capture *c);
/* Exchange number n, from 1. Returns NULL and writes *ret, or a sentence that the caller frees. */
char *last_list_get(const struct capture *c, size_t n, struct id *ret) MUST_CHECK;
