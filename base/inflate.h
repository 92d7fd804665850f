#pragma once
/*
 * inflate - decodes the content codings gzip, deflate (zlib or raw), br, zstd and identity. For
 * reading only: decoded bytes never go to a client.
 */
#include <stddef.h>

#include "base/buf.h"
#include "base/claim.h"

/*
 * Appends at most limit bytes to *to. coding: the value of Content-Encoding; empty: identity.
 * Returns 0; -ENOTSUP: unknown coding, or a list of several; -EMSGSIZE: there is more than limit;
 * -EBADMSG: the data is damaged or cut off; -ENOMEM. After the last three *to has what could be
 * decoded (for identity nothing).
 */
int inflate_body(struct span coding, struct span data, size_t limit, struct buf *to) MUST_CHECK;
/* As inflate_body(), but reserves memory in the claim's budget as it decodes. -ENOMEM: the budget
 * has no room. The claim must already count the capacity of *to; it counts the new capacity
 * afterwards, whatever is returned. */
int inflate_body_on(struct claim *claim, struct span coding, struct span data, size_t limit,
        struct buf *to) MUST_CHECK;
