#pragma once
/*
 * call - one HTTP request to an engine, waited for: for probing, scoring and whatever else is not
 * traffic.
 *
 * A line keeps one connection and belongs to one thread; call_line_stop() alone may come from another
 * thread or a signal handler. Every call ends by its timeout at the latest, whatever the engine
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

struct call_line;
/* NULL and a sentence (the caller frees it) for a URL that is none. */
struct call_line *call_line_create(const struct call_line_settings *s, char **ret_error);
void call_line_destroy(struct call_line *c); /* NULL is fine */
const char *call_line_url(const struct call_line *c);
/* The call under way ends as CALL_STOPPED within a tenth of a second, all later ones at once. */
void call_line_stop(struct call_line *c);
bool call_line_stopped(const struct call_line *c);

enum call_end {
	CALL_DONE,
	CALL_REFUSED,   /* no connection */
	CALL_TIMEOUT,   /* no whole answer in time; what came is there */
	CALL_BROKEN,    /* the connection ended within the answer */
	CALL_TOO_LARGE, /* cut at the limit */
	CALL_STOPPED,
};

/* The answer came to its end, or to what is kept of it. */
static inline bool call_is_whole(enum call_end end)
{
	return end == CALL_DONE || end == CALL_TOO_LARGE;
}

struct call {
	const char *method;  /* NULL: GET, or POST with a body */
	const char *path;    /* below the base path */
	struct span body;    /* JSON; empty: none */
	uint64_t timeout_ms; /* of the whole call; 0: 2000 */
	size_t limit;        /* bytes of body kept; 0: 16 MiB */
	bool fresh;          /* on a connection of its own, closed after */
	/* Told of each piece as it comes, with microseconds since the start; may be NULL. False: enough;
	 * the call ends as CALL_STOPPED. */
	bool (*on_data)(void *arg, uint64_t us, const char *data, size_t len);
	void *arg;
};

struct call_answer {
	enum call_end end;
	int status;                  /* 0: no head came */
	int minor;                   /* HTTP/1.minor, as the answer says; -1: no head came */
	bool kept;                   /* went out on a connection that had carried a call before */
	char *problem;               /* one sentence; NULL when DONE */
	struct buf head;             /* "Name: value" lines of the last head, each ended by \n */
	struct buf body;             /* de-chunked; content codings are not asked for */
	uint64_t first_us, total_us; /* since the start; first byte of the body, end */
};

void call_do(struct call_line *c, const struct call *call, struct call_answer *ret);
void call_answer_finish(struct call_answer *a);
/* A header field's value, without case; empty when absent. */
struct span call_header(const struct call_answer *a, const char *name);
