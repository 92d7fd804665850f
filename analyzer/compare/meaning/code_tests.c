#include "analyzer/compare/meaning/code_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/ascii.h"
#include "base/mem.h"

#define NEAR 1e-12 /* tolerance for sums in another order: relative, below 1 absolute */

bool code_tests_are(struct span gold)
{
	gold = span_trim(gold);
	return gold.len > 0 && *gold.data == '{' && memmem(gold.data, gold.len, "\"tests\"", 7);
}

static const char *read_test(const json_t *test, bool *ret_functional, struct code_test *ret)
{
	const char *input = json_string_value(json_object_get(test, "input"));
	const char *output = json_string_value(json_object_get(test, "output"));
	const char *type = json_string_value(json_object_get(test, "testtype"));
	if (!input || !output || !type) {
		return "a test has no input, output or testtype";
	}
	*ret_functional = strcmp(type, "functional") == 0;
	if (!*ret_functional && strcmp(type, "stdin") != 0) {
		return "the testtype of a test is neither functional nor stdin";
	}
	*ret = (struct code_test){xstrdup(input), xstrdup(output)};
	return NULL;
}

static const char *read_tests(const json_t *root, struct code_tests *ret)
{
	const char *function = json_string_value(json_object_get(root, "function"));
	const json_t *tests = json_object_get(root, "tests"), *test;
	size_t i, n = json_array_size(tests);
	if (n == 0 || n > CODE_TESTS_LIMIT) {
		return n ? "there are too many tests" : "there are no tests";
	}
	ret->items = xcalloc(n, sizeof(*ret->items));
	json_array_foreach(tests, i, test) {
		bool functional = false;
		const char *why = read_test(test, &functional, &ret->items[i]);
		if (why) {
			return why;
		}
		ret->n++;
		if (functional != (function != NULL)) {
			return function ? "the task names a function, but a test runs a program"
			                : "a test calls a function, but the task names none";
		}
	}
	ret->function = function ? xstrdup(function) : NULL;
	return NULL;
}

const char *code_tests_read(struct span gold, struct code_tests *ret)
{
	json_t *root = json_loadb(gold.data, gold.len, 0, NULL);
	*ret = (struct code_tests){0};
	const char *why = root ? read_tests(root, ret) : "they are not JSON";
	json_decref(root);
	return why;
}

void code_tests_finish(struct code_tests *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->items[i].input);
		free(t->items[i].output);
	}
	free(t->items);
	free(t->function);
	*t = (struct code_tests){0};
}

static bool near(double a, double b)
{
	return a == b || fabs(a - b) <= NEAR * fmax(1, fmax(fabs(a), fabs(b)));
}

static bool same_number(const json_t *a, const json_t *b)
{
	if (json_is_integer(a) && json_is_integer(b)) {
		return json_integer_value(a) == json_integer_value(b);
	}
	double x = json_number_value(a), y = json_number_value(b);
	return json_is_real(a) && json_is_real(b) ? near(x, y) : x == y;
}

static bool same_value(const json_t *a, const json_t *b);

static bool same_array(const json_t *a, const json_t *b)
{
	bool same = json_array_size(a) == json_array_size(b);
	for (size_t i = 0; same && i < json_array_size(a); i++) {
		same = same_value(json_array_get(a, i), json_array_get(b, i));
	}
	return same;
}

static bool same_object(const json_t *a, const json_t *b)
{
	const char *key;
	json_t *value;
	if (json_object_size(a) != json_object_size(b)) {
		return false;
	}
	json_object_foreach((json_t *)(uintptr_t)a, key, value) {
		const json_t *other = json_object_get(b, key);
		if (!other || !same_value(value, other)) {
			return false;
		}
	}
	return true;
}

/* Like Python's ==, except that fractions may differ by rounding; 2 equals 2.0. */
static bool same_value(const json_t *a, const json_t *b)
{
	if (json_is_number(a) && json_is_number(b)) {
		return same_number(a, b);
	}
	if (json_is_array(a) && json_is_array(b)) {
		return same_array(a, b);
	}
	if (json_is_object(a) && json_is_object(b)) {
		return same_object(a, b);
	}
	return json_equal(a, b);
}

/* Writes the JSON without blanks outside of strings. */
static void put_dense(const char *json, struct buf *to)
{
	bool quoted = false;
	for (const char *p = json; *p; p++) {
		if (quoted && *p == '\\' && p[1]) {
			buf_append_char(to, *p++);
		} else if (*p == '"') {
			quoted = !quoted;
		}
		if (quoted || !is_space(*p)) {
			buf_append_char(to, *p);
		}
	}
}

static bool prints_same(const char *wanted, const char *given)
{
	struct buf a = {0}, b = {0};
	put_dense(wanted, &a);
	put_dense(given, &b);
	bool same = span_equal(buf_span(&a), buf_span(&b));
	buf_finish(&a);
	buf_finish(&b);
	return same;
}

static bool same_json(const char *wanted, const char *given)
{
	int flags = JSON_DECODE_ANY;
	json_t *a = json_loads(wanted, flags, NULL), *b = json_loads(given, flags, NULL);
	/* The JSON library rejects integers beyond 64 bits. */
	bool same = a && b ? same_value(a, b) : prints_same(wanted, given);
	json_decref(a);
	json_decref(b);
	return same;
}

/* Whether s is a number such as "-1.50e3". *ret_fraction: it has a point or an exponent. */
static bool is_number(const char *s, bool *ret_fraction)
{
	size_t digits = 0, points = 0;
	s += *s == '-' || *s == '+';
	for (; is_digit(*s) || *s == '.'; s++) {
		digits += is_digit(*s);
		points += *s == '.';
	}
	*ret_fraction = points > 0 || *s == 'e' || *s == 'E';
	if (digits > 0 && (*s == 'e' || *s == 'E')) {
		s += s[1] == '-' || s[1] == '+' ? 2 : 1;
		digits = 0;
		for (; is_digit(*s); s++) {
			digits++;
		}
	}
	return digits > 0 && points <= 1 && !*s;
}

/* Only fractions may be rounded. */
static bool same_word(struct span a, struct span b)
{
	if (span_equal(a, b)) {
		return true;
	}
	char *x = span_dup(a), *y = span_dup(b);
	bool fraction, other;
	bool numbers = is_number(x, &fraction) && is_number(y, &other);
	double u = strtod(x, NULL), v = strtod(y, NULL);
	bool same = numbers && (fraction && other ? near(u, v) : (fraction || other) && u == v);
	free(x);
	free(y);
	return same;
}

/* Returns the next word of the line, or an empty one at the line's end; moves *at past it. */
static struct span next_word(const char **at)
{
	const char *begin = *at;
	while (*begin != '\n' && is_space(*begin)) {
		begin++;
	}
	const char *end = begin;
	while (*end && !is_space(*end)) {
		end++;
	}
	*at = end;
	return span_between(begin, end);
}

/* Returns the beginning of the next line that is not blank. */
static const char *next_line(const char *at)
{
	while (is_space(*at)) {
		at++;
	}
	return at;
}

/* Compares line by line and word by word; the amount of space between words does not matter. */
static bool same_print(const char *wanted, const char *given)
{
	const char *a = next_line(wanted), *b = next_line(given);
	while (*a && *b) {
		struct span x = next_word(&a), y = next_word(&b);
		if (x.len == 0 && y.len == 0) {
			a = next_line(a);
			b = next_line(b);
		} else if (x.len == 0 || y.len == 0 || !same_word(x, y)) {
			return false;
		}
	}
	return *next_line(a) == *next_line(b);
}

bool code_tests_match(const struct code_tests *t, size_t i, const char *given)
{
	const char *wanted = t->items[i].output;
	return t->function ? same_json(wanted, given) : same_print(wanted, given);
}
