#pragma once
/*
 * privacy - decides which parts of HTTP heads may be stored and forwarded. No other module knows
 * where HTTP carries secrets.
 *
 * Heads are stored by an allow list: a field that is not in the list is not stored. A reference
 * gets every end-to-end field except those with the client's credentials. Pure; any thread.
 */
#include "base/http.h"

/* Fields to store besides the built-in list, never credentials. A trailing * matches any rest. */
struct privacy_names {
	char *const *items;
	size_t n;
};

/*
 * Append the fields that may be stored, in order, as "name: value" lines with LF; the status line
 * of an answer comes first. more may be NULL.
 */
void privacy_kept_request(
        const struct http_head *head, const struct privacy_names *more, struct buf *to);
void privacy_kept_response(
        const struct http_head *head, const struct privacy_names *more, struct buf *to);

/*
 * The target, in which "..." replaces each parameter value (of query and path) and each path
 * segment that is or contains a credential. The caller frees it.
 */
char *privacy_target(struct span target);
/* The target for a backend to which the credentials do not belong: parameters with credentials
 * are removed, and path segments are replaced as in privacy_target(). The caller frees it. */
char *privacy_public_target(struct span target);

/*
 * True if the field carries credentials or an account's name, or has a name that is usual for them.
 * Such a field is never stored, and never goes to a backend to which it does not belong.
 */
bool privacy_is_credential(struct span name);
