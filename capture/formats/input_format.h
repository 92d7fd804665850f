#pragma once
/*
 * input_format - one kind of files of other tools: answers with their requests, or requests or
 * descriptions of requests (data sets, recorded traffic, traces). input_formats.h lists them.
 */
#include "capture/formats/format_sink.h"
#include "capture/formats/line_members.h"
#include "capture/formats/sniff.h"
#include "capture/formats/trace_session.h"

struct request_lines;
/* Reads a line that is not empty. Returns NULL, or a sentence that says what is wrong. */
typedef const char *(*request_take_fn)(struct request_lines *r, struct span line);

struct input_format {
	const char *name; /* of a format of answers: its name in `import --format` */
	/* What `import` reads in such a file, and what `replay` does: titles for users. NULL: it
	 * has no answers; or no requests, and `instead` says what to do instead. */
	const char *answers, *requests, *instead;
	bool names_backends; /* the file names the backends of its answers */
	bool made_up;        /* the file has only lengths, and the prompts are generated */
	/* units that the user can change: the file has times that are plain numbers; hash ids */
	bool has_time_unit, has_blocks;
	bool (*fits)(const struct sniff *s); /* true if the file is probably of this kind */
	/* Set one of `read` and `take`. */
	/* Delivers what the sink takes; returns 0, or -EIO: the file cannot be read to its end. */
	int (*read)(const struct format_file *f, const struct format_sink *sink);
	bool only_answers;    /* `read` delivers answers even if the sink takes requests */
	request_take_fn take; /* for requests, line by line */
	/* With `take`; may be NULL. Gets all lines before `take` gets any, and returns why a line
	 * contradicts the assumed units, or NULL. If any line does, the first one is reported, and
	 * the file gives no requests. */
	request_take_fn doubt;
};

#define REQUEST_COLUMNS 4

/* For formats with one request on each line. */
struct request_lines {
	const struct format_file *file;
	const struct format_sink *sink;
	request_take_fn take;
	uint64_t line;
	/* for `take`: */
	struct buf body, text;
	struct trace_sessions sessions;
	/* of a CSV file: set by its first line that is not empty; SIZE_MAX: the file lacks it */
	size_t columns[REQUEST_COLUMNS];
	bool has_header; /* columns is set */
};
/* The unit of the file's times in ns: the configured unit, or else `own`, the format's. */
double request_time_unit(const struct request_lines *r, double own);
/* Reads the member "timestamp", in units of request_time_unit(). Times over 1e9 s count from 1970,
 * others from the file's time_ns. *ret_ns: ns since 1970, written on LINE_READ only. */
enum line_result request_time(
        const struct request_lines *r, struct span line, double own, uint64_t *ret_ns);
/* Delivers *found, after setting its target, its line and, if it has no body, its body to r->body.
 * target: REQUEST_CHAT or REQUEST_COMPLETION. */
void request_deliver(struct request_lines *r, struct span target, struct request_found *found);

/* Reads the requests of a file in this format, which has no `instead`. If it has only answers, each
 * of their requests comes once. Returns 0, or -EIO: the file cannot be read. */
int input_format_read_requests(const struct input_format *format, const struct format_file *f,
        const struct format_sink *sink);
