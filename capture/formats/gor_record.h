#pragma once
/*
 * gor_record - the records of a GoReplay file: raw requests and answers, each after a line with its
 * kind, id and times, separated by a line of three monkeys.
 *
 * One record is held at a time, of at most GOR_RECORD_LIMIT bytes; longer ones are skipped. One
 * thread.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

#define GOR_RECORD_LIMIT ((size_t)64 << 20)
#define GOR_SEPARATOR "\n\xf0\x9f\x90\xb5\xf0\x9f\x99\x88\xf0\x9f\x99\x89\n"

enum gor_kind {
	GOR_REQUEST = '1',
	GOR_ANSWER = '2',   /* answer of the original server */
	GOR_REPLAYED = '3', /* answer of the server that GoReplay sent it to */
};

struct gor_record {
	const char *why; /* what is wrong, or NULL; then only line and offset are set */
	uint64_t line;   /* first line, from 1 */
	uint64_t offset; /* first byte */
	enum gor_kind kind;
	struct span id;   /* an answer has its request's; empty: none */
	uint64_t ns;      /* time of its first byte, wall clock; 0: unknown */
	uint64_t took_ns; /* time from its first to its last byte */
	/* first line of its head; of an answer's final head, after "100 Continue" */
	struct span first;
	int status;         /* status of an answer, 200 to 599; 0: none */
	struct span fields; /* the header fields, each with its line end */
	struct span body;   /* without chunked coding */
	bool cut;           /* an answer that is shorter than its head says */
};

struct gor_reader {
	FILE *file; /* the caller's */
	struct buf in, chunks;
	/* at: bytes already delivered; searched: bytes after `at` that contain no separator */
	size_t at, searched;
	uint64_t line, offset;
	bool ended;
};

/* Starts at the file's position, which counts as line 1 and offset 0. */
void gor_reader_init(struct gor_reader *r, FILE *file);
/* False: the end, or the file cannot be read. Valid until the next call. */
bool gor_reader_next(struct gor_reader *r, struct gor_record *ret);
void gor_reader_finish(struct gor_reader *r);

/* The value of the first field of that name; empty: none. */
struct span gor_field(const struct gor_record *g, const char *name);
