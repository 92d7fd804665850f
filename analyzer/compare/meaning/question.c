#include "analyzer/compare/meaning/question.h"

#include <string.h>

#include "base/ascii.h"
#include "base/enum_names.h"

#define PROMPT_MAX ((size_t)64 << 10) /* bytes of the prompt's end, where the question is */

ENUM_NAMES(question_name, enum question, "open", "number", "choice", "yes_no", "code");

#define PHRASES_MAX 18

/* In lower case. */
static const char *const phrases[N_QUESTIONS][PHRASES_MAX] = {
        [QUESTION_CODE] = {"complete the function", "fix the code", "fix the bug", "implement a",
                "write a function", "write a program", "write code", "write a script",
                "write a query", "write a sql", "write a python", "write a c function"},
        [QUESTION_YES_NO] = {"true or false", "true/false", "yes or no", "yes/no"},
        [QUESTION_NUMBER] = {"as a number", "calculate", "compute", "evaluate", "find the value",
                "how many", "how much", "how old", "how far", "how long", "what is the sum",
                "what is the product", "what is the total", "what percentage", "what number",
                "what is the value"},
};

/* Returns the kinds of question, as a set of bits, whose phrases begin at this place. */
static unsigned kinds_at(struct span here)
{
	unsigned kinds = 0;
	for (size_t q = 0; q < N_QUESTIONS; q++) {
		for (size_t i = 0; i < PHRASES_MAX && phrases[q][i]; i++) {
			kinds |= span_starts_words(here, phrases[q][i]) ? 1u << q : 0;
		}
	}
	return kinds;
}

/* Returns the kinds of question whose phrases begin at any word of s. */
static unsigned kinds_of(struct span s)
{
	unsigned kinds = 0;
	for (size_t i = 0; i < s.len; i++) {
		if (is_letter(s.data[i]) && (i == 0 || !is_word(s.data[i - 1]))) {
			kinds |= kinds_at(span_from(s, i));
		}
	}
	return kinds;
}

/* Returns the letter of an option at the beginning of a line, "A)", "(B)", "C.", "D:"; 0 if
 * there is none. */
static char option(struct span line)
{
	line = span_trim(line);
	bool open = line.len && line.data[0] == '(';
	line = span_from(line, open);
	bool marked = line.len > 1 && is_upper(line.data[0]) &&
	              (open ? line.data[1] == ')' : strchr(").:", line.data[1]) != NULL);
	return marked && line.data[1] && (line.len == 2 || line.data[2] == ' ') ? line.data[0] : 0;
}

static bool lists_options(struct span s)
{
	char expects = 'A';
	const char *end = s.data + s.len;
	for (const char *p = s.data; p < end;) {
		const char *feed = memchr(p, '\n', (size_t)(end - p));
		feed = feed ? feed : end;
		char letter = option(span_between(p, feed));
		if (letter) {
			expects = letter == expects ? (char)(expects + 1)
			          : letter == 'A'   ? 'B'
			                            : expects;
		}
		p = feed + 1;
	}
	return expects >= 'C';
}

enum question question_read(struct span prompt)
{
	size_t from = prompt.len > PROMPT_MAX ? prompt.len - PROMPT_MAX : 0;
	struct span s = span_from(prompt, from);
	if (s.len == 0) {
		return QUESTION_OPEN;
	}
	if (lists_options(s)) {
		return QUESTION_CHOICE;
	}
	static const enum question order[] = {QUESTION_CODE, QUESTION_YES_NO, QUESTION_NUMBER};
	unsigned kinds = kinds_of(s);
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		if (kinds & 1u << order[i]) {
			return order[i];
		}
	}
	return QUESTION_OPEN;
}
