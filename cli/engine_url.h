#pragma once
/*
 * engine_url - an engine's URL, as a user gives it to a command.
 *
 * What is done about a /v1 at its end is told on standard error, once in a process.
 */
#include "backends/base_url.h"
#include "base/check.h"

struct settings;

/* NULL; or what is wrong, as a sentence that quotes the URL; the caller frees it. */
char *engine_url_take(const char *text, struct base_url *ret) MUST_CHECK;
/* Of a backend of this name in a configuration, if there is one. */
void engine_url_tell(const struct settings *s, const char *name);
void engine_url_tell_all(const struct settings *s);
