#pragma once
/*
 * soundness - whether LMDB may open a segment's file.
 *
 * LMDB trusts what it reads, so files are checked first. In a sealed segment, the tree pages must
 * be sound and match the seal; in any other, they must be sound. A live segment may be opened
 * without a check, because its writer has it open. Values are not checked here: each has its own
 * checksum.
 */
#include "capture/segment.h"

/* Returns 0; -ENODATA: it has no tables yet; -EBADMSG and the reason (the caller frees it) if it is
 * damaged; -ENOENT or another error of reading. */
int soundness_check(
        const char *dir, struct id id, enum segment_state state, char **ret_why) MUST_CHECK;
