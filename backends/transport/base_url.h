#pragma once
/*
 * base_url - the address of an engine, as people write it.
 *
 * Requests have their own /v1: a client's /v1/models goes to BASE/v1/models, and /health to
 * BASE/health. So a /v1 at the end of the URL, which SDKs expect, is removed. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct base_url {
	/* scheme://host[:port][/base]; the scheme is lower case, no slash at the end */
	char *url;
	char *path;  /* "" or "/base" */
	bool had_v1; /* a /v1 at the end of the URL was removed */
};

/* Returns NULL, and the caller finishes *ret; or the rest of a sentence that begins with the URL
 * and says what is wrong. */
char *base_url_parse(const char *text, struct base_url *ret) MUST_CHECK;
/* As base_url_parse(), but returns a whole sentence, which has base_url_mask() of the URL. */
char *base_url_read(const char *text, struct base_url *ret) MUST_CHECK;
void base_url_finish(struct base_url *u);
/* True if the text begins with http:// or https://, in upper or lower case. */
bool base_url_is_one(const char *text);
/* A sentence without a full stop that says that /v1 was removed; the caller frees it. */
char *base_url_v1_removed(const struct base_url *u);
/* Splits a base_url.url: the host, without brackets, and the port or the scheme's default. */
void base_url_split(const char *url, struct span *ret_host, uint16_t *ret_port);
/* The URL for error messages, which the caller frees: short, printable, without credentials and
 * query. */
char *base_url_mask(const char *text);
