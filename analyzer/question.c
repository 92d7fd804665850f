#include "analyzer/question.h"

#include <string.h>

#include "analyzer/letters.h"

#define PROMPT_MAX ((size_t)64 << 10) /* of its end: where the question is */

const char *question_name(enum question q)
{
	static const char *const names[N_QUESTIONS] = {
	        "open", "number", "choice", "yes_no", "code"};
	return names[q];
}

/* A phrase with no letter beside it. */
static bool says(struct span s, const char *phrase)
{
	size_t n = strlen(phrase);
	for (size_t i = 0; i + n <= s.len; i++) {
		if ((i == 0 || !is_word(s.data[i - 1])) &&
		        (i + n == s.len || !is_word(s.data[i + n])) &&
		        to_lower(s.data[i]) == *phrase &&
		        span_is_nocase((struct span){s.data + i, n}, phrase)) {
			return true;
		}
	}
	return false;
}

static bool says_any(struct span s, const char *const *phrases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (says(s, phrases[i])) {
			return true;
		}
	}
	return false;
}

/* The letter of an option at a line's beginning, "A)", "(B)", "C.", "D:"; 0: none. */
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
	static const char *const numbers[] = {"how many", "how much", "what is the sum",
	        "what is the product", "what is the total", "calculate", "compute", "evaluate",
	        "what percentage", "how old", "how far", "how long", "find the value",
	        "what number", "as a number", "what is the value"};
	static const char *const codes[] = {"write a function", "write a program", "write code",
	        "write a script", "implement a", "write a query", "write a sql", "fix the code",
	        "fix the bug", "write a python", "write a c function", "complete the function"};
	static const char *const yes_no[] = {"yes or no", "true or false", "yes/no", "true/false"};
	size_t from = prompt.len > PROMPT_MAX ? prompt.len - PROMPT_MAX : 0;
	struct span s = span_from(prompt, from);
	if (s.len == 0) {
		return QUESTION_OPEN;
	}
	if (lists_options(s)) {
		return QUESTION_CHOICE;
	}
	if (says_any(s, codes, ARRAY_LEN(codes))) {
		return QUESTION_CODE;
	}
	if (says_any(s, yes_no, ARRAY_LEN(yes_no))) {
		return QUESTION_YES_NO;
	}
	return says_any(s, numbers, ARRAY_LEN(numbers)) ? QUESTION_NUMBER : QUESTION_OPEN;
}
