#pragma once
/*
 * gor_record - the records of a GoReplay file, one after another: raw requests and answers, each behind a line with its
 * kind, id and times, parted by a line of three monkeys.
 *
 * One record is held at a time, of at most GOR_RECORD_LIMIT bytes; a longer one is read past. One thread.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

#define GOR_RECORD_LIMIT ((size_t)64 << 20)
#define GOR_SEPARATOR "\n\xf0\x9f\x90\xb5\xf0\x9f\x99\x88\xf0\x9f\x99\x89\n"

enum gor_kind {
	GOR_REQUEST = '1',
	GOR_ANSWER = '2',   /* of whom it was sent to */
	GOR_REPLAYED = '3', /* of whom GoReplay sent it to again */
};

struct gor_record {
	const char *why; /* what is wrong with it, or NULL; if so, only line and offset are set */
	uint64_t line;   /* where it begins, from 1 */
	uint64_t offset; /* the same in bytes */
	enum gor_kind kind;
	struct span id;     /* an answer's is its request's; empty: it has none */
	uint64_t ns;        /* wall clock, when its first byte went; 0: not known */
	uint64_t took_ns;   /* from there to its last one */
	struct span first;  /* line of its head; of an answer's last one, behind "100 Continue" */
	int status;         /* an answer's, 200 to 599; 0: it has no status line */
	struct span fields; /* the others, each with its end */
	struct span body;   /* without chunks */
	bool cut;           /* an answer of which less is there than its head says */
};

struct gor_reader {
	FILE *file; /* the caller's */
	struct buf in, chunks;
	size_t at, searched; /* of what is held: given already; has no mark after `at` */
	uint64_t line, offset;
	bool ended;
};

/* From where the file stands, which counts as line 1 and offset 0. */
void gor_reader_init(struct gor_reader *r, FILE *file);
/* False: there are no more, or the file can't be read. Valid until the next call. */
bool gor_reader_next(struct gor_reader *r, struct gor_record *ret);
void gor_reader_finish(struct gor_reader *r);

/* A field's value, of the first of that name; empty: there is none. */
struct span gor_field(const struct gor_record *g, const char *name);
