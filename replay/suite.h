#pragma once
/*
 * suite - reads tasks with known answers, as requests: lines of plumbline's own suites, and records
 * of published benchmarks. docs/suites.md describes the lines.
 *
 * Glossary
 *
 *	record  a line of the file, or a CSV record, which may take several lines
 *	item    one task: a request, or a session of several turns
 *
 * suite_open() reads the first record to find out what the file is. The caller then sets `seed` and
 * `name`. For each record that is no header, call suite_turns(), and suite_read() for each turn.
 * Requests name no model; their temperature is 0 unless the item sets another one. Pure.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "capture/record.h"
#include "answers/request.h"

#define SUITE_TURNS_LIMIT 64

enum suite_form {
	SUITE_NONE,  /* not a suite */
	SUITE_ITEMS, /* lines of plumbline's own suites */
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
	SUITE_COLUMN_WRONG, /* the first of the three wrong choices */
	N_SUITE_COLUMNS = SUITE_COLUMN_WRONG + 3,
};

struct suite {
	enum suite_form form;
	bool has_header; /* the first record is a header */
	bool is_csv;
	int columns[N_SUITE_COLUMNS]; /* CSV: index of each column, from 0; -1: there is none */
	uint64_t seed;                /* SUITE_GPQA: seed for the random order of the choices */
	/* the suite's name for items whose id names none: the file's name without its ending;
	 * NULL: "suite"; not owned */
	const char *name;
};

struct suite_item {
	struct exchange_labels labels;
	enum endpoint endpoint;
	struct buf body;
	/* the suite does not state an earlier turn's answer, so the history has an empty one */
	bool history_open;
};

/* Overwrites *s. s->form becomes SUITE_NONE if the record is not that of a suite. */
void suite_open(struct suite *s, struct span first_record);
/* The number of turns of the record's item, from 1 to SUITE_TURNS_LIMIT + 1; the last value: too
 * many. 1 for a faulty record. */
uint32_t suite_turns(const struct suite *s, struct span record);
/*
 * Reads a turn (from 0) of the record's item. number: the record's number, from 1; it names a
 * benchmark's item that has no id. Returns NULL, or what is wrong with the record.
 */
const char *suite_read(const struct suite *s, struct span record, uint64_t number, uint32_t turn,
        struct suite_item *ret) MUST_CHECK;
void suite_item_finish(struct suite_item *i);
