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
/*
 * Replaces to by scheme, host and port of an http(s) URL, "http://host:8000", without a user and a password. Empty: it has
 * none, or none that is written as one.
 */
void address_origin(struct span url, struct buf *to);
