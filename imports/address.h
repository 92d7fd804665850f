#pragma once
/*
 * address - what is kept of the URL that a file says a request went to. Pure; any thread.
 */
#include "base/buf.h"

/*
 * Replaces to by the path and query of a URL or of a path, with the values of parameters named like a key replaced as
 * in what the proxy stores, and without the fragment, which is never sent. Empty: there is no path. False: a byte in it
 * can't stand in a request line.
 */
bool address_target(struct span url, struct buf *to) MUST_CHECK;
