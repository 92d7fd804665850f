#pragma once
/*
 * requests - the kinds of files with requests, or with descriptions of requests: data sets,
 * recorded traffic of other tools, traces.
 *
 * A format reads a file from its beginning and delivers requests in the file's order. Errors of a
 * line or element are reported and reading continues. One thread.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "capture/formats/line_members.h"
#include "capture/formats/sniff.h"
#include "capture/formats/thread.h"
#include "capture/formats/trace_units.h"

struct request_found {
	struct span body;                 /* one JSON object */
	struct span target;               /* path and query */
	struct span item, category, gold; /* plain text; empty: none */
	struct span suite;                /* plain text; empty: the file's name */
	uint64_t wall_ns;                 /* time of sending; 0: unknown */
	uint64_t line;
	/* If the file names sessions: */
	struct span session; /* plain text; empty: it has none, or is recognised by its messages */
	uint32_t turn;       /* turn of its session, from 1 */
	uint64_t delay_ns;   /* from the previous answer to this turn */
	bool history_open;   /* its history has an empty answer for each earlier turn */
};

struct request_file {
	FILE *file;
	struct span suite; /* the file's name */
	uint64_t time_ns;  /* start of a trace whose times count from 0 */
	struct trace_units units;
};

struct request_sink {
	void (*request)(void *arg, const struct request_found *r);
	void (*bad)(void *arg, uint64_t line, const char *why); /* damaged, and left out */
	/* Valid, but not a request that can be sent. line 0: there are many, and they are only
	 * counted. */
	void (*unfit)(void *arg, uint64_t line, const char *why);
	void *arg;
};

struct request_format {
	const char *name;
	const char *title;
	bool made_up; /* the file has only lengths; prompts are generated */
	bool (*fits)(const struct sniff *s);
	/* For known files without requests: what to do, after "FILE: "; `read` is then NULL. */
	const char *instead;
	/* Returns 0, or -EIO. */
	int (*read)(const struct request_file *f, const struct request_sink *sink);
};

#define REQUESTS_CHAT SPAN("/v1/chat/completions")
#define REQUESTS_COMPLETION SPAN("/v1/completions")

extern const struct request_format requests_sharegpt, requests_har, requests_gor, requests_otel,
        requests_bailian, requests_mooncake, requests_evalscope, requests_vllm, requests_suite,
        requests_burstgpt, requests_azure, requests_of_infer_check, requests_of_lm_eval,
        requests_of_batch_output;

/* NULL: none of them. Files of request bodies, one a line, are none of them. */
const struct request_format *requests_format_of(const struct sniff *s);
const struct request_format *const *requests_formats(size_t *ret_n);

/* For formats with one request a line: calls `take` for each line that is not empty; it returns
 * what is wrong, or NULL. */
struct request_lines {
	const struct request_file *file;
	const struct request_sink *sink;
	uint64_t line;
	struct buf body, text; /* for `take`, like the following */
	struct threads threads;
};
typedef const char *(*requests_take_fn)(struct request_lines *r, struct span line);
int requests_each_line(
        const struct request_file *f, const struct request_sink *sink, requests_take_fn take);
/* The unit of the file's times: the configured one, else the format's own. */
double requests_unit(const struct request_lines *r, double own);
/* The line's timestamp, in that unit, since the trace began or since 1970; nothing is written if it
 * is missing. */
enum told requests_time(
        const struct request_lines *r, struct span line, double own, uint64_t *ret_ns);
void requests_give(struct request_lines *r, struct span target, struct request_found *found);
