#include "analyzer/compare/meaning/code_comments.h"

#include <string.h>

#include "base/letters.h"

#define LITERAL_MAX 256

static bool is_directive(struct span line)
{
	static const char *const begins[] = {"//go:", "# coding:", "# coding=", "# -*-",
	        "// +build", "#SBATCH", "#PBS", "#BSUB", "#$ "};
	static const char *const within[] = {"@ts-", "@jsx", "@flow", "@jest"};
	for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
		if (span_starts(line, begins[i])) {
			return true;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(within); i++) {
		if (memmem(line.data, line.len, within[i], strlen(within[i]))) {
			return true;
		}
	}
	return false;
}

/* Through its point, its exponent and the letters that belong to it. */
static size_t number_length(struct span s)
{
	size_t n = 1;
	for (; n < s.len; n++) {
		bool exponent = s.data[n] == '-' && (s.data[n - 1] == 'e' || s.data[n - 1] == 'E');
		bool joins =
		        (exponent || s.data[n] == '.') && n + 1 < s.len && is_digit(s.data[n + 1]);
		if (!is_word(s.data[n]) && !joins) {
			break;
		}
	}
	return n;
}

static bool is_constant(struct span word)
{
	static const char *const words[] = {"false", "inf", "infinity", "nan", "nil", "no", "none",
	        "null", "true", "undefined", "yes"};
	static const char *const ends[] = {"Error", "Exception"};
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		size_t n = strlen(ends[i]);
		if (word.len >= n && span_is(span_from(word, word.len - n), ends[i])) {
			return true;
		}
	}
	return span_in(word, words, ARRAY_LEN(words));
}

/* A text between quotation marks, or brackets with nothing in them; 0: none begins there. */
static size_t literal_length(struct span s)
{
	static const char *const empty[] = {"[]", "{}", "()"};
	for (size_t i = 0; i < ARRAY_LEN(empty); i++) {
		if (span_starts(s, empty[i])) {
			return strlen(empty[i]);
		}
	}
	if (*s.data != '"' && *s.data != '\'') {
		return 0;
	}
	size_t n = 1;
	while (n < s.len && n < LITERAL_MAX && s.data[n] != *s.data && s.data[n] != '\n') {
		n++;
	}
	return n < s.len && s.data[n] == *s.data ? n + 1 : 0;
}

static void add_value(struct buf *to, bool minus, struct span value)
{
	buf_append_str(to, minus ? "-" : "");
	buf_append_span(to, value);
	buf_append_char(to, '\n');
}

/* A constant, in small letters: "True", "true". */
static void add_constant(struct buf *to, bool minus, struct span word)
{
	size_t from = to->len;
	add_value(to, minus, word);
	for (; from < to->len; from++) {
		to->data[from] = to_lower(to->data[from]);
	}
}

/* The sign at i, unless something is before it that it takes from; 0: none. */
static size_t minus_length(struct span s, size_t i)
{
	struct span here = span_from(s, i);
	size_t n = *here.data == '-' ? 1 : span_starts(here, "−") ? strlen("−") : 0;
	bool takes = i && (is_word(s.data[i - 1]) || s.data[i - 1] == ')');
	return takes || n == here.len ? 0 : n;
}

static size_t word_length(struct span s)
{
	size_t n = 0;
	while (n < s.len && is_word(s.data[n])) {
		n++;
	}
	return n;
}

/* The value that begins at i is added; returns how far that is, or the word that is none; 0: nothing begins there. */
static size_t add_at(struct code_comments *c, struct span s, size_t i)
{
	size_t minus = minus_length(s, i);
	struct span here = span_from(s, i + minus);
	bool point = *here.data == '.' && here.len > 1 && is_digit(here.data[1]);
	bool fresh = minus || i == 0 || !is_word(s.data[i - 1]);
	if (is_digit(*here.data) || (point && fresh)) {
		size_t n = number_length(here);
		add_value(&c->numbers, minus, (struct span){here.data, n});
		return minus + n;
	}
	struct span word = {here.data, word_length(here)};
	if (is_constant(word)) {
		add_constant(&c->constants, minus, word);
	}
	size_t literal = fresh && !minus ? literal_length(here) : 0;
	if (literal) {
		add_value(&c->constants, false, (struct span){here.data, literal});
	}
	return minus + word.len + literal;
}

/* "returns -1", "True", "raises KeyError": each with the others of its kind. */
static void add_values(struct code_comments *c, struct span s)
{
	for (size_t i = 0; i < s.len;) {
		size_t n = add_at(c, s, i);
		i += MAX(n, (size_t)1);
	}
}

/* All of it is a number or a constant, of which neither the case nor the minus counts. */
static bool is_value(struct span s)
{
	struct span rest = span_from(s, minus_length(s, 0));
	bool number = rest.len && (is_digit(*rest.data) || *rest.data == '.');
	return is_constant(rest) || (number && number_length(rest) == rest.len);
}

static void add_result(struct code_comments *c, size_t place, struct span result)
{
	if (!is_value(result)) {
		code_results_put(&c->results, place, result);
		return;
	}
	size_t minus = minus_length(result, 0);
	struct buf value = {0};
	add_constant(&value, minus, span_from(result, minus));
	value.len--; /* its line feed */
	code_results_put(&c->results, place, buf_span(&value));
	buf_finish(&value);
}

void code_comments_add(struct code_comments *c, struct span code, struct span comment, size_t place)
{
	struct span text = span_trim(comment);
	bool fence = span_is(text, "# ///") || span_starts(text, "# /// script");
	c->metadata ^= fence;
	if (fence || c->metadata || is_directive(text)) {
		buf_append_span(&c->directives, text);
		buf_append_char(&c->directives, '\n');
		return;
	}
	struct span result;
	add_values(c, comment);
	if (code_results_next(&c->reader, code, comment, &result)) {
		add_result(c, place, result);
	}
}

bool code_comments_agree(const struct code_comments *a, const struct code_comments *b)
{
	struct span x = buf_span(&a->numbers), y = buf_span(&b->numbers);
	struct span v = buf_span(&a->constants), w = buf_span(&b->constants);
	bool numbers = !x.len || !y.len || (x.len == y.len && span_equal_nocase(x, y));
	/* Of a text the case counts. */
	bool constants = !v.len || !w.len || span_equal(v, w);
	return numbers && constants &&
	       code_results_agree(buf_span(&a->results), buf_span(&b->results)) &&
	       span_equal(buf_span(&a->directives), buf_span(&b->directives));
}

void code_comments_finish(struct code_comments *c)
{
	buf_finish(&c->directives);
	buf_finish(&c->numbers);
	buf_finish(&c->constants);
	buf_finish(&c->results);
}
