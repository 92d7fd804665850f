#pragma once
/*
 * told - the sampling defaults that backends told of themselves, by the manifests of a capture.
 */
#include "backends/dialect.h"
#include "capture/capture.h"

#define TOLD_LIMIT 64

/* Zero-initialised is empty; nothing to be freed. */
struct told {
	struct {
		struct id manifest;
		struct sampling defaults;
	} items[TOLD_LIMIT];
	size_t n; /* that were kept; the last TOLD_LIMIT of them are here */
};

/* NULL: no manifest of that id, or it is none that can be read. Lives until TOLD_LIMIT
 * others were asked for. */
const struct sampling *told_get(struct told *t, struct capture *c, struct id manifest);
