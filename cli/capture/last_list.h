#pragma once
/*
 * last_list - stores which exchanges the list printed last for a capture has, so that @3 means its
 * third one.
 *
 * A file in the user's state directory ($XDG_STATE_HOME/plumbline/lists, else
 * ~/.local/state/plumbline/lists) holds the first LAST_LIST_LIMIT ids; each set of directories has
 * its own file. If a list cannot be stored, the next command reports that there is none. One
 * thread.
 */
#include <stddef.h>

#include "base/check.h"
#include "base/id.h"
#include "capture/capture.h"

#define LAST_LIST_LIMIT 1000

struct last_list { /* zero-initialised: empty */
	struct id *ids;
	size_t n; /* number of ids added; `ids` has the first LAST_LIST_LIMIT */
};
void last_list_add(struct last_list *l, struct id id);
/* Stores l as the last list of the capture, and empties l. */
void last_list_keep(struct last_list *l, const struct capture *c);
/* The id of exchange n (from 1) of the last list. Returns NULL, or a sentence that the caller
 * frees; *ret is then not written. */
char *last_list_get(const struct capture *c, size_t n, struct id *ret) MUST_CHECK;
