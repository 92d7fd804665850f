#include "analyzer/rows/row_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <xxhash.h>

#include "base/check.h"
#include "base/json_text.h"
#include "base/utf8.h"

static bool is_zero(const void *at, size_t n)
{
	const uint8_t *bytes = at;
	size_t i = 0;
	while (i < n && bytes[i] == 0) {
		i++;
	}
	return i == n;
}

static uint64_t count_of(const struct row_column *c, const void *at)
{
	return c->size == 4 ? *(const uint32_t *)at : *(const uint64_t *)at;
}

static int64_t integer_of(const struct row_column *c, const void *at)
{
	return c->size == 4 ? *(const int32_t *)at : *(const int64_t *)at;
}

static double number_of(const struct row_column *c, const void *at)
{
	return c->size == 4 ? (double)*(const float *)at : *(const double *)at;
}

static bool is_absent(const struct row_column *c, const void *at)
{
	switch (c->type) {
	case COLUMN_COUNT:
		return count_of(c, at) == (uint64_t)c->absent;
	case COLUMN_INTEGER:
		return integer_of(c, at) == c->absent;
	case COLUMN_WORD:
		return *(const uint32_t *)at < c->first;
	case COLUMN_TEXT:
		return !*(const char *const *)at;
	case COLUMN_CHARS:
		return !*(const char *)at;
	case COLUMN_LIST:
		return ((const struct text_list *)at)->n == 0;
	default:
		return is_zero(at, c->size);
	}
}

/* Appends the text up to the limit, without cutting a character in half; NULL as "". Bytes that
 * are not UTF-8 become question marks, as on a terminal. */
static void fit_text(struct buf *to, const char *text, size_t limit)
{
	const char *end = text ? text + strnlen(text, limit) : NULL;
	while (text < end) {
		size_t n = utf8_length(text, end);
		bool is_half = n == 0 && end[0] && end - text < 4;
		if (!is_half) {
			buf_append(to, n ? text : "?", MAX(n, (size_t)1));
		}
		text += MAX(n, (size_t)1);
	}
}

static void put_text(struct buf *to, const char *text, size_t limit)
{
	struct buf fit = {0};
	fit_text(&fit, text, limit);
	json_put_string(to, buf_span(&fit));
	buf_finish(&fit);
}

static void put_number(struct buf *to, double value)
{
	if (isinf(value)) {
		/* larger than any double, so readers get an infinity */
		buf_append_str(to, value > 0 ? "1e999" : "-1e999");
	} else {
		json_put_number(to, value);
	}
}

/* The shortest text that reads back as the same float. */
static void put_float(struct buf *to, float value)
{
	char text[32];
	if (!isfinite(value)) {
		put_number(to, (double)value);
		return;
	}
	for (int digits = 6; digits <= 9; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, (double)value);
		if ((float)strtod(text, NULL) == value) {
			break;
		}
	}
	buf_append_str(to, text);
}

static void put_words(struct buf *to, const struct row_column *c, uint32_t bits)
{
	const char *between = "";
	buf_append_char(to, '[');
	for (unsigned bit = 0; bit < c->end; bit++) {
		if (bits >> bit & 1) {
			buf_printf(to, "%s\"%s\"", between, c->word(bit));
			between = ",";
		}
	}
	buf_append_char(to, ']');
}

static void put_list(struct buf *to, const struct row_column *c, const struct text_list *list)
{
	buf_append_char(to, '[');
	for (size_t i = 0; i < MIN(list->n, (size_t)ROW_LIST_LIMIT); i++) {
		buf_append_str(to, i ? "," : "");
		put_text(to, list->items[i], c->end);
	}
	buf_append_char(to, ']');
}

/* Writes n successive empty bins as -n. */
static void put_bins(struct buf *to, const uint64_t *bins, size_t n)
{
	size_t empty = 0;
	for (size_t i = 0; i < n; i++) {
		empty = bins[i] == 0 ? empty + 1 : 0;
		if (empty > 0 && bins[i + 1] == 0) {
			continue;
		}
		buf_append_str(to, to->data[to->len - 1] == '[' ? "" : ",");
		if (empty > 1) {
			buf_printf(to, "-%zu", empty);
		} else {
			buf_append_number(to, bins[i]);
		}
	}
}

static void put_histogram(struct buf *to, const uint64_t *bins, size_t n)
{
	while (n > 0 && bins[n - 1] == 0) {
		n--;
	}
	buf_append_char(to, '[');
	put_bins(to, bins, n);
	buf_append_char(to, ']');
}

/* Leaves out the zeros at the end. */
static void put_numbers(struct buf *to, const double *numbers, size_t n)
{
	while (n > 0 && numbers[n - 1] == 0) {
		n--;
	}
	buf_append_char(to, '[');
	for (size_t i = 0; i < n; i++) {
		buf_append_str(to, i ? "," : "");
		put_float(to, (float)numbers[i]);
	}
	buf_append_char(to, ']');
}

static void put_sum(struct buf *to, const struct row_column *c, const struct position_sum *sum)
{
	const char *members = (const char *)sum - c->offset;
	if (sum->n == *(const uint32_t *)(const void *)(members + c->all_offset)) {
		put_float(to, (float)sum->sum);
		return;
	}
	buf_append_char(to, '[');
	put_float(to, (float)sum->sum);
	buf_printf(to, ",%" PRIu64 "]", sum->n);
}

/* Writes the sum in units of 2^-52, as a string, because most programs read JSON numbers with
 * fewer digits. */
static void put_exact(struct buf *to, const struct exact_sum *sum)
{
	char digits[48], *at = digits + sizeof(digits);
	exact_units units = sum->units;
	*--at = '\0';
	do {
		*--at = (char)('0' + abs((int)(units % 10)));
		units /= 10;
	} while (units != 0);
	buf_printf(to, "\"%s%s\"", sum->units < 0 ? "-" : "", at);
}

static void put_value(struct buf *to, const struct row_column *c, const void *at)
{
	char id[ID_TEXT_SIZE];
	switch (c->type) {
	case COLUMN_BOOLEAN:
		buf_append_str(to, *(const bool *)at ? "true" : "false");
		break;
	case COLUMN_COUNT:
		buf_append_number(to, count_of(c, at));
		break;
	case COLUMN_INTEGER:
		buf_printf(to, "%" PRId64, integer_of(c, at));
		break;
	case COLUMN_NUMBER:
		if (c->size == 4) {
			put_float(to, *(const float *)at);
		} else {
			put_number(to, *(const double *)at);
		}
		break;
	case COLUMN_WORD:
		buf_printf(to, "\"%s\"", c->word(*(const uint32_t *)at));
		break;
	case COLUMN_WORDS:
		put_words(to, c, *(const uint32_t *)at);
		break;
	case COLUMN_TEXT:
		put_text(to, *(const char *const *)at, c->end);
		break;
	case COLUMN_CHARS:
		put_text(to, at, c->end);
		break;
	case COLUMN_LIST:
		put_list(to, c, at);
		break;
	case COLUMN_ID:
		buf_printf(to, "\"%s\"", id_format(*(const struct id *)at, id));
		break;
	case COLUMN_HASH:
		buf_append_char(to, '"');
		buf_append_hex(to, at, c->size);
		buf_append_char(to, '"');
		break;
	case COLUMN_SUM:
		put_sum(to, c, at);
		break;
	case COLUMN_EXACT:
		put_exact(to, at);
		break;
	case COLUMN_HISTOGRAM:
		put_histogram(to, at, c->size / sizeof(uint64_t));
		break;
	case COLUMN_NUMBERS:
		put_numbers(to, at, c->size / sizeof(double));
		break;
	case N_COLUMN_TYPES:
		never("a column without a type");
	}
}

/* Writes the present members, or only the required ones. */
static void put_members(struct buf *to, const struct row *row, bool required_alone)
{
	const struct row_table *t = row_table(row->type);
	const char *members = row_members((struct row *)row);
	buf_printf(to, "{\"row\":\"%s\"", t->name);
	for (size_t i = 0; i < t->n; i++) {
		const struct row_column *c = &t->columns[i];
		const void *at = members + c->offset;
		if (c->required || (!required_alone && !is_absent(c, at))) {
			buf_append_str(to, ",\"");
			buf_append_str(to, c->name);
			buf_append_str(to, "\":");
			put_value(to, c, at);
		}
	}
	buf_append_char(to, '}');
}

void row_put_json(struct buf *to, const struct row *row)
{
	put_members(to, row, false);
	buf_append_char(to, '\n');
}

uint64_t row_key(const struct row *row)
{
	struct buf text = {0};
	put_members(&text, row, true);
	uint64_t key = XXH3_64bits(text.data, text.len);
	buf_finish(&text);
	return key;
}

void row_put_csv_header(struct buf *to, enum row_type type)
{
	const struct row_table *t = row_table(type);
	for (size_t i = 0; i < t->n; i++) {
		const struct row_column *c = &t->columns[i];
		buf_printf(to, "%s%s", i ? "," : "", c->name);
		if (c->type == COLUMN_SUM) {
			buf_printf(to, ",%s_n", c->name);
		}
	}
	buf_append_char(to, '\n');
}

/* Writes a CSV cell that contains a quotation mark, a comma or a line end. */
static void put_quoted(struct buf *to, struct span text)
{
	buf_append_char(to, '"');
	for (size_t i = 0; i < text.len; i++) {
		buf_append_str(to, text.data[i] == '"' ? "\"" : "");
		buf_append_char(to, text.data[i]);
	}
	buf_append_char(to, '"');
}

/* Writes strings without JSON's quotation marks, but lists and histograms as JSON. */
static void put_cell(struct buf *to, const struct row_column *c, const void *at)
{
	struct buf text = {0};
	if (c->type == COLUMN_NUMBER && isnan(number_of(c, at))) {
		return;
	}
	switch (c->type) {
	case COLUMN_TEXT:
	case COLUMN_CHARS:
		fit_text(&text, c->type == COLUMN_CHARS ? at : *(const char *const *)at, c->end);
		put_quoted(to, buf_span(&text));
		break;
	case COLUMN_LIST:
	case COLUMN_WORDS:
	case COLUMN_HISTOGRAM:
	case COLUMN_NUMBERS:
		put_value(&text, c, at);
		put_quoted(to, buf_span(&text));
		break;
	case COLUMN_SUM:
		put_float(to, (float)((const struct position_sum *)at)->sum);
		buf_printf(to, ",%" PRIu64, ((const struct position_sum *)at)->n);
		break;
	default:
		put_value(to, c, at);
	}
	buf_finish(&text);
}

/* A member that JSON leaves out is an empty cell, except counts and the like, which are 0. */
static bool is_empty_cell(const struct row_column *c, const void *at)
{
	bool counts = c->type == COLUMN_BOOLEAN || c->type == COLUMN_COUNT ||
	              c->type == COLUMN_NUMBER || c->type == COLUMN_SUM;
	return !c->required && !counts && is_absent(c, at);
}

void row_put_csv(struct buf *to, const struct row *row)
{
	const struct row_table *t = row_table(row->type);
	const char *members = row_members((struct row *)row);
	for (size_t i = 0; i < t->n; i++) {
		const struct row_column *c = &t->columns[i];
		const void *at = members + c->offset;
		buf_append_str(to, i ? "," : "");
		if (!is_empty_cell(c, at)) {
			put_cell(to, c, at);
		}
	}
	buf_append_char(to, '\n');
}

static void flush_line(struct part_writer *w)
{
	fwrite(w->line.data, 1, w->line.len, w->to);
	buf_clear(&w->line);
}

static void put(void *writer, const struct row *row, const struct pair_texts *texts)
{
	struct part_writer *w = writer;
	w->rows++;
	if (!w->csv) {
		row_put_json(&w->line, row);
		flush_line(w);
	} else if (row->type == PAIR_ROW) {
		row_put_csv(&w->line, row);
		flush_line(w);
	}
}

void part_writer_begin(struct part_writer *w, const struct part_row *part)
{
	if (w->csv) {
		row_put_csv_header(&w->line, PAIR_ROW);
		flush_line(w);
	} else {
		put(w, &(struct row){.type = PART_ROW, .part = *part}, NULL);
	}
	w->rows = 0;
}

struct row_sink part_writer_sink(struct part_writer *w)
{
	return (struct row_sink){ALL_ROWS, put, w};
}

void part_writer_end(struct part_writer *w, const struct part_end *end)
{
	struct row row = {.type = END_ROW, .end = *end};
	row.end.rows = w->rows;
	put(w, &row, NULL);
}

void part_writer_finish(struct part_writer *w)
{
	buf_finish(&w->line);
}
