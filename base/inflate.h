#pragma once
/*
 * inflate - decodes content codings. For reading only: decoded bytes never go to a client.
 *
 * Decodes gzip, deflate (zlib or raw), br, zstd and identity; refuses a list of several codings.
 */
#include <stddef.h>

#include "base/buf.h"
#include "base/claim.h"

/*
 * Appends at most limit bytes to *to. Returns 0; -ENOTSUP: unknown coding; -EMSGSIZE: there is more
 * than limit; -EBADMSG: the data is damaged or cut off. In the last two cases *to has what could be
 * decoded.
 */
int inflate_body(struct span coding, struct span data, size_t limit, struct buf *to) MUST_CHECK;
/*
 * As inflate_body(), but reserves memory in a budget step by step as it decodes. -ENOMEM: the
 * budget has no room. The claim must already hold the capacity of *to; it holds the new capacity
 * afterwards, whatever is returned.
 */
int inflate_body_on(struct claim *claim, struct span coding, struct span data, size_t limit,
        struct buf *to) MUST_CHECK;
