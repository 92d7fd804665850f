#pragma once
/*
 * requests - the kinds of files that hold requests, or what requests were like: data sets, recorded
 * traffic of other tools, traces.
 *
 * A format reads a file from its beginning and hands over requests in the file's order. What is wrong
 * with one line or element is said and the rest goes on. One thread.
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
	struct span suite;                /* the same; empty: as the file is called */
	uint64_t wall_ns;                 /* when it was sent; 0: not known */
	uint64_t line;
	/* Where the file names sessions: */
	struct span session; /* plain text; empty: it stands alone, or is told by what it says */
	uint32_t turn;       /* of its session, from 1 on */
	uint64_t delay_ns;   /* from the answer before it to this turn */
	bool history_open;   /* an empty answer stands in it for each turn before */
};

struct request_file {
	FILE *file;
	struct span suite; /* what the file is called */
	uint64_t time_ns;  /* where times count from the beginning of a trace, that is it */
	struct trace_units units;
};

struct request_sink {
	void (*request)(void *arg, const struct request_found *r);
	void (*bad)(void *arg, uint64_t line, const char *why); /* damaged: left out */
	/* Whole, and no request that can be sent. line 0: there are many of these, which are counted alone. */
	void (*unfit)(void *arg, uint64_t line, const char *why);
	void *arg;
};

struct request_format {
	const char *name;
	const char *title;
	bool made_up; /* the file has lengths only: prompts are made up to them */
	bool (*fits)(const struct sniff *s);
	/* For what is known, and holds no requests: what to do, after "FILE: "; there is no read then. */
	const char *instead;
	/* 0, or -EIO. */
	int (*read)(const struct request_file *f, const struct request_sink *sink);
};

#define REQUESTS_CHAT SPAN("/v1/chat/completions")
#define REQUESTS_COMPLETION SPAN("/v1/completions")

extern const struct request_format requests_sharegpt, requests_har, requests_gor, requests_otel,
        requests_bailian, requests_mooncake, requests_evalscope, requests_vllm, requests_suite,
        requests_burstgpt, requests_azure, requests_of_infer_check, requests_of_lm_eval,
        requests_of_batch_output;

/* NULL: it is none of them. Bodies of requests, one a line, are none. */
const struct request_format *requests_format_of(const struct sniff *s);
const struct request_format *const *requests_formats(size_t *ret_n);

/* For formats with a line a request: each that is not empty; take says what is wrong, or NULL. */
struct request_lines {
	const struct request_file *file;
	const struct request_sink *sink;
	uint64_t line;
	struct buf body, text; /* for takers, as these: */
	struct threads threads;
};
typedef const char *(*requests_take_fn)(struct request_lines *r, struct span line);
int requests_each_line(
        const struct request_file *f, const struct request_sink *sink, requests_take_fn take);
/* The unit of the file's times: as it is told, else the format's own. */
double requests_unit(const struct request_lines *r, double own);
/* The line's timestamp, in that unit, since the trace began or since 1970; missing: nothing is written. */
enum told requests_time(
        const struct request_lines *r, struct span line, double own, uint64_t *ret_ns);
void requests_give(struct request_lines *r, struct span target, struct request_found *found);
