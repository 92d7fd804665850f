#pragma once
/*
 * http_framer - llhttp behind a narrow interface: a second opinion on each head, and the end of
 * each body.
 *
 * It sees only what the head guard accepted, and refuses a head that it frames in another way than
 * the guard. Strict; never a lenient flag. One message at a time, one thread. For http.c only,
 * because the names of llhttp's header collide with those of base/http.h.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

enum http_framer_state {
	HTTP_FRAMER_BODY,     /* more body is to come */
	HTTP_FRAMER_TRAILERS, /* the last chunk was read: give the whole trailer section, empty line
	                    included */
	HTTP_FRAMER_COMPLETE, /* the message ended with the byte consumed last */
};

/* How the guard read the head. A body that runs until close has neither length nor chunks. */
struct http_framer_head {
	struct span
	        after_method; /* requests: from the space after the method; responses: all of it */
	bool no_body;
	bool chunked;
	bool has_length;
	uint64_t length;
};

struct http_framer;

typedef void (*http_framer_body_fn)(void *arg, const char *data, size_t len);

/* extension_limit: bytes of chunk extensions in a message. */
struct http_framer *http_framer_create(
        bool requests, size_t extension_limit, http_framer_body_fn on_body, void *arg);
void http_framer_destroy(struct http_framer *f); /* NULL is fine */

/* Begins a message. 0, or -EPROTO: llhttp reads the head in another way. */
int http_framer_begin(struct http_framer *f, const struct http_framer_head *head,
        enum http_framer_state *ret_state) MUST_CHECK;
/* Returns the bytes consumed, or -EPROTO. */
ssize_t http_framer_feed(struct http_framer *f, const char *data, size_t len,
        enum http_framer_state *ret_state) MUST_CHECK;
const char *http_framer_problem(const struct http_framer *f); /* after -EPROTO: one sentence */
