#pragma once
/*
 * marker - the file CAPTURE, which marks a directory as a capture and states its format.
 *
 * It is JSON with mode 0600, written once: {"plumbline_capture": 1, "created":
 * "2026-01-31T12:00:00Z", "hash_key": "64 hex digits"}. Any thread. On failure *ret_error is a
 * sentence that the caller frees.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

#define MARKER_NAME "CAPTURE"

struct marker {
	uint32_t format;
	uint8_t hash_key[32]; /* key of the prompt hashes */
	bool is_new;          /* marker_make() created the directory */
};

/* Reads the marker of an existing capture. -ENOENT: no directory or no capture; -EBADMSG: the
 * marker is damaged; -EPROTONOSUPPORT: a newer format. */
int marker_read(const char *dir, struct marker *ret, char **ret_error) MUST_CHECK;

bool marker_exists(const char *dir);

/*
 * As marker_read(), but first creates the directory (0700) and the marker if they are missing.
 * hash_key: the key for a new capture; NULL: a random one. -EEXIST: the directory has other files
 * and no marker; it stays unchanged. If other users can enter or read the directory, its mode
 * becomes 0700, and a message is logged; if that is not permitted, returns the errno of chmod().
 * Several processes may call this at the same time: one creates the marker, and all read it.
 */
int marker_make(
        const char *dir, const uint8_t *hash_key, struct marker *ret, char **ret_error) MUST_CHECK;

/* Removes the capture if it has no file but its marker; otherwise does nothing. For a directory
 * that this process created. */
void marker_drop(const char *dir);
