#pragma once
/*
 * address - the parts of a URL that an import stores. Pure; any thread.
 */
#include "base/buf.h"

/*
 * Sets *to to the path and query of a URL or path, without the fragment, and with credentials
 * replaced (privacy_target()). Empty: there is no path. False: it has a byte that a request line
 * cannot contain.
 */
bool address_target(struct span url, struct buf *to) MUST_CHECK;
/*
 * Sets *to to scheme, host and port of an http(s) URL, such as "http://host:8000", without user and
 * password. Empty: it is no such URL, or its host is "unknown".
 */
void address_origin(struct span url, struct buf *to);
