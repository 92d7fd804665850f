#pragma once
/*
 * requests - the kinds of files with requests, or with descriptions of requests: data sets,
 * recorded traffic of other tools, traces.
 *
 * A format reads a file from its beginning and gives requests to a request_sink in the file's
 * order. It reports errors of a line or element, and continues. One thread.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "capture/formats/import_format.h"
#include "capture/formats/line_members.h"
#include "capture/formats/sniff.h"
#include "capture/formats/thread.h"
#include "capture/formats/trace_units.h"

struct request_found {
	struct span body;                 /* one JSON object */
	struct span target;               /* path and query */
	struct span item, category, gold; /* plain text; empty: none */
	struct span suite;                /* plain text; empty: the file's name */
	uint64_t wall_ns;                 /* time of sending, ns since 1970; 0: unknown */
	uint64_t line;
	/* If the file names sessions: */
	/* plain text; empty: no session, or it must be recognised by the messages */
	struct span session;
	uint32_t turn;     /* number of the turn in its session; 1 is the first */
	uint64_t delay_ns; /* time from the previous answer to this turn */
	/* the messages have an empty answer for each earlier turn, because the file has no
	 * answers */
	bool history_open;
};

struct request_file {
	FILE *file;
	struct span suite; /* the file's name */
	uint64_t time_ns;  /* start of a trace whose times count from 0, ns since 1970 */
	struct trace_units units;
};

struct request_sink {
	void (*request)(void *arg, const struct request_found *r);
	/* a line or element is damaged and left out */
	void (*bad)(void *arg, uint64_t line, const char *why);
	/* A line or element is valid, but no request that can be sent. line 0: there are many of
	 * the kind, so they are only counted. */
	void (*unfit)(void *arg, uint64_t line, const char *why);
	void *arg;
};

struct request_lines;
/* Reads a line that is not empty. Returns NULL, or a sentence that says what is wrong. */
typedef const char *(*requests_take_fn)(struct request_lines *r, struct span line);

struct request_format {
	const char *name;
	const char *title;
	bool made_up; /* the file has only lengths, and the prompts are generated */
	bool (*fits)(const struct sniff *s);
	/* For a known kind of file without requests: a sentence that says what the user can do;
	 * nothing is read. */
	const char *instead;
	/* How a file is read: as a whole (returns 0, or -EIO: the file cannot be read), by lines,
	 * or by its answers. */
	int (*read)(const struct request_file *f, const struct request_sink *sink);
	requests_take_fn take;
	/* For `take`, or NULL: says why a line contradicts the units that are assumed. The first
	 * such line is reported, and then no request is delivered. */
	requests_take_fn doubt;
	/* The format of a file of answers, which says what fits. Each answer's request is delivered
	 * once. */
	const struct import_format *answers;
};

#define REQUESTS_CHAT SPAN("/v1/chat/completions")
#define REQUESTS_COMPLETION SPAN("/v1/completions")

/* All formats, in the order in which a file is tried. A new one gets a row. */
#define REQUEST_FORMATS(X)                                                                         \
	X(of_infer_check)                                                                          \
	X(of_lm_eval)                                                                              \
	X(of_batch_output)                                                                         \
	X(har)                                                                                     \
	X(otel)                                                                                    \
	X(sharegpt)                                                                                \
	X(gor)                                                                                     \
	X(bailian)                                                                                 \
	X(mooncake)                                                                                \
	X(evalscope)                                                                               \
	X(vllm)                                                                                    \
	X(suite)                                                                                   \
	X(burstgpt)                                                                                \
	X(azure)
#define DECLARE(name) extern const struct request_format requests_##name;
REQUEST_FORMATS(DECLARE)
#undef DECLARE

/* The format that fits the file; NULL: none. A file with a request's body on each line has no
 * format here. */
const struct request_format *requests_format_of(const struct sniff *s);
const struct request_format *const *requests_formats(size_t *ret_n);
/* Returns 0, or -EIO: the file cannot be read. */
int requests_read(const struct request_format *format, const struct request_file *f,
        const struct request_sink *sink);

/* For formats with one request on each line. */
struct request_lines {
	const struct request_file *file;
	const struct request_sink *sink;
	uint64_t line;
	struct buf body, text; /* for `take`, as the next member */
	struct threads threads;
};
/* The unit of the file's times in ns: the configured unit, or else `own`, the format's. */
double requests_unit(const struct request_lines *r, double own);
/* Reads the line's timestamp in requests_unit(), since the trace began or since 1970. Writes
 * nothing if it is missing. */
enum line_result requests_time(
        const struct request_lines *r, struct span line, double own, uint64_t *ret_ns);
/* Completes *found and gives it to the sink. target: REQUESTS_CHAT or REQUESTS_COMPLETION. */
void requests_give(struct request_lines *r, struct span target, struct request_found *found);
/* Reads a file of `answers`; as requests_read(). */
int requests_read_answers(const struct import_format *format, const struct request_file *f,
        const struct request_sink *sink);
