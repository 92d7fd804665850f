#pragma once
/*
 * engine_url - parses an engine's URL as given on a command line, and calls the engine.
 *
 * A /v1 at the URL's end is removed, because the path of each request begins with /v1. Each
 * function except engine_url_host() prints on standard error that it was removed, once a URL.
 */
#include "backends/transport/base_url.h"
#include "backends/transport/call.h"
#include "base/check.h"

struct settings;

/* Parses the URL and removes a /v1. Returns NULL, or a sentence. base_url_finish() frees *ret. */
char *engine_url_parse(const char *text, struct base_url *ret) MUST_CHECK;
/* "host:8000" of "http://host:8000/v1"; NULL: it is no URL. The caller frees it. */
char *engine_url_host(const char *text);
/* Makes a call_line for calls to the engine at this URL; sends nothing. ca_file and api_key may be
 * NULL. Returns NULL if the URL or the key is wrong; *ret_error is then a sentence that the caller
 * frees. */
struct call_line *engine_url_call(
        const char *url, const char *ca_file, const char *api_key, char **ret_error) MUST_CHECK;
/* Print that a /v1 was removed from the URL of this backend of a configuration, or from the URLs of
 * all its backends. */
void engine_url_report(const struct settings *s, const char *name);
void engine_url_report_all(const struct settings *s);
