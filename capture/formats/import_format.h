#pragma once
/*
 * import_format - the kinds of files of results that can be imported.
 *
 * A format reads a file from its beginning and hands over what it finds, in the file's order. What is
 * wrong with one line or element is said and the rest goes on. One thread.
 */
#include <stdint.h>
#include <stdio.h>

#include "capture/formats/answer.h"
#include "capture/formats/sniff.h"

struct import_file {
	FILE *file;
	struct span name;    /* the last part of its path */
	struct span backend; /* who gave its answers, where the file does not say */
	enum role role;      /* of that backend */
	uint64_t time_ns;    /* of the file; when its answers came, where it does not say */
	FILE *requests;      /* what its answers answer, where it does not say; or NULL */
};

/* Whom a format tells. */
struct import_sink {
	void (*answer)(void *arg, const struct answer *a);
	/* A line or an element is damaged: it is left out. */
	void (*bad)(void *arg, uint64_t line, const char *why);
	/* It is whole, and nothing that a capture holds: it is left out. line 0: there are many of these, which are counted alone. */
	void (*unfit)(void *arg, uint64_t line, const char *why);
	/* It was imported without something. */
	void (*note)(void *arg, const char *why);
	void (*progress)(void *arg); /* after each line or element */
	bool (*stopped)(void *arg);
	void *arg;
};

struct import_format {
	const char *name; /* of --format */
	const char *title;
	bool names_backends; /* the file says who gave its answers */
	bool (*fits)(const struct sniff *s);
	/* 0, or -EIO: it can't be read to its end. */
	int (*read)(const struct import_file *f, const struct import_sink *sink);
};

extern const struct import_format import_format_infer_check, import_format_lm_eval,
        import_format_har, import_format_sharegpt, import_format_batch, import_format_gor,
        import_format_otel;

const struct import_format *const *import_formats(size_t *ret_n);
const struct import_format *import_format_find(const char *name);    /* NULL: none is called so */
const struct import_format *import_format_of(const struct sniff *s); /* NULL: it is none of them */
