#pragma once
/*
 * import_format - the kinds of result files that can be imported.
 *
 * A format reads a file from its beginning and gives answers to an import_sink in the file's order.
 * It reports errors of a line or element, and continues. One thread.
 */
#include <stdint.h>
#include <stdio.h>

#include "capture/formats/imported_answer.h"
#include "capture/formats/sniff.h"

struct import_file {
	FILE *file;
	struct span name;    /* the last part of its path */
	struct span backend; /* the backend, for a file that does not name it */
	enum role role;      /* the role of that backend */
	/* time of the file, ns since 1970; for answers whose time the file does not state */
	uint64_t time_ns;
	FILE *requests; /* a file with the requests, if `file` has only answers; or NULL */
};

/* Gets what a format reads. */
struct import_sink {
	void (*answer)(void *arg, const struct imported_answer *a);
	/* A line or element is damaged and left out. */
	void (*bad)(void *arg, uint64_t line, const char *why);
	/* A line or element is valid, but a capture cannot hold it, so it is left out. line 0:
	 * there are many of the kind, so they are only counted. */
	void (*unfit)(void *arg, uint64_t line, const char *why);
	/* An answer was imported, but a part of it is missing in the capture; why says which. */
	void (*note)(void *arg, const char *why);
	void (*progress)(void *arg); /* called after each line or element */
	bool (*stopped)(void *arg);
	void *arg;
};

struct import_format {
	const char *name; /* its name in --format */
	const char *title;
	bool names_backends; /* the file names the backend */
	bool (*fits)(const struct sniff *s);
	/* Returns 0, or -EIO if the file cannot be read to its end. */
	int (*read)(const struct import_file *f, const struct import_sink *sink);
};

/* All formats, in the order in which a file is tried. A new one gets a row. */
#define IMPORT_FORMATS(X)                                                                          \
	X(infer_check)                                                                             \
	X(lm_eval)                                                                                 \
	X(har)                                                                                     \
	X(sharegpt)                                                                                \
	X(batch)                                                                                   \
	X(gor)                                                                                     \
	X(otel)
#define DECLARE(name) extern const struct import_format import_format_##name;
IMPORT_FORMATS(DECLARE)
#undef DECLARE

const struct import_format *const *import_formats(size_t *ret_n);
/* The format with this name; NULL: there is none. */
const struct import_format *import_format_find(const char *name);
/* The format that fits the file; NULL: none. */
const struct import_format *import_format_of(const struct sniff *s);

/* For formats with one answer on each line: reads a line that is not empty. Returns NULL, or why
 * the line is left out. *ret_bad is true; the function sets it to false if the line is not
 * damaged. */
typedef const char *(*import_take_fn)(void *arg, struct span line, uint64_t number, bool *ret_bad);
/* Returns 0, or -EIO: the file cannot be read. */
int import_each_line(const struct import_file *f, const struct import_sink *sink,
        import_take_fn take, void *arg);
