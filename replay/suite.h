#pragma once
/*
 * suite - tasks with known answers, as requests: lines of plumbline's own suites, and records of
 * published benchmarks. docs/suites.md describes the lines.
 *
 * Glossary
 *	record  a line of the file, or a CSV record, which may take several lines
 *	item    one task: a request, or a session of several turns
 *
 * suite_open() reads the first record to find out what the file is. Then, for each further record
 * (also the first one, unless it is a header), suite_turns() and for each turn suite_read().
 * Requests have no model and no sampling parameters except temperature 0. Pure.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "capture/record.h"
#include "answers/request.h"

#define SUITE_TURNS_LIMIT 64

enum suite_form {
	SUITE_NONE, /* no suite: a file of requests, one a line */
	SUITE_ITEMS,
	SUITE_GSM8K,
	SUITE_LIVECODEBENCH,
	SUITE_GPQA,
	SUITE_SIMPLEQA,
	SUITE_MATH,
	SUITE_AIME,
};

enum suite_column {
	SUITE_COLUMN_ID,
	SUITE_COLUMN_CATEGORY,
	SUITE_COLUMN_QUESTION,
	SUITE_COLUMN_ANSWER,
	SUITE_COLUMN_WRONG, /* the first of three */
	N_SUITE_COLUMNS = SUITE_COLUMN_WRONG + 3,
};

struct suite {
	enum suite_form form;
	bool has_header; /* the first record is a header */
	bool is_csv;
	int columns[N_SUITE_COLUMNS]; /* -1: none */
	uint64_t seed;                /* seed of the order of choices */
	const char *name; /* suite name of items whose ids have none: the file's; NULL is "suite" */
};

struct suite_item {
	struct exchange_labels labels;
	enum endpoint endpoint;
	struct buf body;
	bool history_open; /* an earlier answer is not in the suite: an empty one takes its place */
};

/* Finds out what the file is from its first record. form SUITE_NONE: no suite. */
void suite_open(struct suite *s, struct span first_record);
/* How many turns the record's item has; 1 also for a faulty record. */
uint32_t suite_turns(const struct suite *s, struct span record);
/*
 * Reads a turn (from 0) of the record's item. number: the record's number, from 1, which names an
 * item that has no name. Returns NULL, or what is wrong with the record; *ret is then not set.
 */
const char *suite_read(const struct suite *s, struct span record, uint64_t number, uint32_t turn,
        struct suite_item *ret) MUST_CHECK;
void suite_item_finish(struct suite_item *i);
