#pragma once
/*
 * request_format - one kind of files with requests, or with descriptions of requests: data sets,
 * recorded traffic of other tools, traces. request_formats.h lists them.
 */
#include "capture/formats/import_format.h"
#include "capture/formats/line_members.h"
#include "capture/formats/trace_session.h"

struct request_lines;
/* Reads a line that is not empty. Returns NULL, or a sentence that says what is wrong. */
typedef const char *(*request_take_fn)(struct request_lines *r, struct span line);

struct request_format {
	const char *name;
	const char *title;
	bool made_up; /* the file has only lengths, and the prompts are generated */
	bool (*fits)(const struct sniff *s);
	/* For a known kind of file without requests: says what to do instead; nothing is read. */
	const char *instead;
	/* Set one of `read`, `take` and `answers`: how a file is read. */
	/* as a whole; returns 0, or -EIO: the file cannot be read */
	int (*read)(const struct format_file *f, const struct format_sink *sink);
	request_take_fn take; /* line by line */
	/* With `take`; may be NULL. Gets all lines before `take` gets any, and returns why a line
	 * contradicts the assumed units, or NULL. If any line does, the first one is reported, and
	 * the file gives no requests. */
	request_take_fn doubt;
	/* The file has answers in this format, which also has fits(). The requests are taken from
	 * the answers, equal ones once. */
	const struct import_format *answers;
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

/* Reads a file in this format. Returns 0, or -EIO: the file cannot be read. */
int request_format_read(const struct request_format *format, const struct format_file *f,
        const struct format_sink *sink);
