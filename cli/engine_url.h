#pragma once
/*
 * engine_url - an engine's URL as given on a command line.
 *
 * A removed /v1 at its end is reported on standard error, once in a process.
 */
#include "backends/base_url.h"
#include "base/check.h"

struct settings;

/* Returns NULL, or a sentence that quotes the URL; the caller frees it. */
char *engine_url_take(const char *text, struct base_url *ret) MUST_CHECK;
/* Reports a removed /v1 for the backend of this name in a configuration, if there is such a
 * backend. */
void engine_url_tell(const struct settings *s, const char *name);
void engine_url_tell_all(const struct settings *s);
