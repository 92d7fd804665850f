#pragma once
/*
 * soundness - checks whether LMDB may open a segment's file.
 *
 * LMDB trusts what it reads, so files are checked first. The tree pages of a segment must be sound;
 * those of a sealed segment must also match its seal. A live segment may be opened without a check,
 * because its writer has it open. Values are not checked here: each has its own checksum.
 */
#include "capture/segment.h"

/* Returns 0; -ENODATA: the segment has no tables yet; -EBADMSG: it is damaged, and *ret_why says
 * how; or another negative errno of reading. */
int soundness_check(
        const char *dir, struct id id, enum segment_state state, char **ret_why) MUST_CHECK;
