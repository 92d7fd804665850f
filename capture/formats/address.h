#pragma once
/*
 * address - the recorded part of a URL that a file says a request went to. Pure; any thread.
 */
#include "base/buf.h"

/*
 * Sets *to to the path and query of a URL or path, without the fragment. Values of parameters named
 * like a key are replaced, as the proxy does. Empty: there is no path. False: it has a byte that a
 * request line cannot contain.
 */
bool address_target(struct span url, struct buf *to) MUST_CHECK;
/*
 * Sets *to to scheme, host and port of an http(s) URL, "http://host:8000", without user and
 * password. Empty: there is no valid one.
 */
void address_origin(struct span url, struct buf *to);
