#pragma once
/*
 * response - writes one answer to a client. The framing is plumbline's, everything else is the
 * engine's.
 *
 * An answer of known length keeps it. Any other answer is chunked for HTTP/1.1, and ends with the
 * connection for HTTP/1.0. Hop-by-hop fields are dropped. An answer that broke off never gets a
 * proper end: no last chunk, and the connection closes early. When the client has gone, all
 * functions do nothing and report no backpressure. Loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/http.h"

struct client;

enum response_state {
	RESPONSE_WAITING, /* no final head was sent, only interim ones (1xx) */
	RESPONSE_BODY,    /* the head was sent */
	RESPONSE_ENDED,   /* complete, or aborted */
};

struct response {
	enum response_state state;
	struct client *client;     /* NULL once it has gone */
	enum http_framing framing; /* towards the client */
	bool head_only;            /* the request was HEAD */
	bool keep;                 /* the connection may be used again */
	int minor;                 /* the request's version */
	int status;                /* sent to the client; 0: none */
	uint64_t sent;             /* bytes of the body */
};

/* Special lengths of response_begin(): the length that `head` states, or none in advance. */
enum { RESPONSE_LENGTH_KEPT = -1, RESPONSE_LENGTH_UNKNOWN = -2 };

void response_init(struct response *r, struct client *client, const struct http_head *request);
void response_interim(struct response *r, const struct http_head *head);
/* Sends the 101. From now on bytes pass unchanged until the connection ends. */
void response_switch(struct response *r, const struct http_head *head);
/*
 * length: of the body that the client gets, in bytes, or a RESPONSE_LENGTH value. keep: the request
 * allows the connection to stay open.
 */
void response_begin(struct response *r, const struct http_head *head, int64_t length, bool keep);
/*
 * False: more than window bytes are queued for the client. When it has read them,
 * exchange_client_caught_up() is called.
 */
bool response_body(struct response *r, const char *data, size_t len, size_t window);
/* request_whole: the request was read to its end, so the connection may be kept. */
void response_end(struct response *r, bool request_whole);
void response_abort(struct response *r);
/*
 * Answers with an error of plumbline's own, in OpenAI's form. Without keep, the connection closes
 * after it. Only in RESPONSE_WAITING.
 */
void response_error(
        struct response *r, int status, const char *code, const char *message, bool keep);

/* Appends the bytes of such an answer, for a client without an exchange. */
void response_error_text(struct buf *to, int status, const char *code, const char *message,
        bool keep, bool head_only);
