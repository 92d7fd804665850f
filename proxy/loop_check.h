#pragma once
/*
 * loop_check - finds settings under which the proxy would send requests to itself. If a backend is
 * the proxy's own listener, one request becomes endlessly many. If the admin port is also the
 * clients' port, it can't be bound, or gets requests that are meant for the engine.
 *
 * The check does not resolve names except localhost, because the address of a name may change at
 * any time. Only for a proxy that is about to run.
 */
#include "proxy/settings/settings.h"

/* Returns NULL, or a sentence about the loop. file: the file of the settings, or NULL. */
char *loop_check(const struct settings *s, const char *file) MUST_CHECK;
