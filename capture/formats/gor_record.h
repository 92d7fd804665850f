#pragma once
/*
 * gor_record - reads the records of a GoReplay file: raw requests and answers. Each comes after a
 * line with its kind, id and times, and ends with a line of three monkeys.
 *
 * The reader holds one record at a time, of at most GOR_RECORD_LIMIT bytes. It skips the bytes of a
 * longer record and returns only `why`, line and offset. One thread.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

#define GOR_RECORD_LIMIT ((size_t)64 << 20)
#define GOR_SEPARATOR "\n\xf0\x9f\x90\xb5\xf0\x9f\x99\x88\xf0\x9f\x99\x89\n"

enum gor_kind {
	GOR_REQUEST = '1',
	GOR_ANSWER = '2',   /* the answer of the original server */
	GOR_REPLAYED = '3', /* the answer of the server to which GoReplay sent the request again */
};

struct gor_record {
	/* what is wrong with the record (then only line and offset are set); or NULL */
	const char *why;
	uint64_t line;   /* number of its first line; 1 is the first */
	uint64_t offset; /* offset of its first byte in the file */
	enum gor_kind kind;
	struct span id;   /* an answer has the id of its request; empty: none */
	uint64_t ns;      /* time of its first byte, ns since 1970; 0: unknown */
	uint64_t took_ns; /* time from its first to its last byte */
	/* the first line of its head; of an answer: of its final head, after "100 Continue" */
	struct span first;
	int status;         /* an answer's status, 200 to 599; 0: none */
	struct span fields; /* the header fields, each with its line end */
	struct span body;   /* without chunk frames; content codings (gzip) are not decoded */
	bool cut;           /* the answer is shorter than its head states */
};

struct gor_reader {
	FILE *file; /* owned by the caller */
	struct buf in, chunks;
	/* at: the bytes of `in` that were already returned; searched: how many of the bytes after
	 * them were already searched for a separator */
	size_t at, searched;
	uint64_t line, offset;
	bool ended;
};

/* Starts at the file's position, which counts as line 1, offset 0. */
void gor_reader_init(struct gor_reader *r, FILE *file);
/* Reads the next record, valid until the next call. False: the end, or the file cannot be read;
 * ferror(file) tells them apart. */
bool gor_reader_next(struct gor_reader *r, struct gor_record *ret);
void gor_reader_finish(struct gor_reader *r);

/* The trimmed value of the first field with this name, in any letter case; empty: none. */
struct span gor_field(const struct gor_record *g, const char *name);
