#pragma once
/*
 * seal - the file ID.seal, which a segment's writer writes when the segment is complete: one line,
 *
 *	plumbline-seal 2 HASH BYTES TREES
 *
 * HASH is the hash of the whole file, BYTES its size, TREES the result of pages_hash_trees().
 * Opening a segment checks size and TREES. Values have their own checksums, which are checked when
 * a value is read, so nobody has to read the whole file. HASH verifies the file itself.
 *
 * Seals of version 1 lack TREES; the whole file is then checked.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/id.h"
#include "capture/pages/pages.h"

struct seal {
	uint64_t hash, bytes, trees;
	bool has_trees;
};

/* Writes the seal of a file that nobody writes to any more. -EBADMSG: its trees are not sound,
 * and no seal is written. */
int seal_write(const char *dir, struct id id) MUST_CHECK;
/* Reads a seal. -ENOENT: there is none; -EBADMSG: it is not valid. */
int seal_read(const char *dir, struct id id, struct seal *ret) MUST_CHECK;
/* Compares the whole file with its seal. Returns 0; -EBADMSG: they differ, or the seal is not
 * valid; -ENOENT: there is no seal. */
int seal_verify(const char *dir, struct id id) MUST_CHECK;
/* Checks the parts of the file that LMDB trusts, before LMDB opens it. p: the file, opened.
 * -EBADMSG: *ret_why says what is wrong; other errors leave it. */
int seal_check_trees(const char *dir, struct id id, struct pages *p, char **ret_why) MUST_CHECK;
