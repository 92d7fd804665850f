#pragma once
/*
 * base_url - where an engine is, as people write it.
 *
 * Requests bring their own /v1: a client's /v1/models goes to BASE/v1/models, and /health to
 * BASE/health. A /v1 at the end of a URL, where SDKs want it, is taken off. Pure.
 */
#include <stdbool.h>

#include "base/buf.h"

struct base_url {
	char *url; /* scheme://host[:port][/base]; the scheme in small letters, no slash at its end */
	char *path; /* "" or "/base" */
	bool had_v1;
};

/* NULL; or what is wrong, as the rest of a sentence that begins with the URL; the caller frees it. */
char *base_url_parse(const char *text, struct base_url *ret) MUST_CHECK;
/* The same; what is wrong is a whole sentence, which quotes the URL by base_url_mask(). */
char *base_url_take(const char *text, struct base_url *ret) MUST_CHECK;
void base_url_finish(struct base_url *u);
/* The text is meant for a URL: it begins with http:// or https://, in whatever case. */
bool base_url_is_one(const char *text);
/* What was done about the /v1, as a sentence without its full stop; the caller frees it. */
char *base_url_note(const struct base_url *u);
/* The host, without brackets, and the port, or the scheme's, of a url out of base_url_parse(). */
void base_url_split(const char *url, struct span *ret_host, unsigned *ret_port);
/* A text as a problem may quote it: short, printable, without user, password and query. The caller
 * frees it. */
char *base_url_mask(const char *text);
