#pragma once
/*
 * seal - what a segment's writer leaves beside its file when it is done: ID.seal, one line,
 *
 *	plumbline-seal 2 HASH BYTES TREES
 *
 * HASH is that of the whole file, BYTES its size, TREES what pages_hash_trees() says of it. Whoever opens
 * the segment holds it against size and TREES: every value has a checksum of its own, which is looked at when the value is
 * read, so that nobody need read what nobody asks for. HASH is for who wants to know of the file itself.
 *
 * Seals of version 1 lack TREES: then the whole file tells.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/id.h"
#include "capture/repair/pages.h"

struct seal {
	uint64_t hash, bytes, trees;
	bool has_trees;
};

/* Of a file that nobody writes to any more. -EBADMSG: its trees are not sound, so that no seal is written. */
int seal_write(const char *dir, struct id id) MUST_CHECK;
/* -ENOENT: there is none; -EBADMSG: it is none of ours. */
int seal_read(const char *dir, struct id id, struct seal *ret) MUST_CHECK;
/* Holds the whole file against its seal: 0, -EBADMSG, or as above. */
int seal_verify(const char *dir, struct id id) MUST_CHECK;
/* The same of as much as a reader must know before LMDB opens the file, which is open as p; and why (the caller frees it). */
int seal_vouches(const char *dir, struct id id, struct pages *p, char **ret_why) MUST_CHECK;
