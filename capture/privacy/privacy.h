#pragma once
/*
 * privacy - what may be kept and what may be passed on: the one place that knows where secrets
 * travel in HTTP.
 *
 * Heads are kept by allow list: a field that nobody has named is not stored. What goes to a
 * reference is decided the other way round: every end-to-end field but those that carry the
 * client's credentials. Pure; any thread.
 */
#include "base/http.h"

/* Header names that are kept beside the built-in list; a trailing * stands for any rest. */
struct privacy_names {
	char *const *items;
	size_t n;
};

/*
 * The fields that may be stored, as "name: value" lines with LF, in order; for an answer after its
 * status line. more may be NULL.
 */
void privacy_kept_request(
        const struct http_head *head, const struct privacy_names *more, struct buf *to);
void privacy_kept_response(
        const struct http_head *head, const struct privacy_names *more, struct buf *to);

/*
 * The target with the values of parameters, of the query and of the path, that are or bear a credential replaced by "...";
 * likewise segments of the path.
 */
char *privacy_target(struct span target);
/* The target without those parameters, for a backend that they were not meant for; segments are replaced. */
char *privacy_public_target(struct span target);

/*
 * The field carries credentials or names an account, or sounds like it: it is never stored and
 * never goes to a backend it was not meant for.
 */
bool privacy_is_credential(struct span name);
