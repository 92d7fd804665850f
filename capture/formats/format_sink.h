#pragma once
/*
 * format_sink - the file that a format reads, and the functions to which it delivers the content.
 *
 * A format reads a file from its beginning and delivers answers or requests in the file's order. It
 * reports errors of a line or element, and continues. One thread.
 */
#include <stdint.h>
#include <stdio.h>

#include "capture/formats/imported_answer.h"
#include "capture/formats/json_stream.h"
#include "capture/formats/trace_units.h"

struct format_file {
	FILE *file;
	struct span name; /* the last part of its path */
	/* time of the file, ns since 1970: for answers whose time the file does not state, and the
	 * start of a trace whose times count from 0 */
	uint64_t time_ns;
	struct span backend; /* the backend that answered, for a file that does not name it */
	enum role role;      /* the role of that backend */
	FILE *requests;      /* a file with the requests, if `file` has only answers; or NULL */
	struct trace_units units;
};

struct request_found {
	struct span body;                 /* one JSON object */
	struct span target;               /* path and query */
	struct span item, category, gold; /* plain text; empty: none */
	struct span suite;                /* plain text; empty: the file's name */
	uint64_t wall_ns;                 /* time of sending, ns since 1970; 0: unknown */
	uint64_t line;                    /* from 1 */
	/* If the file names sessions: */
	/* plain text; empty: no session, or it must be recognised by the messages */
	struct span session;
	uint32_t turn;     /* number of the turn in its session; 1 is the first */
	uint64_t delay_ns; /* time from the previous answer to this turn */
	/* the messages have an empty answer for each earlier turn, because the file has no
	 * answers */
	bool history_open;
};

#define REQUEST_CHAT SPAN("/v1/chat/completions")
#define REQUEST_COMPLETION SPAN("/v1/completions")

/* What the functions get is valid during the call only. */
struct format_sink {
	/* The caller sets one of these two, for what it wants; the other one is NULL. */
	void (*answer)(void *arg, const struct imported_answer *a);
	void (*request)(void *arg, const struct request_found *r);
	/* A line or element is damaged and left out. */
	void (*bad)(void *arg, uint64_t line, const char *why);
	/* A line or element is valid, but it has no place in a capture, or cannot be sent, so it is
	 * left out. line 0: there are many of the kind, so they are only counted. */
	void (*unfit)(void *arg, uint64_t line, const char *why);
	/* The following functions may be NULL. */
	/* An answer was delivered without a part that the file has; why says which. */
	void (*note)(void *arg, const char *why);
	void (*progress)(void *arg); /* called after each line or element */
	bool (*stopped)(void *arg);  /* true: the format stops reading */
	void *arg;
};

void format_note(const struct format_sink *sink, const char *why);
void format_progress(const struct format_sink *sink);
bool format_stopped(const struct format_sink *sink);
/* Calls sink->bad(), or sink->unfit() if the line or element is not damaged. */
void format_reject(const struct format_sink *sink, bool is_bad, uint64_t line, const char *why);

/* Reads one line, which is not empty, or one element of a list. line: its number. Returns NULL, or
 * a static reason why it is left out. At the call *ret_bad is true. If you return a reason but the
 * text is not damaged, set it to false: sink->unfit() is then called instead of sink->bad(). */
typedef const char *(*format_take_fn)(void *arg, struct span text, uint64_t line, bool *ret_bad);
/* For formats with one object on each line. Returns 0, or -EIO: the file cannot be read. */
int format_each_line(FILE *file, const struct format_sink *sink, format_take_fn take, void *arg);
/* For formats with a list in JSON documents: reads every element of the lists that the rules lead
 * to. Returns as format_each_line(). */
int format_each_element(FILE *file, const struct json_stream_rule *rules, size_t n_rules,
        const struct format_sink *sink, format_take_fn take, void *arg);
/* Call at the end of a stream, with the last event. If that is JSON_STREAM_ERROR, reports it to
 * sink->bad(). Destroys the stream. Returns as format_each_line(). */
int format_end_stream(FILE *file, struct json_stream *o, const struct json_stream_event *last,
        const struct format_sink *sink);
