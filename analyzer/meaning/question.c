#include "analyzer/meaning/question.h"

#include <string.h>

#include "base/eight.h"
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

#define PHRASES(...) ((const struct phrase[]){__VA_ARGS__, {0}})

#define LEAST 4 /* bytes that each phrase has */

/* By their first letter; in small letters, of LEAST bytes or more. */
static const struct phrase *const phrases[UINT8_MAX + 1] = {
        ['a'] = PHRASES({"as a number", QUESTION_NUMBER}),
        ['c'] = PHRASES({"calculate", QUESTION_NUMBER}, {"compute", QUESTION_NUMBER},
                {"complete the function", QUESTION_CODE}),
        ['e'] = PHRASES({"evaluate", QUESTION_NUMBER}),
        ['f'] = PHRASES({"find the value", QUESTION_NUMBER}, {"fix the code", QUESTION_CODE},
                {"fix the bug", QUESTION_CODE}),
        ['h'] = PHRASES({"how many", QUESTION_NUMBER}, {"how much", QUESTION_NUMBER},
                {"how old", QUESTION_NUMBER}, {"how far", QUESTION_NUMBER},
                {"how long", QUESTION_NUMBER}),
        ['i'] = PHRASES({"implement a", QUESTION_CODE}),
        ['t'] = PHRASES({"true or false", QUESTION_YES_NO}, {"true/false", QUESTION_YES_NO}),
        ['w'] = PHRASES({"what is the sum", QUESTION_NUMBER},
                {"what is the product", QUESTION_NUMBER}, {"what is the total", QUESTION_NUMBER},
                {"what percentage", QUESTION_NUMBER}, {"what number", QUESTION_NUMBER},
                {"what is the value", QUESTION_NUMBER}, {"write a function", QUESTION_CODE},
                {"write a program", QUESTION_CODE}, {"write code", QUESTION_CODE},
                {"write a script", QUESTION_CODE}, {"write a query", QUESTION_CODE},
                {"write a sql", QUESTION_CODE}, {"write a python", QUESTION_CODE},
                {"write a c function", QUESTION_CODE}),
        ['y'] = PHRASES({"yes or no", QUESTION_YES_NO}, {"yes/no", QUESTION_YES_NO}),
};

/* The questions that the phrases say which begin there, with nothing of a word before or behind them: a set of bits. */
static unsigned says_at(struct span s, size_t at)
{
	const struct phrase *p = phrases[(uint8_t)(s.data[at] | 0x20)];
	struct span here = span_from(s, at);
	if (!p || here.len < LEAST || (at && is_word(s.data[at - 1]))) {
		return 0;
	}
	unsigned said = 0;
	uint64_t first = eight_lower(eight_load(here.data, LEAST));
	for (; p->words; p++) {
		/* Most differ in these. */
		if (eight_load(p->words, LEAST) == first && span_starts_words(here, p->words)) {
			said |= 1u << p->question;
		}
	}
	return said;
}

/* The same of every place where a run of letters begins. A prompt may be long, so it is gone through once. */
static unsigned says(struct span s)
{
	unsigned said = 0;
	uint64_t last = 0; /* what is marked of the eight bytes before */
	for (size_t i = 0; i < s.len; i += 8) {
		uint64_t eight = eight_load(s.data + i, s.len - i);
		uint64_t letters = eight_between(eight | EIGHT_OF(0x20), 'a', 'z');
		uint64_t begins = letters & ~(letters << 8 | last >> 56);
		for (; begins; begins &= begins - 1) {
			said |= says_at(s, i + eight_first(begins));
		}
		last = letters;
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
