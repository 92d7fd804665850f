#pragma once
/*
 * call - one blocking HTTP request to an engine, for probing, scoring and everything else that is
 * not traffic.
 *
 * A call_line keeps one connection and belongs to one thread; only call_line_stop() may be called
 * from another thread or a signal handler. Every call ends within its timeout, whatever the engine
 * does.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/check.h"

struct call_line_settings {
	const char *url;             /* scheme://host[:port][/base] */
	const char *ca_file;         /* NULL: the system's */
	const char *api_key;         /* sent as Authorization: Bearer; NULL: none; never printed */
	uint64_t connect_timeout_ms; /* 0: 2000 */
};

/* Prepares libcurl, once in the process; before its first use. Any thread. */
void call_init_curl(void);

struct call_line;
/* Returns NULL and a sentence that the caller frees if the URL is invalid. */
struct call_line *call_line_create(const struct call_line_settings *s, char **ret_error);
void call_line_destroy(struct call_line *c); /* NULL is fine */
const char *call_line_url(const struct call_line *c);
/* The current call ends as CALL_STOPPED within 100 ms, all later ones at once. */
void call_line_stop(struct call_line *c);
bool call_line_stopped(const struct call_line *c);

enum call_end {
	CALL_DONE,
	CALL_REFUSED,   /* no connection */
	CALL_TIMEOUT,   /* no complete answer in time; what arrived is available */
	CALL_BROKEN,    /* the connection broke within the answer */
	CALL_TOO_LARGE, /* cut at the limit */
	CALL_STOPPED,
};

/* True if the answer is complete, or complete up to the limit. */
static inline bool call_is_whole(enum call_end end)
{
	return end == CALL_DONE || end == CALL_TOO_LARGE;
}

struct call {
	const char *method;  /* NULL: GET, or POST with a body */
	const char *path;    /* below the base path */
	struct span body;    /* JSON; empty: none */
	uint64_t timeout_ms; /* for the whole call; 0: 2000 */
	size_t limit;        /* bytes of body kept; 0: 16 MiB */
	bool fresh;          /* on a new connection, closed afterwards */
	/* Called with each piece and the microseconds since the start; may be NULL. False: stop;
	 * the call ends as CALL_STOPPED. */
	bool (*on_data)(void *arg, uint64_t us, const char *data, size_t len);
	void *arg;
};

struct call_answer {
	enum call_end end;
	int status;                  /* 0: no head arrived */
	int minor;                   /* HTTP/1.minor of the answer; -1: no head arrived */
	bool kept;                   /* sent on a connection that had carried a call before */
	char *problem;               /* one sentence; NULL when DONE */
	struct buf head;             /* "Name: value" lines of the last head, each ended by \n */
	struct buf body;             /* de-chunked; no content codings are requested */
	uint64_t first_us, total_us; /* since the start: first byte of the body, end */
};

void call_do(struct call_line *c, const struct call *call, struct call_answer *ret);
/* As call_do(), but while the engine answers that it is busy (429, 503), repeats the call up to
 * three times, after growing pauses. The pauses end with call_line_stop(). */
void call_do_patiently(struct call_line *c, const struct call *call, struct call_answer *ret);
/* One sentence: why the call did not end in an answer; for CALL_DONE its status and `said`, which
 * is the engine's own error text, up to its first control character; NULL: none. The caller frees
 * it. */
char *call_failure(const struct call_answer *a, const char *said);
void call_answer_finish(struct call_answer *a);
/* The value of a header field, whose name is compared without case; empty if absent. */
struct span call_header(const struct call_answer *a, const char *name);
