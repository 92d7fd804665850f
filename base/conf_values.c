/*
 * The grammars of values, for the file and for flags, and the getters that report what does not
 * fit.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/conf_tree.h"
#include "base/did_you_mean.h"
#include "base/json.h"

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit SIZES[] = {
        {"", 1},
        {"B", 1},
        {"KiB", UINT64_C(1) << 10},
        {"MiB", UINT64_C(1) << 20},
        {"GiB", UINT64_C(1) << 30},
        {"TiB", UINT64_C(1) << 40},
        {"kB", UINT64_C(1000)},
        {"KB", UINT64_C(1000)},
        {"MB", UINT64_C(1000000)},
        {"GB", UINT64_C(1000000000)},
        {"TB", UINT64_C(1000000000000)},
        {0},
};

static const struct unit DURATIONS[] = {
        {"ns", 1},
        {"us", UINT64_C(1000)},
        {"ms", UINT64_C(1000000)},
        {"s", UINT64_C(1000000000)},
        {"m", UINT64_C(60000000000)},
        {"h", UINT64_C(3600000000000)},
        {"d", UINT64_C(86400000000000)},
        {0},
};

/* A decimal without sign or exponent: whole part exact, fraction in units of 10^-9. */
struct decimal {
	uint64_t whole;
	uint64_t nanos;
};

/* Returns what follows the number, or NULL. Does not depend on the locale, as strtod() does. */
static const char *parse_decimal(const char *s, struct decimal *ret)
{
	struct decimal d = {0};
	if (!isdigit((unsigned char)*s)) {
		return NULL;
	}
	for (; isdigit((unsigned char)*s); s++) {
		if (__builtin_mul_overflow(d.whole, 10, &d.whole) ||
		        __builtin_add_overflow(d.whole, (uint64_t)(*s - '0'), &d.whole)) {
			return NULL;
		}
	}
	if (*s == '.') {
		s++;
		if (!isdigit((unsigned char)*s)) {
			return NULL;
		}
		uint64_t place = 100000000;
		for (; isdigit((unsigned char)*s); s++) {
			d.nanos += (uint64_t)(*s - '0') * place;
			place /= 10;
		}
	}
	*ret = d;
	return s;
}

static double decimal_value(const struct decimal *d)
{
	return (double)d->whole + (double)d->nanos / 1e9;
}

static bool scale(const char *s, const struct unit *units, uint64_t *ret)
{
	struct decimal d;
	const char *unit = parse_decimal(s, &d);
	if (!unit) {
		return false;
	}
	for (; units->name; units++) {
		if (strcmp(units->name, unit) != 0) {
			continue;
		}
		uint64_t value,
		        fraction = (uint64_t)((double)units->factor * (double)d.nanos / 1e9);
		if (__builtin_mul_overflow(d.whole, units->factor, &value) ||
		        __builtin_add_overflow(value, fraction, &value)) {
			return false;
		}
		*ret = value;
		return true;
	}
	return false;
}

bool conf_parse_bytes(const char *s, uint64_t *ret)
{
	return scale(s, SIZES, ret);
}

bool conf_parse_duration(const char *s, uint64_t *ret)
{
	if (strcmp(s, "0") == 0) {
		*ret = 0;
		return true;
	}
	return scale(s, DURATIONS, ret);
}

bool conf_parse_number(const char *s, double *ret)
{
	struct decimal d;
	bool negative = *s == '-';
	const char *rest = parse_decimal(s + negative, &d);
	bool percent = rest && strcmp(rest, "%") == 0;
	if (!rest || (*rest && !percent)) {
		return false;
	}
	double value = decimal_value(&d) / (percent ? 100 : 1);
	*ret = negative ? -value : value;
	return true;
}

bool conf_parse_share(const char *s, double *ret)
{
	double value;
	if (*s == '-' || !conf_parse_number(s, &value) || value > 1) {
		return false;
	}
	*ret = value;
	return true;
}

bool conf_parse_decimal(const char *s, double *ret)
{
	struct decimal d;
	const char *rest = parse_decimal(s, &d);
	if (!rest || *rest) {
		return false;
	}
	*ret = decimal_value(&d);
	return true;
}

char *conf_next_word(char **list)
{
	char *word = strsep(list, ",");
	if (!word) {
		return NULL;
	}
	word += strspn(word, " \t");
	size_t len = strlen(word);
	while (len > 0 && strchr(" \t", word[len - 1])) {
		word[--len] = '\0';
	}
	return word;
}

bool conf_parse_rate(const char *s, double *ret)
{
	static const struct unit SECONDS[] = {{"/s", 1}, {"/m", 60}, {"/h", 3600}, {0}};
	struct decimal d;
	const char *unit = parse_decimal(s, &d);
	for (const struct unit *u = SECONDS; unit && u->name; u++) {
		if (strcmp(unit, u->name) == 0) {
			*ret = decimal_value(&d) / (double)u->factor;
			return true;
		}
	}
	return false;
}

/* Returns the text of a scalar; NULL: it is absent, or a problem was reported. */
static const char *scalar(struct conf *y, const struct conf_node *n, const char *what)
{
	if (!n) {
		return NULL;
	}
	if (n->kind != CONF_SCALAR) {
		conf_fail(
		        y, n, "must be %s, not a %s", what, n->kind == CONF_LIST ? "list" : "map");
		return NULL;
	}
	if (n->plain && (!*n->text || strcmp(n->text, "~") == 0 || strcmp(n->text, "null") == 0)) {
		conf_fail(y, n, "has no value; it must be %s", what);
		return NULL;
	}
	return n->text;
}

static void refuse(struct conf *y, const struct conf_node *n, const char *what)
{
	conf_fail(y, n, "must be %s, not \"%.60s\"", what, n->text);
}

const char *conf_string(struct conf *y, const struct conf_node *n, const char *fallback)
{
	const char *s = scalar(y, n, "a text");
	return s ? s : fallback;
}

bool conf_bool(struct conf *y, const struct conf_node *n, bool fallback)
{
	const char *what = "true or false";
	const char *s = scalar(y, n, what);
	if (!s) {
		return fallback;
	}
	if (n->plain && (strcmp(s, "true") == 0 || strcmp(s, "false") == 0)) {
		return *s == 't';
	}
	refuse(y, n, what);
	return fallback;
}

int64_t conf_int(
        struct conf *y, const struct conf_node *n, int64_t min, int64_t max, int64_t fallback)
{
	char what[96];
	snprintf(what, sizeof(what), "a whole number from %" PRId64 " to %" PRId64, min, max);
	const char *s = scalar(y, n, what);
	if (!s) {
		return fallback;
	}
	bool negative = *s == '-';
	struct decimal d = {0};
	const char *rest = parse_decimal(s + negative, &d);
	bool fits = rest && !*rest && n->plain && !strchr(s, '.') && d.whole <= INT64_MAX;
	int64_t value = fits ? (negative ? -(int64_t)d.whole : (int64_t)d.whole) : 0;
	if (!fits || value < min || value > max) {
		refuse(y, n, what);
		return fallback;
	}
	return value;
}

static uint64_t units(struct conf *y, const struct conf_node *n, const char *what,
        bool (*parse)(const char *s, uint64_t *ret), uint64_t fallback)
{
	const char *s = scalar(y, n, what);
	uint64_t value = fallback;
	if (s && !parse(s, &value)) {
		refuse(y, n, what);
	}
	return value;
}

uint64_t conf_bytes(struct conf *y, const struct conf_node *n, uint64_t fallback)
{
	return units(y, n, "a size like 64KiB, 20GiB or 10MB", conf_parse_bytes, fallback);
}

uint64_t conf_duration(struct conf *y, const struct conf_node *n, uint64_t fallback)
{
	return units(y, n, "a time like 40ms, 1s, 5m or 2h", conf_parse_duration, fallback);
}

static double number(struct conf *y, const struct conf_node *n, const char *what,
        bool (*parse)(const char *s, double *ret), double fallback)
{
	const char *s = scalar(y, n, what);
	double value = fallback;
	if (s && !parse(s, &value)) {
		refuse(y, n, what);
	}
	return value;
}

double conf_share(struct conf *y, const struct conf_node *n, double fallback)
{
	return number(y, n, "a share like 20% or 0.2, at most 100%", conf_parse_share, fallback);
}

double conf_number(struct conf *y, const struct conf_node *n, double fallback)
{
	return number(y, n, "a number like 0.5, -3 or 20%", conf_parse_number, fallback);
}

double conf_rate(struct conf *y, const struct conf_node *n, double fallback)
{
	return number(y, n, "a rate like 5/s or 300/m", conf_parse_rate, fallback);
}

int conf_choice(struct conf *y, const struct conf_node *n, const char *const *words, int fallback)
{
	struct buf what = {0};
	for (int i = 0; words[i]; i++) {
		buf_printf(&what, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
	}
	const char *s = scalar(y, n, buf_cstr(&what));
	int value = fallback;
	if (s) {
		int i = 0;
		while (words[i] && strcmp(words[i], s) != 0) {
			i++;
		}
		if (words[i]) {
			value = i;
		} else {
			const char *near = nearest_word(s, words);
			conf_fail(y, n, "must be %s, not \"%.60s\"%s", buf_cstr(&what), s,
			        did_you_mean("", near).text);
		}
	}
	buf_finish(&what);
	return value;
}

/* Whether the text is a JSON number, true, false or null just as it stands. */
static bool is_json_word(const char *text)
{
	struct json j;
	json_init(&j, text, strlen(text));
	struct json_token t = json_next(&j);
	bool word = t.type == JSON_TOKEN_NUMBER || t.type == JSON_TOKEN_TRUE ||
	            t.type == JSON_TOKEN_FALSE || t.type == JSON_TOKEN_NULL;
	return word && json_next(&j).type == JSON_TOKEN_END;
}

void conf_put_json(const struct conf_node *n, struct buf *to)
{
	if (n->kind == CONF_SCALAR) {
		if (n->plain && (!*n->text || strcmp(n->text, "~") == 0)) {
			buf_append_str(to, "null");
		} else if (n->plain && is_json_word(n->text)) {
			buf_append_str(to, n->text);
		} else {
			json_put_string(to, span_of(n->text));
		}
		return;
	}
	bool is_map = n->kind == CONF_MAP;
	buf_append_char(to, is_map ? '{' : '[');
	for (size_t i = 0; i < n->n; i++) {
		if (i) {
			buf_append_char(to, ',');
		}
		if (is_map) {
			json_put_string(to, span_of(n->keys[i]));
			buf_append_char(to, ':');
		}
		conf_put_json(n->items[i], to);
	}
	buf_append_char(to, is_map ? '}' : ']');
}
