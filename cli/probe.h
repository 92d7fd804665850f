#pragma once
/*
 * probe - what one probe found, and the two ways to show it: a card for people, JSON for machines.
 */
#include <stdbool.h>

#include "backends/identity.h"
#include "capture/manifest.h"
#include "backends/probe/probe.h"
#include "base/buf.h"

struct probed {
	const char *url;
	const char *model; /* that questions were asked with; NULL: none */
	const struct identity *identity;
	const struct manifest *manifest;   /* NULL: nothing answered */
	const struct probe_report *report; /* NULL: not asked for */
};

/* The engine's version: as it tells it, or out of an answer's fingerprint. NULL: not told. Appended to
 * *to, which may hold nothing else. */
const char *probed_version(const struct probed *p, struct buf *to, const char **ret_source);

/* Appended; colour: with escape sequences for a terminal. */
void probed_card(const struct probed *p, bool colour, struct buf *to);
void probed_json(const struct probed *p, struct buf *to);
