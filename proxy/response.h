#pragma once
/*
 * response - writes one answer to a client. The framing is plumbline's, everything else is the
 * engine's.
 *
 *	the length is known  Content-Length
 *	else, HTTP/1.1       chunked
 *	else, HTTP/1.0       the answer ends with the connection
 *
 * Hop-by-hop fields are dropped. If an answer breaks off, the client gets no proper end: no last
 * chunk, and the connection closes early. When the client has gone, the functions send nothing, and
 * response_body() returns true. Loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/http.h"

struct client;

enum response_state {
	RESPONSE_WAITING, /* no head was sent, except interim ones (1xx) */
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
	int status;                /* status that was sent to the client; 0: none */
	uint64_t sent;             /* bytes of the body that were sent or queued */
};

/* Special lengths for response_begin(): the length that `head` states; no length in advance. */
enum { RESPONSE_LENGTH_KEPT = -1, RESPONSE_LENGTH_UNKNOWN = -2 };

void response_init(struct response *r, struct client *client, const struct http_head *request);
void response_interim(struct response *r, const struct http_head *head); /* not to HTTP/1.0 */
/* Sends the engine's 101. From now on bytes pass unchanged until the connection ends. */
void response_switch(struct response *r, const struct http_head *head);
/* Sends the head, unless one was sent before. length: bytes of the body that the client gets, or
 * one of the special lengths. keep: the request allows the connection to stay open. */
void response_begin(struct response *r, const struct http_head *head, int64_t length, bool keep);
/* Sends a piece of the body. False: more than window bytes are queued for the client;
 * exchange_client_caught_up() is called when it has read them. */
bool response_body(struct response *r, const char *data, size_t len, size_t window);
/* Ends the answer. request_whole: the request was read to its end, so the connection may be
 * kept. */
void response_end(struct response *r, bool request_whole);
void response_abort(struct response *r);
/* Sends an error of plumbline's own, in OpenAI's form, and ends the answer; does nothing unless the
 * state is RESPONSE_WAITING. keep false: the connection closes after it. */
void response_error(
        struct response *r, int status, const char *code, const char *message, bool keep);

/* Appends the bytes of such an answer, for a client without an exchange. head_only: without the
 * body, as for HEAD. */
void response_error_text(struct buf *to, int status, const char *code, const char *message,
        bool keep, bool head_only);
