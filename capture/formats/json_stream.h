#pragma once
/*
 * json_stream - reads a JSON document in a file piece by piece: it enters outer arrays and objects,
 * and gives inner ones as whole values.
 *
 * Result files are one document of any size, or several in a row. The module holds one value at a
 * time, of at most JSON_STREAM_LIMIT bytes. Rules say, by key, which members it enters. It checks
 * the syntax of the containers that it enters; the reader of a value must check the value. One
 * thread.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

#define JSON_STREAM_LIMIT ((size_t)64 << 20)
#define JSON_STREAM_DEPTH 8

struct json_stream_rule {
	const char *key; /* key of a member that is an array or object; NULL: the document itself */
	bool elements;   /* also enter objects that are its elements */
	bool only_array; /* do not enter an object */
};

enum json_stream_type {
	JSON_STREAM_END,   /* the end of the file, after only white space */
	JSON_STREAM_ERROR, /* `why` says what is wrong; every later call returns it again */
	/* `why` says what is wrong; one element or document is left out, and the next call
	 * continues (json_stream_allow_gaps()) */
	JSON_STREAM_DAMAGED,
	JSON_STREAM_OPEN, /* an array or object that it enters */
	JSON_STREAM_CLOSE,
	JSON_STREAM_VALUE,
};

struct json_stream_event {
	enum json_stream_type type;
	bool is_array;     /* OPEN, CLOSE */
	bool too_long;     /* VALUE: the value is too long and was skipped */
	struct span key;   /* a member's key, as written between its quotes; elements have none */
	struct span value; /* VALUE: its text. key and value are valid until the next call */
	unsigned depth;    /* number of containers around it; the document itself has 0 */
	uint64_t line;     /* number of its first line; 1 is the first */
	const char *why;
};

struct json_stream;

/* The caller owns the file and the rules. */
struct json_stream *json_stream_create(
        FILE *file, const struct json_stream_rule *rules, size_t n_rules);
/* Allows several documents. Without this call, a second one is an error. */
void json_stream_allow_many(struct json_stream *o);
/*
 * Allows damage. If the JSON is malformed, json_stream_next() returns JSON_STREAM_DAMAGED, gives up
 * the innermost element (or document, with allow_many) around the error that began a line, and
 * continues at the next line that has a { at the same column. Containers entered inside the element
 * get no JSON_STREAM_CLOSE. A missing comma between two elements that each begin a line is no
 * error. json_stream_next() returns JSON_STREAM_ERROR instead if no such element began a line, if
 * there is no such next line, if the file cannot seek, or after JSON_STREAM_GAPS errors.
 */
#define JSON_STREAM_GAPS 100
void json_stream_allow_gaps(struct json_stream *o);
void json_stream_next(struct json_stream *o, struct json_stream_event *ret);
void json_stream_destroy(struct json_stream *o); /* NULL is fine */
