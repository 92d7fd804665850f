#include "proxy/settings/setting.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "proxy/settings/settings.h"

static void *member_of(const struct setting *row, const void *s)
{
	return (char *)s + row->at;
}

/* Loads a bool, an integer or an enum. */
static uint64_t load(const struct setting *row, const void *s)
{
	const void *at = member_of(row, s);
	switch (row->size) {
	case sizeof(bool):
		return *(const bool *)at;
	case sizeof(unsigned):
		return *(const unsigned *)at;
	default:
		expect(row->size == sizeof(uint64_t));
		return *(const uint64_t *)at;
	}
}

static void store(const struct setting *row, void *s, uint64_t value)
{
	void *at = member_of(row, s);
	switch (row->size) {
	case sizeof(bool):
		*(bool *)at = value;
		break;
	case sizeof(unsigned):
		*(unsigned *)at = (unsigned)value;
		break;
	default:
		expect(row->size == sizeof(uint64_t));
		*(uint64_t *)at = value;
	}
}

void setting_replace(char **text, const char *value)
{
	free(*text);
	*text = value ? xstrdup(value) : NULL;
}

void setting_fail(struct conf *y, const struct conf_node *n, char *problem)
{
	if (problem) {
		conf_fail(y, n, "%s", problem);
		free(problem);
	}
}

bool setting_is_list(struct conf *y, const struct conf_node *n, const char *what)
{
	if (n && conf_kind(n) != CONF_LIST) {
		conf_fail(y, n, "must be a list of %s, like [a, b]", what);
		return false;
	}
	if (n && conf_size(n) > SETTING_ITEMS_LIMIT) {
		conf_fail(y, n, "has more than %d entries", SETTING_ITEMS_LIMIT);
		return false;
	}
	return n != NULL;
}

/* Reading the file. */

static void read_bytes(
        struct conf *y, const struct conf_node *n, const struct setting *row, void *s)
{
	uint64_t value = conf_bytes(y, n, load(row, s));
	if (!conf_error(y) && (value < row->low || value > row->high)) {
		conf_fail(y, n, "must be from %llu to %llu bytes", (unsigned long long)row->low,
		        (unsigned long long)row->high);
		return;
	}
	store(row, s, value);
}

static void read_text(
        struct conf *y, const struct conf_node *n, const struct setting *row, char **to)
{
	const char *text = conf_string(y, n, NULL);
	if (text && row->check) {
		setting_fail(y, n, row->check(text));
	}
	setting_replace(to, text);
}

static void read_texts(
        struct conf *y, const struct conf_node *n, const struct setting *row, struct texts *to)
{
	if (!setting_is_list(y, n, row->what)) {
		return;
	}
	to->items = xcalloc(conf_size(n) + 1, sizeof(*to->items));
	for (size_t i = 0; i < conf_size(n); i++) {
		const struct conf_node *item = conf_item(n, i);
		const char *text = conf_string(y, item, NULL);
		if (text) {
			char *trimmed = span_dup(span_trim(span_of(text)));
			setting_fail(y, item, row->check(trimmed));
			to->items[to->n++] = trimmed;
		}
	}
}

void setting_read_type(
        struct conf *y, const struct conf_node *n, const struct setting_type *type, void *to)
{
	if (type->read) {
		type->read(y, n, to);
		return;
	}
	const char *text = conf_string(y, n, NULL);
	if (text) {
		setting_fail(y, n, type->parse(text, conf_line(n), to));
	}
}

static void read_one(struct conf *y, const struct conf_node *n, const struct setting *row, void *s)
{
	void *to = member_of(row, s);
	switch (row->kind) {
	case SETTING_BOOL:
		store(row, s, conf_bool(y, n, load(row, s)));
		break;
	case SETTING_INTEGER:
		store(row, s,
		        (uint64_t)conf_int(y, n, (int64_t)row->low, (int64_t)row->high,
		                (int64_t)load(row, s)));
		break;
	case SETTING_BYTES:
		read_bytes(y, n, row, s);
		break;
	case SETTING_DURATION:
		store(row, s, conf_duration(y, n, load(row, s)));
		break;
	case SETTING_SHARE:
		*(double *)to = conf_share(y, n, *(double *)to);
		break;
	case SETTING_RATE:
		*(double *)to = conf_rate(y, n, *(double *)to);
		break;
	case SETTING_WORD:
		store(row, s,
		        row->low + (uint64_t)conf_choice(
		                           y, n, row->words, (int)(load(row, s) - row->low)));
		break;
	case SETTING_TEXT:
		read_text(y, n, row, to);
		break;
	case SETTING_TEXTS:
		read_texts(y, n, row, to);
		break;
	case SETTING_MAP:
		if (row->scalar && conf_kind(n) == CONF_SCALAR) {
			read_one(y, n, row->scalar, s);
		} else {
			setting_read(y, n, row->rows, s);
			conf_check_keys(y, n);
		}
		break;
	case SETTING_TYPE:
		setting_read_type(y, n, row->type, to);
		break;
	}
}

void setting_read(struct conf *y, const struct conf_node *map, const struct setting *rows, void *to)
{
	for (const struct setting *row = rows; row->key; row++) {
		const struct conf_node *n = conf_get(y, map, row->key);
		if (!n) {
			continue;
		}
		if (row->goes_with && !row->applies(to)) {
			conf_fail(y, n, "%s", row->goes_with);
			continue;
		}
		read_one(y, n, row, to);
		if (row->given) {
			*(bool *)((char *)to + row->given) = true;
		}
	}
}

/* JSON. */

void setting_write_value(
        struct json_writer *w, const char *key, const struct setting *row, const void *s)
{
	const void *from = member_of(row, s);
	const struct texts *texts = from;
	switch (row->kind) {
	case SETTING_BOOL:
		json_writer_bool(w, key, load(row, s));
		break;
	case SETTING_INTEGER:
	case SETTING_BYTES:
		json_writer_count(w, key, load(row, s));
		break;
	case SETTING_DURATION: /* in seconds */
		json_writer_number(w, key, (double)load(row, s) / 1e9);
		break;
	case SETTING_SHARE:
	case SETTING_RATE:
		json_writer_number(w, key, *(const double *)from);
		break;
	case SETTING_WORD:
		json_writer_text(w, key, row->words[load(row, s) - row->low]);
		break;
	case SETTING_TEXT:
		json_writer_text(w, key, *(char *const *)from);
		break;
	case SETTING_TEXTS:
		json_writer_open(w, key, '[');
		for (size_t i = 0; i < texts->n; i++) {
			json_writer_text(w, NULL, texts->items[i]);
		}
		json_writer_close(w, "]");
		break;
	case SETTING_MAP:
		json_writer_open(w, key, '{');
		setting_write(w, row->rows, s);
		json_writer_close(w, "}");
		break;
	case SETTING_TYPE:
		row->type->write(w, key, from);
		break;
	}
}

void setting_write(struct json_writer *w, const struct setting *rows, const void *from)
{
	for (const struct setting *row = rows; row->key; row++) {
		if (!row->applies || row->applies(from)) {
			setting_write_value(w, row->key, row, from);
		}
	}
}

void setting_finish(const struct setting *rows, void *s)
{
	for (const struct setting *row = rows; row->key; row++) {
		void *at = member_of(row, s);
		struct texts *texts = at;
		if (row->kind == SETTING_TEXT) {
			free(*(char **)at);
		} else if (row->kind == SETTING_TEXTS) {
			for (size_t i = 0; i < texts->n; i++) {
				free(texts->items[i]);
			}
			free(texts->items);
		} else if (row->kind == SETTING_MAP) {
			setting_finish(row->rows, s);
		} else if (row->kind == SETTING_TYPE && row->type->finish) {
			row->type->finish(at);
		}
	}
}

/* A reload. */

/* False: the value is unchanged. */
static bool keep_value(const struct setting *row, void *to, const void *now)
{
	if (row->kind == SETTING_TYPE) {
		return row->type->keep(to, now);
	}
	if (row->kind == SETTING_TEXT) {
		const char *text = *(char *const *)now;
		bool same = same_text(*(char **)to, text);
		setting_replace(to, text);
		return !same;
	}
	bool same = memcmp(to, now, row->size) == 0;
	memcpy(to, now, row->size);
	return !same;
}

static void keep(
        const struct setting *row, const char *map, void *s, const void *now, struct buf *kept)
{
	if (row->fixed && keep_value(row, member_of(row, s), member_of(row, now))) {
		buf_printf(kept, "%s%s%s%s", kept->len ? ", " : "", map ? map : "", map ? "." : "",
		        row->key);
	}
}

void setting_keep(const struct setting *rows, void *s, const void *now, struct buf *kept)
{
	for (const struct setting *row = rows; row->key; row++) {
		keep(row, NULL, s, now, kept);
		for (const struct setting *r = row->rows; r && r->key; r++) {
			keep(r, row->key, s, now, kept);
		}
	}
}

/* Flags. */

static const struct setting *find_flag(const struct setting *rows, const char *flag)
{
	for (const struct setting *row = rows; row->key; row++) {
		const struct setting *inner = row->rows ? find_flag(row->rows, flag) : NULL;
		if (inner || (row->flag && strcmp(row->flag, flag) == 0)) {
			return inner ? inner : row;
		}
	}
	return NULL;
}

char *setting_set_flag(const struct setting *rows, const char *flag, const char *value, void *s)
{
	const struct setting *row = find_flag(rows, flag);
	expect(row);
	char *problem = NULL;
	uint64_t number;
	int word;
	switch (row->kind) {
	case SETTING_INTEGER:
		problem = options_number(flag, value, row->low, row->high, &number);
		if (!problem) {
			store(row, s, number);
		}
		return problem;
	case SETTING_WORD:
		problem = options_word(flag, value, row->words, &word);
		if (!problem) {
			store(row, s, row->low + (uint64_t)word);
		}
		return problem;
	case SETTING_SHARE:
		return options_share(flag, value, member_of(row, s));
	case SETTING_TEXT:
		problem = row->check ? row->check(value) : NULL;
		setting_replace(member_of(row, s), value);
		break;
	default:
		expect(row->kind == SETTING_TYPE && row->type->parse);
		problem = row->type->parse(value, 0, member_of(row, s));
	}
	char *named = problem ? xasprintf("--%s: %s", flag, problem) : NULL;
	free(problem);
	return named;
}
