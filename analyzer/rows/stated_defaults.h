#pragma once
/*
 * stated_defaults - the sampling defaults that backends stated in the manifests of a capture, and
 * which distribution their logprobs show.
 */
#include "backends/dialect.h"
#include "capture/capture.h"

#define STATED_DEFAULTS_LIMIT 64

struct stated {
	struct sampling defaults;
	enum logprobs_basis basis;
};

/* Zero-initialised: empty. Needs no freeing. */
struct stated_defaults {
	struct {
		struct id manifest;
		struct stated stated;
	} items[STATED_DEFAULTS_LIMIT];
	/* manifests that were asked for so far; `items` has the last STATED_DEFAULTS_LIMIT of
	 * them */
	size_t n;
};

/* What this manifest states. NULL: there is no such manifest, or it can't be read. The result
 * lives until STATED_DEFAULTS_LIMIT other manifests were asked for. */
const struct stated *stated_defaults_get(
        struct stated_defaults *t, struct capture *c, struct id manifest);
