#pragma once
/*
 * base_url - the address of an engine, as people write it.
 *
 * Requests bring their own /v1: a client's /v1/models goes to BASE/v1/models, and /health to
 * BASE/health. A /v1 at the end of the URL, as SDKs want it, is removed. Pure.
 */
#include <stdbool.h>

#include "base/buf.h"

struct base_url {
	/* scheme://host[:port][/base]; the scheme in small letters, no slash at its end */
	char *url;
	char *path; /* "" or "/base" */
	bool had_v1;
};

/* Returns NULL, or what is wrong as the rest of a sentence that begins with the URL; the caller
 * frees it. */
char *base_url_parse(const char *text, struct base_url *ret) MUST_CHECK;
/* As base_url_parse(), but what is wrong is a complete sentence that quotes the URL with
 * base_url_mask(). */
char *base_url_take(const char *text, struct base_url *ret) MUST_CHECK;
void base_url_finish(struct base_url *u);
/* True if the text begins with http:// or https:// (upper or lower case). */
bool base_url_is_one(const char *text);
/* A sentence about the removed /v1, without a full stop; the caller frees it. */
char *base_url_note(const struct base_url *u);
/* The host without brackets and the port (or the scheme's default) of a url from
 * base_url_parse(). */
void base_url_split(const char *url, struct span *ret_host, unsigned *ret_port);
/* A text that an error message may quote: short, printable, without user, password and query. The
 * caller frees it. */
char *base_url_mask(const char *text);
