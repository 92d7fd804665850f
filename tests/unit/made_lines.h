#pragma once
/* made_lines - makes the rows of a file for tests: a part's first row, pairs, and its last row. */
#include <string.h>

#include "analyzer/rows/row_writer.h"

static struct id made_id(unsigned n)
{
	struct id id = {{0}};
	memcpy(id.bytes, &n, sizeof(n));
	return id;
}

static struct row made_part(uint32_t part, uint32_t of)
{
	return (struct row){
	        .type = PART_ROW, .part = {.version = ROWS_VERSION, .part = part, .of = of}};
}

static struct row made_pair(unsigned n)
{
	struct row row = {.type = PAIR_ROW};
	row.pair.exchange.id = made_id(n);
	row.pair.exchange.endpoint = ENDPOINT_CHAT;
	row.pair.base = (struct row_side){.name = "base", .leg = made_id(n + 1)};
	row.pair.test = (struct row_side){.name = "test", .leg = made_id(n + 2)};
	row.pair.base.role = ROLE_REFERENCE;
	row.pair.test.role = ROLE_PRIMARY;
	row.pair.is_first = row.pair.has_choices = true;
	row.pair.c.text_equal = true;
	return row;
}

static struct row made_end(uint32_t part, uint32_t of, uint64_t rows)
{
	return (struct row){.type = END_ROW, .end = {.part = part, .of = of, .rows = rows}};
}
