#pragma once
/*
 * marker - the file CAPTURE, which makes a directory a capture and says of which format it is.
 *
 * JSON, 0600, written once: {"plumbline_capture": 1, "created": "2026-01-31T12:00:00Z", "hash_key":
 * "64 hex digits"}. Nothing but the file system is asked; any thread. Each refusal is a sentence in
 * *ret_error, which the caller frees.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

#define MARKER_NAME "CAPTURE"

struct marker {
	uint32_t format;
	uint8_t hash_key[32]; /* of the prompt hashes */
};

/* Reads the marker of an existing capture. -ENOENT: no capture; -EPROTONOSUPPORT: of a newer
 * format. */
int marker_read(const char *dir, struct marker *ret, char **ret_error) MUST_CHECK;

bool marker_exists(const char *dir);

/*
 * The same, after making the directory (0700) and the marker where there are none. hash_key: for a
 * new capture, or NULL: random. A directory that holds other files and no marker is refused and
 * left as it is (-EEXIST). One that others may enter or read becomes 0700, which is logged, or is refused where it isn't
 * ours. Several processes may do this at once: one of them makes the marker and
 * all of them read that one.
 */
int marker_make(
        const char *dir, const uint8_t *hash_key, struct marker *ret, char **ret_error) MUST_CHECK;

/* Removes a capture that holds nothing but its marker; others stay. */
void marker_drop(const char *dir);
