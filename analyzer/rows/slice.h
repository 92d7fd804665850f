#pragma once
/*
 * slice - names the groups into which the legs of one backend are divided: by stack, or by the
 * replica that answered.
 */
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"

enum slice_by { SLICE_NONE, SLICE_STACK, SLICE_REPLICA };
const char *slice_by_name(enum slice_by by); /* "stack" */

#define SLICES_LIMIT 256

struct slice {
	char *backend;
	struct id stack; /* zero: unknown */
	char *replica;   /* or NULL */
	char *name;      /* "prod [vllm 0.32.0, from 12:03]", printable */
};

struct slices { /* the caller sets `by` and zero-initialises the others */
	enum slice_by by;
	struct slice *items;
	size_t n;
};

/* The name of the leg's group: the backend's name, with the slice in brackets unless SLICE_NONE.
 * The name does not depend on the order of calls. It lives until slices_trim() or slices_finish();
 * for SLICE_NONE, as long as the leg. */
const char *slices_name(struct slices *s, struct capture *c, const struct leg_row *leg);
/* Drops all names if there are more than SLICES_LIMIT. Call when no name is in use. */
void slices_trim(struct slices *s);
/* The name of a stack, such as "vllm 0.32.0, from 12:03" (UTC), printable; with_day: with the
 * day. The caller frees it. NULL: the capture has no such manifest. */
char *slices_stack_name(struct capture *c, struct id id, bool with_day);
void slices_finish(struct slices *s);
