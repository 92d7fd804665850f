#pragma once
/*
 * probe - the result of a probe, and its two forms: text for people, JSON for programs.
 */
#include <stdbool.h>

#include "backends/identity.h"
#include "capture/manifest.h"
#include "backends/probe/probe.h"
#include "base/buf.h"

struct probed {
	const char *url;
	const char *model; /* the model used in requests; NULL: none */
	const struct identity *identity;
	const struct manifest *manifest;   /* NULL: nothing answered */
	const struct probe_report *report; /* NULL: not requested */
};

/* The engine's version, as stated or from an answer's fingerprint. NULL: unknown. Uses *to, which
 * must be empty. */
const char *probed_version(const struct probed *p, struct buf *to, const char **ret_source);

/* Appends the text, of so many columns; colour: with escape sequences for a terminal. */
void probed_card(const struct probed *p, size_t width, bool colour, struct buf *to);
void probed_json(const struct probed *p, struct buf *to);
