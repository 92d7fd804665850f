#pragma once
/*
 * stated_defaults - what backends told of how they decode, by the manifests of a capture: the
 * sampling defaults, and what their logprobs are of.
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
	size_t n; /* that were kept; the last STATED_DEFAULTS_LIMIT of them are here */
};

/* NULL: no manifest of that id, or it is none that can be read. Lives until STATED_DEFAULTS_LIMIT
 * others were asked for. */
const struct stated *stated_defaults_get(
        struct stated_defaults *t, struct capture *c, struct id manifest);
