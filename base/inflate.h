#pragma once
/*
 * inflate - content codings undone, for reading only; nothing decoded ever goes to a client.
 *
 * gzip, deflate (zlib or raw), br, zstd, identity; a list of several is refused. Output is limited.
 */
#include <stddef.h>

#include "base/buf.h"
#include "base/tab.h"

/*
 * Appends to *to. 0; -ENOTSUP unknown coding; -EMSGSIZE over the limit; -EBADMSG damaged or cut
 * short. After the last two *to holds what could be decoded, at most limit bytes.
 */
int inflate_body(struct span coding, struct span data, size_t limit, struct buf *to) MUST_CHECK;
/*
 * The same with room taken from a budget before anything is decoded into it, step by step: -ENOMEM where there is none left. *to is on
 * the tab from its beginning on, whatever is returned.
 */
int inflate_body_on(struct tab *tab, struct span coding, struct span data, size_t limit,
        struct buf *to) MUST_CHECK;
