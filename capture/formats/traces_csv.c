/*
 * CSV traces that contain only lengths: BurstGPT's and Azure's. Prompts of these lengths are
 * generated.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capture/formats/filler.h"
#include "base/ascii.h"
#include "base/moment.h"
#include "capture/formats/input_format.h"

#define CELLS 24
/* The first columns of each format, which a file must have. */
#define NEEDED 3

struct row {
	struct span cells[CELLS];
	size_t n;
};

/* A quote has no comma within it in these files. */
static struct span unquoted(struct span cell)
{
	cell = span_trim(cell);
	bool quoted = cell.len > 1 && cell.data[0] == '"' && cell.data[cell.len - 1] == '"';
	return quoted ? (struct span){cell.data + 1, cell.len - 2} : cell;
}

static void split(struct span line, struct row *c)
{
	c->n = 0;
	for (size_t from = 0, i = 0; i <= line.len && c->n < CELLS; i++) {
		if (i == line.len || line.data[i] == ',') {
			c->cells[c->n++] = unquoted((struct span){line.data + from, i - from});
			from = i + 1;
		}
	}
}

/* Finds the columns by their names. Returns the name of a needed column that is missing, or NULL. */
static const char *find_columns(
        struct span header, const char *const names[REQUEST_COLUMNS], size_t ret[REQUEST_COLUMNS])
{
	struct row c;
	const char *missing = NULL;
	split(header, &c);
	for (size_t i = 0; i < REQUEST_COLUMNS; i++) {
		for (ret[i] = 0; ret[i] < c.n; ret[i]++) {
			if (names[i] && span_is_nocase(c.cells[ret[i]], names[i])) {
				break;
			}
		}
		ret[i] = ret[i] < c.n ? ret[i] : SIZE_MAX;
		if (ret[i] == SIZE_MAX && i < NEEDED && !missing) {
			missing = names[i];
		}
	}
	return missing;
}

/* Reads the line that names the columns. Returns NULL, or a sentence that says what is wrong. */
static const char *read_header(
        struct request_lines *r, struct span line, const char *const names[REQUEST_COLUMNS])
{
	const char *missing = find_columns(line, names, r->columns);
	r->has_header = true;
	if (!missing) {
		return NULL;
	}
	buf_clear(&r->text);
	buf_printf(&r->text, "it is the header, and it lacks the column \"%s\": no rows are read",
	        missing);
	return buf_cstr(&r->text);
}

/*
 * Reads a row into ret, in the order of the names; columns that the file lacks are empty. False:
 * the line has no row: it is the header, it is wrong (*ret_why says why), or the header was.
 */
static bool read_row(struct request_lines *r, struct span line,
        const char *const names[REQUEST_COLUMNS], struct span ret[REQUEST_COLUMNS],
        const char **ret_why)
{
	struct row c;
	*ret_why = NULL;
	if (!r->has_header) {
		*ret_why = read_header(r, line, names);
		return false;
	}
	split(line, &c);
	for (size_t i = 0; i < REQUEST_COLUMNS; i++) {
		bool is_there = r->columns[i] != SIZE_MAX;
		if (!is_there && i < NEEDED) {
			return false;
		}
		if (is_there && r->columns[i] >= c.n) {
			*ret_why = "it has fewer columns than the header names";
			return false;
		}
		ret[i] = is_there ? c.cells[r->columns[i]] : (struct span){0};
	}
	return true;
}

static bool has_columns(const struct sniff *s, const char *const names[REQUEST_COLUMNS])
{
	struct span begin = span_trim(buf_span(&s->begin));
	const char *end = begin.len ? memchr(begin.data, '\n', begin.len) : NULL;
	size_t columns[REQUEST_COLUMNS];
	begin.len = end ? (size_t)(end - begin.data) : begin.len;
	return !find_columns(begin, names, columns);
}

static bool count_of(struct span s, size_t limit, size_t *ret)
{
	size_t n = 0;
	/* Tables with missing values are written with floats: 12 becomes 12.0. */
	size_t len = s.len > 2 && span_ends(s, ".0") ? s.len - 2 : s.len;
	for (size_t i = 0; i < len; i++) {
		if (s.data[i] < '0' || s.data[i] > '9' || n > limit) {
			return false;
		}
		n = 10 * n + (size_t)(s.data[i] - '0');
	}
	*ret = n;
	return len > 0 && n <= limit;
}

static const char *deliver(
        struct request_lines *r, uint64_t wall_ns, struct span input, struct span output)
{
	size_t words, most;
	if (!count_of(input, FILLER_LIMIT, &words) || !count_of(output, INT32_MAX, &most)) {
		return "its lengths are not numbers, or over a million";
	}
	struct request_found found = {.wall_ns = wall_ns};
	buf_clear(&r->body);
	buf_append_str(&r->body, "{\"prompt\":\"");
	filler_words(&r->body, r->line, words);
	buf_printf(&r->body, "\",\"max_tokens\":%zu}", MAX(most, (size_t)1));
	request_deliver(r, REQUEST_COMPLETION, &found);
	return NULL;
}

/* BurstGPT: Timestamp,[Session ID,Elapsed time,]Model,Request tokens,Response tokens,Total tokens,Log Type */

static const char *const BURSTGPT[REQUEST_COLUMNS] = {
        "Timestamp", "Request tokens", "Response tokens"};

static const char *take_burstgpt(struct request_lines *r, struct span line)
{
	struct span cells[REQUEST_COLUMNS];
	const char *why;
	if (!read_row(r, line, BURSTGPT, cells, &why)) {
		return why;
	}
	char seconds[32], *end;
	struct span s = cells[0];
	size_t len = MIN(s.len, sizeof(seconds) - 1);
	memcpy(seconds, s.data, len);
	seconds[len] = '\0';
	double at = strtod(seconds, &end);
	if (end == seconds || *end || !(at >= 0 && at < 1e9)) {
		return "its timestamp is not a number of seconds";
	}
	size_t answered;
	if (count_of(cells[2], INT32_MAX, &answered) && answered == 0) {
		/* It is unknown what was requested; the publishers of the trace call these
		 * failures. */
		r->sink->unfit(r->sink->arg, 0,
		        "the request failed when it was recorded: it has no response tokens");
		return NULL;
	}
	uint64_t wall_ns = r->file->time_ns + (uint64_t)llround(at * request_time_unit(r, 1e9));
	return deliver(r, wall_ns, cells[1], cells[2]);
}

static bool fits_burstgpt(const struct sniff *s)
{
	return has_columns(s, BURSTGPT);
}

const struct input_format input_format_burstgpt = {
        .name = "burstgpt",
        .requests = "BurstGPT's traces (CSV): seconds and lengths",
        .made_up = true,
        .has_time_unit = true,
        .fits = fits_burstgpt,
        .take = take_burstgpt,
};

/* Azure: TIMESTAMP,ContextTokens,GeneratedTokens; of 2025 with NumImages between. */

static const char *const AZURE[REQUEST_COLUMNS] = {
        "TIMESTAMP", "ContextTokens", "GeneratedTokens", "NumImages"};

static const char *take_azure(struct request_lines *r, struct span line)
{
	struct span cells[REQUEST_COLUMNS];
	const char *why;
	uint64_t wall_ns;
	if (!read_row(r, line, AZURE, cells, &why)) {
		return why;
	}
	if (!moment_begins(cells[0], &wall_ns)) {
		return "its timestamp is not a time";
	}
	size_t images = 0;
	if (cells[3].data && (!count_of(cells[3], INT32_MAX, &images) || images > 0)) {
		return "it had images, which the trace does not contain";
	}
	return deliver(r, wall_ns, cells[1], cells[2]);
}

static bool fits_azure(const struct sniff *s)
{
	return has_columns(s, AZURE);
}

const struct input_format input_format_azure = {
        .name = "azure",
        .requests = "Azure's LLM traces (CSV): times and lengths",
        .made_up = true,
        .fits = fits_azure,
        .take = take_azure,
};
