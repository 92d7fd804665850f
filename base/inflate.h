#pragma once
/*
 * inflate - decodes content codings, for reading only; decoded bytes never go to a client.
 *
 * gzip, deflate (zlib or raw), br, zstd, identity; a list of several is refused. Output is limited.
 */
#include <stddef.h>

#include "base/buf.h"
#include "base/claim.h"

/*
 * Appends to *to. Returns 0; -ENOTSUP: unknown coding; -EMSGSIZE: over the limit; -EBADMSG: damaged
 * or cut. After the last two *to has what could be decoded, at most limit bytes.
 */
int inflate_body(struct span coding, struct span data, size_t limit, struct buf *to) MUST_CHECK;
/*
 * The same, but takes memory from a budget, step by step, before it decodes: -ENOMEM when the
 * budget is spent. The claim must hold what *to has room for, before and after, whatever is
 * returned.
 */
int inflate_body_on(struct claim *claim, struct span coding, struct span data, size_t limit,
        struct buf *to) MUST_CHECK;
