#include "analyzer/compare/meaning/question.h"

#include <string.h>

#include "base/letters.h"

#define PROMPT_MAX ((size_t)64 << 10) /* of its end: where the question is */

const char *question_name(enum question q)
{
	static const char *const names[N_QUESTIONS] = {
	        "open", "number", "choice", "yes_no", "code"};
	return names[q];
}

struct phrase {
	const char *words;
	enum question question;
};

/* In lower case. */
static const struct phrase PHRASES[] = {
        {"complete the function", QUESTION_CODE},
        {"fix the code", QUESTION_CODE},
        {"fix the bug", QUESTION_CODE},
        {"implement a", QUESTION_CODE},
        {"write a function", QUESTION_CODE},
        {"write a program", QUESTION_CODE},
        {"write code", QUESTION_CODE},
        {"write a script", QUESTION_CODE},
        {"write a query", QUESTION_CODE},
        {"write a sql", QUESTION_CODE},
        {"write a python", QUESTION_CODE},
        {"write a c function", QUESTION_CODE},
        {"true or false", QUESTION_YES_NO},
        {"true/false", QUESTION_YES_NO},
        {"yes or no", QUESTION_YES_NO},
        {"yes/no", QUESTION_YES_NO},
        {"as a number", QUESTION_NUMBER},
        {"calculate", QUESTION_NUMBER},
        {"compute", QUESTION_NUMBER},
        {"evaluate", QUESTION_NUMBER},
        {"find the value", QUESTION_NUMBER},
        {"how many", QUESTION_NUMBER},
        {"how much", QUESTION_NUMBER},
        {"how old", QUESTION_NUMBER},
        {"how far", QUESTION_NUMBER},
        {"how long", QUESTION_NUMBER},
        {"what is the sum", QUESTION_NUMBER},
        {"what is the product", QUESTION_NUMBER},
        {"what is the total", QUESTION_NUMBER},
        {"what percentage", QUESTION_NUMBER},
        {"what number", QUESTION_NUMBER},
        {"what is the value", QUESTION_NUMBER},
};

/* The questions that the phrases say which begin there: a set of bits. */
static unsigned says_at(struct span here)
{
	unsigned said = 0;
	for (size_t i = 0; i < ARRAY_LEN(PHRASES); i++) {
		if (span_starts_words(here, PHRASES[i].words)) {
			said |= 1u << PHRASES[i].question;
		}
	}
	return said;
}

/* The same of every place where a word begins. */
static unsigned says(struct span s)
{
	unsigned said = 0;
	for (size_t i = 0; i < s.len; i++) {
		if (is_letter(s.data[i]) && (i == 0 || !is_word(s.data[i - 1]))) {
			said |= says_at(span_from(s, i));
		}
	}
	return said;
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
	size_t from = prompt.len > PROMPT_MAX ? prompt.len - PROMPT_MAX : 0;
	struct span s = span_from(prompt, from);
	if (s.len == 0) {
		return QUESTION_OPEN;
	}
	if (lists_options(s)) {
		return QUESTION_CHOICE;
	}
	static const enum question order[] = {QUESTION_CODE, QUESTION_YES_NO, QUESTION_NUMBER};
	unsigned said = says(s);
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		if (said & 1u << order[i]) {
			return order[i];
		}
	}
	return QUESTION_OPEN;
}
