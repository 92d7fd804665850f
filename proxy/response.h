#pragma once
/*
 * response - an answer on its way to a client: framing is ours, everything else the engine's.
 *
 * An answer of known length keeps it; any other goes chunked to a 1.1 client and until close to
 * a 1.0 client. Hop-by-hop fields are left out. An answer that broke off is never ended properly:
 * no last chunk, an early close. Without a client (it has gone) all of this does nothing and never
 * blocks. Loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/http.h"

struct client;

enum response_state {
	RESPONSE_WAITING, /* nothing but interim heads has gone out */
	RESPONSE_BODY,    /* the head has gone out */
	RESPONSE_ENDED,   /* whole, or cut */
};

struct response {
	enum response_state state;
	struct client *client;     /* NULL once it has gone */
	enum http_framing framing; /* towards the client */
	bool head_only;            /* the request was HEAD */
	bool keep;                 /* the connection may be used again */
	int minor;                 /* the request's version */
	int status;                /* that the client got; 0: none */
	uint64_t sent;             /* body bytes */
};

/* What changes the length that the engine gave. */
enum { RESPONSE_LENGTH_KEPT = -1, RESPONSE_LENGTH_UNKNOWN = -2 };

void response_init(struct response *r, struct client *client, const struct http_head *request);
void response_interim(struct response *r, const struct http_head *head);
/* 101, as asked for: from now on bytes pass as they are, until the connection's end. */
void response_switch(struct response *r, const struct http_head *head);
/*
 * length: of the body as the client will get it, or one of the above. keep: as far as the request
 * is concerned.
 */
void response_begin(struct response *r, const struct http_head *head, int64_t length, bool keep);
/*
 * False: the client is behind by more than window bytes; exchange_client_caught_up() will tell when it has
 * caught up.
 */
bool response_body(struct response *r, const char *data, size_t len, size_t window);
void response_end(struct response *r, bool request_whole);
void response_abort(struct response *r);
/*
 * An answer of our own in OpenAI's error form; the connection ends after it unless keep. Only while
 * WAITING.
 */
void response_error(
        struct response *r, int status, const char *code, const char *message, bool keep);

/* The bytes of such an answer, for a connection without an exchange. */
void response_error_text(struct buf *to, int status, const char *code, const char *message,
        bool keep, bool head_only);
