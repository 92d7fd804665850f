#pragma once
/*
 * soundness - whether LMDB may open a segment's file.
 *
 * A live segment may: its writer has it open. Of the others every tree page is looked at first, and
 * those of a sealed one must agree with its seal, for LMDB trusts what it reads. Values are not looked at: each has a
 * checksum of its own.
 */
#include "capture/segment.h"

/* 0; -ENODATA: it holds no tables yet; -EBADMSG and why (the caller frees it) when it is damaged;
 * -ENOENT or another error of reading it. */
int soundness_check(
        const char *dir, struct id id, enum segment_state state, char **ret_why) MUST_CHECK;
