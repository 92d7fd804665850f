#include "analyzer/meaning/code_comments.h"

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

static void add_value(struct buf *to, struct span value)
{
	buf_append_span(to, value);
	buf_append_char(to, '\n');
}

/* "returns -1", "True", "raises KeyError": each with the others of its kind. */
static void add_values(struct code_comments *c, struct span s)
{
	for (size_t i = 0, n; i < s.len; i += MAX(n, (size_t)1)) {
		struct span here = span_from(s, i);
		char before = i ? s.data[i - 1] : ' ';
		bool sign = *here.data == '-' && here.len > 1 && is_digit(here.data[1]) &&
		            !is_word(before) && before != ')';
		n = 0;
		if (is_digit(*here.data) || sign) {
			n = sign + number_length(span_from(here, sign));
			add_value(&c->numbers, (struct span){here.data, n});
		} else if (is_word(*here.data)) {
			while (n < here.len && is_word(here.data[n])) {
				n++;
			}
			struct span word = {here.data, n};
			if (is_constant(word)) {
				add_value(&c->constants, word);
			}
		} else if (!is_word(before) && (n = literal_length(here))) {
			add_value(&c->constants, (struct span){here.data, n});
		}
	}
}

void code_comments_add(struct code_comments *c, struct span comment)
{
	struct span text = span_trim(comment);
	bool fence = span_is(text, "# ///") || span_starts(text, "# /// script");
	c->metadata ^= fence;
	if (fence || c->metadata || is_directive(text)) {
		buf_append_span(&c->directives, text);
		buf_append_char(&c->directives, '\n');
	} else {
		add_values(c, comment);
	}
}

static bool same_if_both(const struct buf *a, const struct buf *b)
{
	struct span x = buf_span(a), y = buf_span(b);
	return x.len == 0 || y.len == 0 || (x.len == y.len && span_equal_nocase(x, y));
}

bool code_comments_agree(const struct code_comments *a, const struct code_comments *b)
{
	return same_if_both(&a->numbers, &b->numbers) &&
	       same_if_both(&a->constants, &b->constants) &&
	       span_equal(buf_span(&a->directives), buf_span(&b->directives));
}

void code_comments_finish(struct code_comments *c)
{
	buf_finish(&c->directives);
	buf_finish(&c->numbers);
	buf_finish(&c->constants);
}
