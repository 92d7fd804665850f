#pragma once
/*
 * http_framer - llhttp behind a narrow interface. It reads each head a second time, and finds the
 * end of each body.
 *
 * It gets only heads that the head guard (base/http_head.h) accepted, and refuses a head if llhttp
 * frames it in another way than the guard. Strict, without any lenient flag. One message at a time;
 * one thread. Only http.c uses it, because names in llhttp's header collide with names in
 * base/http.h.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

enum http_framer_state {
	HTTP_FRAMER_BODY, /* more of the body follows */
	/* the last chunk was read: feed the whole trailer section with its empty line */
	HTTP_FRAMER_TRAILERS,
	HTTP_FRAMER_COMPLETE, /* the message ended with the last consumed byte */
};

/* How the guard read the head. A body that runs until close has no length and no chunks. */
struct http_framer_head {
	/* requests: from the space after the method; responses: the whole head */
	struct span after_method;
	bool no_body;
	bool chunked;
	bool has_length;
	uint64_t length;
};

struct http_framer;

typedef void (*http_framer_body_fn)(void *arg, const char *data, size_t len);

/* extension_limit: the bytes that the chunk extensions of one message may have. */
struct http_framer *http_framer_create(
        bool requests, size_t extension_limit, http_framer_body_fn on_body, void *arg);
void http_framer_destroy(struct http_framer *f); /* NULL is fine */

/* Begins a message. 0, or -EPROTO: llhttp reads the head in another way. */
int http_framer_begin(struct http_framer *f, const struct http_framer_head *head,
        enum http_framer_state *ret_state) MUST_CHECK;
/* Returns the number of bytes consumed, or -EPROTO. */
ssize_t http_framer_feed(struct http_framer *f, const char *data, size_t len,
        enum http_framer_state *ret_state) MUST_CHECK;
const char *http_framer_problem(const struct http_framer *f); /* after -EPROTO: one sentence */
