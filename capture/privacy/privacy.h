#pragma once
/*
 * privacy - which parts of HTTP heads may be stored and forwarded. The only place that knows where
 * secrets travel in HTTP.
 *
 * Heads are stored by an allow list: an unknown field is not stored. A reference gets every
 * end-to-end field except those with the client's credentials. Pure; any thread.
 */
#include "base/http.h"

/* Names of headers to store in addition to the built-in list; a trailing * matches any rest. */
struct privacy_names {
	char *const *items;
	size_t n;
};

/*
 * Appends the fields that may be stored, as "name: value" lines with LF, in order; an answer's
 * status line comes first. more may be NULL.
 */
void privacy_kept_request(
        const struct http_head *head, const struct privacy_names *more, struct buf *to);
void privacy_kept_response(
        const struct http_head *head, const struct privacy_names *more, struct buf *to);

/*
 * The target, where parameter values (of query and path) and path segments that are or contain a
 * credential are replaced by "...".
 */
char *privacy_target(struct span target);
/* The target without those parameters, for a backend that they were not meant for; path segments
 * are replaced. */
char *privacy_public_target(struct span target);

/*
 * True if the field carries credentials or an account's name, or sounds like it: it is never stored
 * and never goes to a backend that it was not meant for.
 */
bool privacy_is_credential(struct span name);
