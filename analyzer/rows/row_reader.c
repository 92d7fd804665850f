#include "analyzer/rows/row_reader.h"

#include <limits.h>
#include <math.h>

#include "base/ascii.h"
#include "base/json.h"
#include "base/mem.h"

/* One row in progress. */
struct row_reading {
	struct json json;
	const struct row_table *table;
	struct arena *texts;
	struct buf text; /* a string, without its escapes */
	const struct row_column *column;
	bool seen[ROW_COLUMNS_LIMIT];
	bool is_of_all[ROW_COLUMNS_LIMIT]; /* a sum over all positions */
	size_t next;                       /* the column that is most likely the next one */
};

static bool read_count(const struct row_column *c, const struct json_token *t, void *to)
{
	if (t->type != JSON_TOKEN_NUMBER) {
		return false;
	}
	const char *at = t->start, *end = at + t->len;
	uint64_t n = 0;
	for (; at < end && *at >= '0' && *at <= '9'; at++) {
		uint64_t digit = (uint64_t)(*at - '0');
		if (n > (UINT64_MAX - digit) / 10) {
			return false;
		}
		n = 10 * n + digit;
	}
	if (at != end || (c->size == 4 && n > UINT32_MAX)) {
		return false;
	}
	if (c->size == 4) {
		*(uint32_t *)to = (uint32_t)n;
	} else {
		*(uint64_t *)to = n;
	}
	return true;
}

static bool read_integer(const struct row_column *c, const struct json_token *t, void *to)
{
	int64_t n;
	if (t->type != JSON_TOKEN_NUMBER || !json_token_integer(t, &n)) {
		return false;
	}
	if (c->size == 8) {
		*(int64_t *)to = n;
		return true;
	}
	*(int32_t *)to = (int32_t)n;
	return n >= INT32_MIN && n <= INT32_MAX;
}

static bool read_number(const struct row_column *c, const struct json_token *t, void *to)
{
	if (t->type != JSON_TOKEN_NUMBER && t->type != JSON_TOKEN_NULL) {
		return false;
	}
	double value = t->type == JSON_TOKEN_NULL ? NAN : json_token_number(t);
	if (c->size == 4) {
		*(float *)to = (float)value;
	} else {
		*(double *)to = value;
	}
	return !c->not_negative || !(value < 0);
}

static bool read_word(const struct row_column *c, const struct json_token *t, uint32_t *to)
{
	uint32_t value = c->type == COLUMN_WORD ? c->first : 0;
	while (value < c->end && !json_token_is_string(t, c->word(value))) {
		value++;
	}
	*to = value;
	return value < c->end;
}

static bool read_words(struct row_reading *r, const struct json_token *first, uint32_t *to)
{
	struct json_token t;
	uint32_t bit;
	if (first->type != JSON_TOKEN_ARRAY) {
		return false;
	}
	while ((t = json_next(&r->json)).type == JSON_TOKEN_STRING) {
		if (!read_word(r->column, &t, &bit)) {
			return false;
		}
		*to |= UINT32_C(1) << bit;
	}
	return t.type == JSON_TOKEN_ARRAY_END;
}

/* Decodes the string into r->text. Returns false if it is too long or contains a NUL. */
static bool read_string(struct row_reading *r, const struct json_token *t)
{
	buf_clear(&r->text);
	if (t->type != JSON_TOKEN_STRING || t->len > 6 * (size_t)r->column->end + 2) {
		return false;
	}
	json_token_unescape(t, &r->text);
	return r->text.len <= r->column->end &&
	       (r->text.len == 0 || !memchr(r->text.data, '\0', r->text.len));
}

static bool read_list(struct row_reading *r, const struct json_token *first, struct text_list *to)
{
	const char *items[ROW_LIST_LIMIT];
	size_t n = 0;
	struct json_token t;
	if (first->type != JSON_TOKEN_ARRAY) {
		return false;
	}
	while ((t = json_next(&r->json)).type != JSON_TOKEN_ARRAY_END) {
		if (n == ROW_LIST_LIMIT || !read_string(r, &t)) {
			return false;
		}
		items[n++] = arena_text(r->texts, buf_span(&r->text));
	}
	if (n > 0) {
		to->items = arena_alloc(r->texts, n * sizeof(*items));
		memcpy((void *)to->items, items, n * sizeof(*items));
		to->n = n;
	}
	return true;
}

static bool read_id(struct row_reading *r, const struct json_token *t, struct id *to)
{
	buf_clear(&r->text);
	if (t->type != JSON_TOKEN_STRING || t->len > ID_TEXT_SIZE + 1) {
		return false;
	}
	json_token_unescape(t, &r->text);
	return id_parse(buf_cstr(&r->text), to);
}

static bool read_hash(const struct row_column *c, const struct json_token *t, uint8_t *to)
{
	struct span digits = json_token_raw(t);
	if (t->type != JSON_TOKEN_STRING || digits.len != 2 * (size_t)c->size) {
		return false;
	}
	for (size_t i = 0; i < digits.len; i++) {
		int digit = hex_digit(digits.data[i]);
		if (digit < 0) {
			return false;
		}
		to[i / 2] = (uint8_t)(to[i / 2] << 4 | digit);
	}
	return true;
}

static bool is_possible_sum(const struct row_column *c, const struct position_sum *s)
{
	return !c->is_share || (s->sum >= 0 && s->sum <= (double)s->n);
}

/* A bare number is a sum over all positions; set_sums_of_all() sets their number later. */
static bool read_sum(struct row_reading *r, const struct json_token *first, struct position_sum *to)
{
	static const struct row_column N = {.size = sizeof(to->n)};
	bool is_of_all = first->type == JSON_TOKEN_NUMBER;
	if (!is_of_all && first->type != JSON_TOKEN_ARRAY) {
		return false;
	}
	struct json_token sum = is_of_all ? *first : json_next(&r->json);
	to->sum = sum.type == JSON_TOKEN_NUMBER ? (double)(float)json_token_number(&sum) : NAN;
	if (isnan(to->sum) || is_of_all) {
		r->is_of_all[r->column - r->table->columns] = is_of_all;
		return is_of_all;
	}
	struct json_token n = json_next(&r->json);
	return read_count(&N, &n, &to->n) && json_next(&r->json).type == JSON_TOKEN_ARRAY_END &&
	       is_possible_sum(r->column, to);
}

static bool read_exact(const struct json_token *t, struct exact_sum *to)
{
	struct span digits = json_token_raw(t);
	size_t i = digits.len > 0 && digits.data[0] == '-';
	if (t->type != JSON_TOKEN_STRING || i == digits.len) {
		return false;
	}
	for (; i < digits.len; i++) {
		to->units = 10 * to->units + (digits.data[i] - '0');
		if (digits.data[i] < '0' || digits.data[i] > '9' ||
		        to->units >> ROW_EXACT_BITS != 0) {
			return false;
		}
	}
	to->units = digits.data[0] == '-' ? -to->units : to->units;
	return true;
}

/* A negative number -n means n empty bins. */
static bool read_histogram(struct row_reading *r, const struct json_token *first, uint64_t *to)
{
	static const struct row_column N = {.size = sizeof(*to)};
	uint64_t from = 0, bins = r->column->size / sizeof(*to);
	struct json_token t;
	if (first->type != JSON_TOKEN_ARRAY) {
		return false;
	}
	while ((t = json_next(&r->json)).type != JSON_TOKEN_ARRAY_END) {
		int64_t n = 0;
		if (t.type == JSON_TOKEN_NUMBER && json_token_integer(&t, &n) && n < 0) {
			if (n < -(int64_t)(bins - from)) {
				return false;
			}
			from += (uint64_t)-n;
		} else if (from == bins || !read_count(&N, &t, &to[from++])) {
			return false;
		}
	}
	return true;
}

static bool read_numbers(struct row_reading *r, const struct json_token *first, double *to)
{
	size_t n = 0, most = r->column->size / sizeof(*to);
	struct json_token t;
	if (first->type != JSON_TOKEN_ARRAY) {
		return false;
	}
	while ((t = json_next(&r->json)).type != JSON_TOKEN_ARRAY_END) {
		if (t.type != JSON_TOKEN_NUMBER || n == most) {
			return false;
		}
		to[n++] = (double)(float)json_token_number(&t);
	}
	return true;
}

/* Reads the value of r->column; t is its first token. */
static bool read_value(struct row_reading *r, const struct json_token *t, void *to)
{
	const struct row_column *c = r->column;
	switch (c->type) {
	case COLUMN_BOOLEAN:
		*(bool *)to = t->type == JSON_TOKEN_TRUE;
		return t->type == JSON_TOKEN_TRUE || t->type == JSON_TOKEN_FALSE;
	case COLUMN_COUNT:
		return read_count(c, t, to);
	case COLUMN_INTEGER:
		return read_integer(c, t, to);
	case COLUMN_NUMBER:
		return read_number(c, t, to);
	case COLUMN_WORD:
		return read_word(c, t, to);
	case COLUMN_WORDS:
		return read_words(r, t, to);
	case COLUMN_TEXT:
		if (!read_string(r, t)) {
			return false;
		}
		*(const char **)to = arena_text(r->texts, buf_span(&r->text));
		return true;
	case COLUMN_CHARS:
		if (!read_string(r, t)) {
			return false;
		}
		memcpy(to, buf_cstr(&r->text), r->text.len + 1);
		return true;
	case COLUMN_LIST:
		return read_list(r, t, to);
	case COLUMN_ID:
		return read_id(r, t, to);
	case COLUMN_HASH:
		return read_hash(c, t, to);
	case COLUMN_SUM:
		return read_sum(r, t, to);
	case COLUMN_EXACT:
		return read_exact(t, to);
	case COLUMN_HISTOGRAM:
		return read_histogram(r, t, to);
	case COLUMN_NUMBERS:
		return read_numbers(r, t, to);
	case N_COLUMN_TYPES:
		break;
	}
	never("a column without a type");
}

/* Returns the column's index; table->n if it is unknown. Rows mostly have the order in which we
 * write them. */
static size_t find_column(const struct row_reading *r, const struct json_token *key)
{
	size_t n = r->table->n;
	for (size_t i = 0; i < n; i++) {
		size_t at = (r->next + i) % n;
		if (json_token_is_key(key, r->table->columns[at].name)) {
			return at;
		}
	}
	return n;
}

static char *not_a_value(const struct row_column *c)
{
	return xasprintf("%s is not a value of type %s", c->name, column_type_name(c->type));
}

static char *read_member(struct row_reading *r, const struct json_token *key, char *members)
{
	struct json_token value = json_next(&r->json);
	size_t at = find_column(r, key);
	if (at == r->table->n) {
		(void)json_skip(&r->json, &value);
		return NULL;
	}
	r->column = &r->table->columns[at];
	r->next = at + 1;
	if (r->seen[at]) {
		return xasprintf("%s comes twice", r->column->name);
	}
	r->seen[at] = true;
	if (!read_value(r, &value, members + r->column->offset)) {
		return r->json.error ? xasprintf("damaged JSON: %s", r->json.error)
		                     : not_a_value(r->column);
	}
	return NULL;
}

static void set_absent(const struct row_table *t, char *members)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct row_column *c = &t->columns[i];
		void *at = members + c->offset;
		if (c->size == 8 && c->absent) {
			*(int64_t *)at = c->absent;
		} else if (c->size == 4 && c->absent) {
			*(int32_t *)at = (int32_t)c->absent;
		}
	}
}

/* "row": its type. */
static char *read_type(struct row_reading *r, struct row *ret)
{
	struct json_token object = json_next(&r->json), key = json_next(&r->json);
	struct json_token value = json_next(&r->json);
	if (object.type != JSON_TOKEN_OBJECT) {
		return xstrdup("not a JSON object: --from-pairs takes files that plumbline pairs "
		               "--out FILE.ndjson wrote, and no CSV");
	}
	if (!json_token_is_key(&key, "row")) {
		return r->json.error ? xasprintf("damaged JSON: %s", r->json.error)
		                     : xstrdup("not a row: the first member is not \"row\"");
	}
	for (enum row_type t = 0; t < N_ROW_TYPES; t++) {
		if (json_token_is_string(&value, row_table(t)->name)) {
			ret->type = t;
			r->table = row_table(t);
			return NULL;
		}
	}
	return xstrdup("the type of the row is not known");
}

/* Completes the sums over all positions, once the number of positions is known. */
static char *set_sums_of_all(const struct row_reading *r, char *members)
{
	for (size_t i = 0; i < r->table->n; i++) {
		const struct row_column *c = &r->table->columns[i];
		struct position_sum *sum = (void *)(members + c->offset);
		if (!r->is_of_all[i]) {
			continue;
		}
		sum->n = *(const uint32_t *)(const void *)(members + c->all_offset);
		if (!is_possible_sum(c, sum)) {
			return not_a_value(c);
		}
	}
	return NULL;
}

static char *read_members(struct row_reading *r, char *members)
{
	struct json_token key;
	while ((key = json_next(&r->json)).type == JSON_TOKEN_KEY) {
		char *problem = read_member(r, &key, members);
		if (problem) {
			return problem;
		}
	}
	if (key.type != JSON_TOKEN_OBJECT_END || json_next(&r->json).type != JSON_TOKEN_END) {
		return xasprintf("damaged JSON: %s", r->json.error);
	}
	for (size_t i = 0; i < r->table->n; i++) {
		if (r->table->columns[i].required && !r->seen[i]) {
			return xasprintf("%s is missing", r->table->columns[i].name);
		}
	}
	return set_sums_of_all(r, members);
}

char *row_read(struct span line, struct arena *texts, struct row *ret)
{
	struct row_reading r = {.texts = texts};
	if (line.len > ROW_LINE_LIMIT) {
		return xasprintf("the row is longer than %zu bytes", ROW_LINE_LIMIT);
	}
	memset(ret, 0, sizeof(*ret));
	json_init(&r.json, line.data, line.len);
	char *problem = read_type(&r, ret);
	if (!problem) {
		set_absent(r.table, row_members(ret));
		problem = read_members(&r, row_members(ret));
	}
	buf_finish(&r.text);
	return problem;
}
