#pragma once
/*
 * stacks_json - the stacks behind a capture or an engine as JSON: what is known of each item of a
 * publication's checklist, what changed within the capture, and how many answers each stack gave.
 * docs/manifest.md describes it: {"plumbline_manifest": 1, "stacks": [...]}. Each json_t * is a new
 * reference.
 */
#include <jansson.h>

#include "capture/capture.h"

struct manifest;

/* Reads the capture to its end; call capture_rewind() before. backend: the only backend that is
 * described; NULL: all. */
json_t *stacks_json_of_capture(struct capture *c, const char *backend);
/* Describes a running engine. Takes ownership of the manifest. */
json_t *stacks_json_of_engine(struct manifest *m);
