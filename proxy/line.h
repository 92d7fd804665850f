#pragma once
/*
 * line - one worker's connections to one backend. Counted: stages that reach it in the same way share
 * it, so that kept connections outlive a change of the configuration. Loop thread only.
 */
#include <stdbool.h>

#include "backends/upstream.h"
#include "proxy/lineup.h"

struct shared;
struct uv_loop_s;

struct line {
	unsigned refs;
	struct lineup *lineup;                   /* held, for what follows */
	const struct backend_settings *settings; /* how it is reached */
	struct transport *transport;
};

/* b is of the lineup's settings. */
struct line *line_create(struct uv_loop_s *loop, struct shared *s, struct lineup *lineup,
        const struct backend_settings *b);
struct line *line_ref(struct line *l);
void line_unref(struct line *l); /* the last: no request is under way; NULL is fine */
/* Whether a backend of the lineup's settings is reached in this very way. */
bool line_reaches(
        const struct line *l, const struct lineup *lineup, const struct backend_settings *b);
