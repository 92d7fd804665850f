#pragma once
/*
 * slice - legs of one backend told apart: by the stack they were made under, or by the replica that
 * answered. And which backends had several stacks within a capture.
 */
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"

enum slice_by { SLICE_NONE, SLICE_STACK, SLICE_REPLICA };

#define SLICES_LIMIT 256

struct slice {
	char *backend;
	struct id stack; /* zero: none was known */
	char *replica;   /* or NULL */
	char *name;      /* "prod [vllm 0.32.0, from 12:03]", printable */
};

struct slice_stacks { /* of one backend */
	char *backend;
	struct id seen[8];
	size_t n; /* as many as are remembered, at most */
};

struct slices {
	enum slice_by by;
	struct slice *items;
	size_t n;
	struct slice_stacks *stacks;
	size_t n_stacks;
};

/* The name under which the leg is grouped, the same in every order; it lives until
 * slices_trim(). */
const char *slices_name(struct slices *s, struct capture *c, const struct leg_row *leg);
/* Forgets names, if there are more than SLICES_LIMIT. */
void slices_trim(struct slices *s);
/* "vllm 0.32.0, from 12:03", or with the day too; in UTC. NULL: the capture has no such
 * manifest. Printable; the caller's. */
char *slices_stack_name(struct capture *c, struct id id, bool with_day);
/* Once for each leg. */
void slices_note(struct slices *s, const struct leg_row *leg);
/* Of stacks: as if other's legs had been noted after. */
void slices_merge_stacks(struct slices *s, const struct slices *other);
void slices_finish(struct slices *s);
