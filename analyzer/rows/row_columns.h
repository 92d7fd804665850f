#pragma once
/*
 * row_columns - the external form of rows: each type of row and its columns, in their order. The
 * writer, the reader and the CSV header follow these tables; docs/rows.md and docs/rows.schema.json
 * describe them. `plumbline pairs` writes these rows. Constant: any thread.
 *
 * To add a column: a member of the row's struct (rows.h), a line in its table, and its description
 * in docs/rows.md and in the schema. Readers skip columns that they do not know, so ROWS_VERSION
 * stays the same.
 *
 * A column that has its absent value is not written; the reader gives this value to a missing
 * column.
 */
#include "analyzer/rows/rows.h"

#define ROWS_VERSION 1
#define ROW_LINE_LIMIT ((size_t)64 << 10) /* the most bytes of one row as JSON */
#define ROW_LIST_LIMIT 256                /* the most texts of one list */
#define ROW_COLUMNS_LIMIT 256
/* the most bits of an exact sum in a row; the sums that occur need far fewer */
#define ROW_EXACT_BITS 100

enum column_type {
	COLUMN_BOOLEAN,   /* bool; absent: false */
	COLUMN_COUNT,     /* unsigned, of 4 or 8 bytes */
	COLUMN_INTEGER,   /* signed, of 4 or 8 bytes */
	COLUMN_NUMBER,    /* float or double; absent: 0; null: NaN */
	COLUMN_WORD,      /* an enum */
	COLUMN_WORDS,     /* uint32_t: one bit per word */
	COLUMN_TEXT,      /* const char *; absent: NULL */
	COLUMN_CHARS,     /* char[]; absent: "" */
	COLUMN_LIST,      /* struct text_list */
	COLUMN_ID,        /* struct id; absent: zero */
	COLUMN_HASH,      /* uint8_t[]; absent: zero */
	COLUMN_SUM,       /* struct position_sum; absent: a sum over no positions */
	COLUMN_EXACT,     /* struct exact_sum; absent: 0 */
	COLUMN_HISTOGRAM, /* uint64_t[]: one number per bin; absent: all 0 */
	COLUMN_NUMBERS,   /* double[], each the value of a float; absent: all 0 */
	N_COLUMN_TYPES,
};
const char *column_type_name(enum column_type t); /* "boolean" */

struct row_column {
	const char *name;
	enum column_type type;
	bool required;         /* always written; the reader refuses a row without it */
	bool not_negative;     /* for numbers: not below 0 */
	bool is_share;         /* for sums: from 0 to the number of positions */
	uint16_t offset, size; /* of the member within its row's struct */
	uint16_t all_offset;   /* for sums: offset of the uint32_t that counts all positions */
	/* For words: the values from `first` to `end` - 1 are written; a 0 below `first` is the
	 * absent value. For texts: `end` is the most bytes. */
	uint32_t first, end;
	int64_t absent; /* for counts and integers */
	/* Returns the name of an enum's value. (The supported compilers treat enums without
	 * negative values as unsigned.) */
	const char *(*word)(unsigned value);
};

struct row_table {
	const char *name; /* name of the row type, in the member "row" */
	const struct row_column *columns;
	size_t n;
	bool is_named; /* the required columns together identify a row in its capture */
};

const struct row_table *row_table(enum row_type t);
/* The address of the row's own struct in the union. */
void *row_members(struct row *row);
