#pragma once
/*
 * stated_defaults - the sampling defaults that backends told of themselves, by the manifests of a capture.
 */
#include "backends/dialect.h"
#include "capture/capture.h"

#define STATED_DEFAULTS_LIMIT 64

/* Zero-initialised is empty; nothing to be freed. */
struct stated_defaults {
	struct {
		struct id manifest;
		struct sampling defaults;
	} items[STATED_DEFAULTS_LIMIT];
	size_t n; /* that were kept; the last STATED_DEFAULTS_LIMIT of them are here */
};

/* NULL: no manifest of that id, or it is none that can be read. Lives until STATED_DEFAULTS_LIMIT
 * others were asked for. */
const struct sampling *stated_defaults_get(
        struct stated_defaults *t, struct capture *c, struct id manifest);
