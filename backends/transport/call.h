#pragma once
/*
 * call - one blocking HTTP request to an engine, for all that is not traffic, such as probing.
 *
 * A call_line keeps one connection and belongs to one thread. Only call_line_stop() may be called
 * from another thread or a signal handler. Every call ends within its timeout, whatever the engine
 * does.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/check.h"

struct call_line_settings {
	const char *url;             /* as in base_url.h */
	const char *ca_file;         /* NULL: the system's */
	const char *api_key;         /* sent as Authorization: Bearer; NULL: none; never printed */
	uint64_t connect_timeout_ms; /* 0: 2000 */
};

struct call_line;
/* Returns NULL, and in *ret_error a sentence that the caller frees, if the URL is invalid or the
 * API key has a control character. Copies the strings. */
struct call_line *call_line_create(const struct call_line_settings *s, char **ret_error);
void call_line_destroy(struct call_line *c); /* NULL is fine */
const char *call_line_url(const struct call_line *c);
/* The current call ends as CALL_STOPPED within 100 ms, all later calls at once. */
void call_line_stop(struct call_line *c);
bool call_line_stopped(const struct call_line *c);

enum call_end {
	CALL_DONE,
	CALL_REFUSED,   /* no connection, or not in time */
	CALL_TIMEOUT,   /* connected, but no complete answer in time; the answer has what arrived */
	CALL_BROKEN,    /* the connection broke within the answer */
	CALL_TOO_LARGE, /* the body was cut at the limit */
	CALL_STOPPED,
};

/* True if the answer is complete, or complete up to the limit. */
static inline bool call_is_complete(enum call_end end)
{
	return end == CALL_DONE || end == CALL_TOO_LARGE;
}

struct call {
	const char *path;    /* path below the base path of the URL */
	struct span body;    /* JSON, sent by POST; empty: the call is a GET */
	uint64_t timeout_ms; /* for the whole call; 0: 2000 */
	size_t limit;        /* bytes of body kept; 0: 16 MiB */
	bool fresh;          /* use a new connection, and close it afterwards */
	/* Called with each piece of the body that is kept, and the microseconds since the start;
	 * may be NULL. Returning false ends the call as CALL_STOPPED. */
	bool (*on_data)(void *arg, uint64_t us, const char *data, size_t len);
	void *arg;
};

struct call_answer {
	enum call_end end;
	int status;      /* 0: no head arrived */
	int minor;       /* HTTP/1.minor of the answer; -1: no head arrived */
	bool kept;       /* the call used a connection that had carried a call before */
	char *problem;   /* one sentence; NULL when DONE */
	struct buf head; /* "Name: value" lines of the last head, each ended by \n */
	struct buf body; /* without chunk frames; the call accepts no content coding */
	/* microseconds from the start to the first byte of the body (0: none), and to the end */
	uint64_t first_us, total_us;
};

/* The caller finishes *ret, whatever its end. */
void call_do(struct call_line *c, const struct call *call, struct call_answer *ret);
/* As call_do(). If the engine answers that it is busy (429, 503), repeats the call up to three
 * times, after 0.5, 1 and 2 s. call_line_stop() ends a pause. */
void call_do_patiently(struct call_line *c, const struct call *call, struct call_answer *ret);
/* One sentence, which the caller frees: why the call has no answer, or for CALL_DONE its status.
 * message: the engine's error text, quoted up to its first control character; or NULL. */
char *call_failure(const struct call_answer *a, const char *message);
void call_answer_finish(struct call_answer *a);
/* The value of the header field with this name, in any letter case; empty: there is none. */
struct span call_header(const struct call_answer *a, const char *name);
