#pragma once
/*
 * http - HTTP/1.x messages, strictly: the head guard, and the parser that finds where each message
 * ends.
 *
 * Glossary
 *	head     the start line and fields through the empty line
 *	guard    the checks that llhttp leaves out (obs-fold, bare LF, framing that two parsers
 *	         could read in two ways, limits); it runs over the buffered head before llhttp sees
 *	         one byte of it
 *	message  head and body; an interim (1xx) response is a message of its own, without a body
 *
 * What the guard requires: every LF follows a CR, and every CR precedes an LF; no NUL or control
 * byte other than HT in values; no line that begins with space; names are tokens followed directly
 * by a colon; HTTP/1.0 or 1.1; exactly one Host for 1.1 requests, at most one for 1.0;
 * Content-Length at most once and only digits; Transfer-Encoding at most once, exactly "chunked",
 * in 1.1 only, never together with Content-Length; no Expect other than 100-continue; any token
 * except CONNECT as the method; a target of visible ASCII without '#' that begins with '/' (or is
 * '*' for OPTIONS). Trailers must pass the same checks of fields, and must not contain framing
 * fields or Host; they are dropped. Nothing is read leniently.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

#define HTTP_HEAD_LIMIT 65536           /* bytes of a head, or of trailers */
#define HTTP_FIELDS_LIMIT 256           /* fields of a head */
#define HTTP_CHUNK_EXTENSION_LIMIT 4096 /* bytes of all chunk extensions of a message */

struct http_field {
	struct span name;
	struct span value; /* without the space around it */
};

enum http_framing {
	HTTP_NO_BODY, /* a request without length; status 1xx, 204 or 304 */
	HTTP_LENGTH,
	HTTP_CHUNKED,
	HTTP_UNTIL_CLOSE, /* responses only */
};

struct http_head {
	struct span raw;            /* the start line through the empty line */
	struct span method, target; /* requests */
	int status;                 /* responses */
	struct span reason;
	int minor; /* HTTP/1.minor */
	enum http_framing framing;
	/* the value of Content-Length; a 304 and the response to HEAD may have it without a body */
	uint64_t length;
	bool has_length; /* there is such a field */
	/* the connection persists, by the version and the Connection fields */
	bool keep_alive;
	bool expects_continue; /* requests: Expect: 100-continue */
	bool upgrade;          /* Upgrade field and Connection: upgrade */
	struct http_field *fields;
	size_t n_fields;
	size_t n_connection; /* the number of Connection fields */
};

/* The first field of that name (no case), or an empty span with data NULL. */
struct span http_field(const struct http_head *head, const char *name);
/* Removes the next field from a text of lines "name: value", and trims the value. Skips lines
 * without a colon. False: there are no more. */
bool http_lines_next(struct span *head, struct http_field *ret) MUST_CHECK;
/* The value of the first field of this name (no case) in such a text; empty if there is none. */
struct span http_lines_field(struct span head, const char *name);
/* True if Connection names Upgrade, and there is exactly one Upgrade field, which names this
 * protocol and nothing else. */
bool http_upgrades_to(const struct http_head *head, const char *protocol);
/* True for Connection, Keep-Alive, Proxy-*, TE, Trailer, Transfer-Encoding, Upgrade, and the
 * fields that Connection names. */
bool http_is_hop_by_hop(const struct http_head *head, struct span name);

/* Why a message was refused. status is the answer to the client: 400, 413, 414, 417, 431, 501 or
 * 505. */
struct http_problem {
	int status;
	const char *text; /* static, one sentence for the client and the log */
};

enum http_parser_kind { HTTP_REQUEST, HTTP_RESPONSE };

struct http_parser_events {
	/* Head and fields are valid until the callback returns. For a response to HEAD the callback
	 * must set *ret_no_body to true. Interim responses come here too, without on_complete. */
	void (*on_head)(void *arg, const struct http_head *head, bool *ret_no_body);
	/* without the chunks' frames; len > 0 */
	void (*on_body)(void *arg, const char *data, size_t len);
	void (*on_complete)(void *arg); /* the message's last byte was read */
};

struct http_parser;

/* events must outlive the parser. */
struct http_parser *http_parser_create(
        enum http_parser_kind kind, const struct http_parser_events *events, void *arg);
void http_parser_destroy(struct http_parser *p); /* NULL is fine; not from within a callback */

/*
 * Feeds bytes and returns how many it consumed. It stops after the last byte of a message; the rest
 * belongs to the next message, and the caller feeds it after http_parser_next(). (After an interim
 * response the parser continues by itself.) -EPROTO: the message is refused, http_parser_problem()
 * says why, and nothing more may be fed.
 */
ssize_t http_parser_feed(struct http_parser *p, const char *data, size_t len) MUST_CHECK;
/* Call it when the connection has ended. 0: it ended between messages, or at the end of a body
 * that runs until close (on_complete was called); -ECONNRESET: within a message. */
int http_parser_eof(struct http_parser *p) MUST_CHECK;
/* After on_complete: makes the parser ready for the next message on the connection. */
void http_parser_next(struct http_parser *p);
/* For responses, until http_parser_next(): allows the message to be a 101 that switches to this
 * protocol (a static string). That message ends with its head (on_head and on_complete are called),
 * and the bytes after it are not HTTP. Any other 101 is refused. */
void http_parser_may_switch(struct http_parser *p, const char *protocol);
bool http_parser_idle(const struct http_parser *p); /* no byte of the current message has arrived */
/* After -EPROTO; valid as long as the parser. */
const struct http_problem *http_parser_problem(const struct http_parser *p);

/* the phrase for a status, such as "Not Found"; "Unknown" if it has none */
const char *http_reason(int status);
