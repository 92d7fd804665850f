#pragma once
/*
 * last_list - stores the ids of the list of exchanges that was printed last for a capture. So the
 * user can name its third exchange as @3.
 *
 * The list is a file in the user's state directory ($XDG_STATE_HOME/plumbline/lists, else
 * ~/.local/state/plumbline/lists). It has the first LAST_LIST_LIMIT ids. Each set of directories
 * that are one capture has its own file. If a list could not be stored, last_list_get() says that
 * there is none. One thread.
 */
#include <stddef.h>

#include "base/check.h"
#include "base/id.h"
#include "capture/capture.h"

#define LAST_LIST_LIMIT 1000

struct last_list { /* zero-initialised: empty */
	struct id *ids;
	size_t n; /* number of ids that were added; only the first LAST_LIST_LIMIT are stored */
};
void last_list_add(struct last_list *l, struct id id);
/* Stores l as the last list of the capture unless l is empty, and makes l empty. */
void last_list_keep(struct last_list *l, const struct capture *c);
/* Sets *ret to the id of exchange n (from 1) of the last list. Returns NULL, or a sentence. */
char *last_list_get(const struct capture *c, size_t n, struct id *ret) MUST_CHECK;
