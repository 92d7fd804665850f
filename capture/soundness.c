#include "capture/soundness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/pages/pages.h"
#include "capture/seal.h"

static int check_pages(const char *dir, struct id id, enum segment_state state, char **ret_why)
{
	char *path = segment_path(dir, id, "seg");
	struct pages *p;
	int r = pages_open(path, &p);
	free(path);
	if (r < 0) {
		return r;
	}
	bool is_empty = pages_is_empty(p);
	if (state == SEGMENT_SEALED) {
		r = seal_check_trees(dir, id, p, ret_why);
	} else if (!is_empty) {
		r = pages_check(p, ret_why);
	}
	pages_close(p);
	return r == 0 && is_empty ? -ENODATA : r;
}

/* The pages are intact. Checks the names of the tables. */
static int check_tables(const char *dir, struct id id, char **ret_why)
{
	struct segment_reader *reader;
	int r = segment_open(dir, id, &reader);
	switch (r) {
	case 0:
		segment_close(reader);
		return 0;
	case -ENODATA:
		*ret_why = xstrdup("one of its tables is missing");
		return -EBADMSG;
	case -EBADMSG:
	case -EINVAL:
	case -ENOMEM:
		*ret_why = xasprintf("it cannot be opened: %s", strerror(-r));
		return -EBADMSG;
	default:
		return r;
	}
}

int soundness_check(const char *dir, struct id id, enum segment_state state, char **ret_why)
{
	if (state == SEGMENT_LIVE) {
		return 0;
	}
	int r = check_pages(dir, id, state, ret_why);
	return r < 0 ? r : check_tables(dir, id, ret_why);
}
