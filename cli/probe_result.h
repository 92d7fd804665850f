#pragma once
/*
 * probe_result - shows the result of `plumbline probe` as text for people, or as JSON.
 */
#include <stdbool.h>

#include "backends/engine_identity.h"
#include "capture/manifest.h"
#include "backends/probe/probe.h"
#include "base/buf.h"

struct probe_result {
	const char *url;
	const char *model; /* the model used in requests; NULL: none */
	const char *deep;  /* the shell command that also gives a report */
	const struct engine_identity *identity;
	const struct manifest *manifest;   /* NULL: nothing answered */
	const struct probe_report *report; /* NULL: not requested */
};

/* The engine's version: as the engine states it, else from an answer's fingerprint; NULL: unknown.
 * *ret_source: in words, where it comes from. The returned text may point into *to, which must be
 * empty. */
const char *probe_result_version(
        const struct probe_result *p, struct buf *to, const char **ret_source);

/* Appends the text, at most `width` columns wide: one screen, or everything if full. colour: with
 * escape sequences for a terminal. */
void probe_result_card(
        const struct probe_result *p, bool full, size_t width, bool colour, struct buf *to);
void probe_result_json(const struct probe_result *p, struct buf *to);
