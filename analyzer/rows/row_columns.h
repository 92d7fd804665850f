#pragma once
/*
 * row_columns - what rows look like outside of the program: each type of row and its columns, in
 * their order. The writer, the reader and the CSV header follow these tables, and docs/rows.md and
 * docs/rows.schema.json describe them. `plumbline pairs` writes these rows. Constant: any thread.
 *
 * To add a column: a member of the row's struct (rows.h), a line in its table, a line in docs/rows.md
 * and in the schema. Readers skip columns that they do not know, so ROWS_VERSION stays.
 *
 * A column that has its absent value is not written, and gets that value where it is missing.
 */
#include "analyzer/rows/rows.h"

#define ROWS_VERSION 1
#define ROW_LINE_LIMIT ((size_t)64 << 10) /* bytes of one row, as JSON */
#define ROW_LIST_LIMIT 256                /* texts of one list */
#define ROW_COLUMNS_LIMIT 256
#define ROW_EXACT_BITS 100 /* of an exact sum: what one row adds up is far below */

enum column_type {
	COLUMN_BOOLEAN,   /* bool; absent: false */
	COLUMN_COUNT,     /* unsigned, of 4 or 8 bytes */
	COLUMN_INTEGER,   /* signed, of 4 or 8 bytes */
	COLUMN_NUMBER,    /* float or double; absent: 0; null: NaN */
	COLUMN_WORD,      /* an enum */
	COLUMN_WORDS,     /* uint32_t: a bit for each */
	COLUMN_TEXT,      /* const char *; absent: NULL */
	COLUMN_CHARS,     /* char[]; absent: "" */
	COLUMN_LIST,      /* struct text_list */
	COLUMN_ID,        /* struct id; absent: zero */
	COLUMN_HASH,      /* uint8_t[]; absent: zero */
	COLUMN_SUM,       /* struct position_sum; absent: of no position */
	COLUMN_EXACT,     /* struct exact_sum; absent: 0 */
	COLUMN_HISTOGRAM, /* uint64_t[]: a number for each bin; absent: all 0 */
	COLUMN_NUMBERS,   /* float[]; absent: all 0 */
	N_COLUMN_TYPES,
};
const char *column_type_name(enum column_type t); /* "boolean" */

struct row_column {
	const char *name;
	enum column_type type;
	bool required;         /* always written, and never missing */
	bool not_negative;     /* of numbers */
	bool is_share;         /* of sums: from 0 to the number of positions */
	uint16_t offset, size; /* of the member, within its row's struct */
	uint16_t all_offset;   /* of sums: the uint32_t that counts all positions */
	/* Words: from first up to, not including, end; 0 is absent if it is below first. Texts:
	 * the most bytes that are written. */
	uint32_t first, end;
	int64_t absent; /* of counts and integers */
	/* Of the enum's value. Enums without negative values are unsigned to our compilers. */
	const char *(*word)(unsigned value);
};

struct row_table {
	const char *name; /* of the type, as the member "row" has it */
	const struct row_column *columns;
	size_t n;
	bool is_named; /* required columns together tell a row from all others of the capture */
};

const struct row_table *row_table(enum row_type t);
/* Where the row's own struct begins. */
void *row_members(struct row *row);
