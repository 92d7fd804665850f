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

/* Zero-initialised is empty; nothing to be freed. */
struct stated_defaults {
	struct {
		struct id manifest;
		struct stated stated;
	} items[STATED_DEFAULTS_LIMIT];
	size_t n; /* manifests asked for so far; the last STATED_DEFAULTS_LIMIT of them are here */
};

/* NULL: no such manifest, or not readable. The result lives until STATED_DEFAULTS_LIMIT others were
 * asked for. */
const struct stated *stated_defaults_get(
        struct stated_defaults *t, struct capture *c, struct id manifest);
