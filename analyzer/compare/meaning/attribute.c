#include "analyzer/compare/meaning/attribute.h"

#include <string.h>

#include "analyzer/compare/meaning/doubt.h"
#include "analyzer/compare/meaning/word.h"
#include "base/letters.h"

#define NAME_BYTES 2 /* of a part: "a", "12" */

/* Between "answer" and its verb they say nothing of which answer it is. */
static const char *const silent[] = {"finally", "hence", "here", "i", "just", "looking", "now",
        "asked", "need", "seek", "simply", "so", "that", "then", "therefore", "thus", "want", "we",
        "which", "you", "we're", "you're"};
/* Nor do these behind "we": what you got is another's. */
static const char *const behind_we[] = {
        "are", "derived", "find", "found", "get", "got", "have", "obtain", "obtained", "were"};
/* Nor do these behind "looking" or "asked". */
static const char *const behind_looking[] = {"after", "for"};
/* The answer to one of these is what was asked for, and words before them that point to it: "to this problem". */
static const char *const tasks[] = {"equation", "exercise", "inequality", "problem", "puzzle",
        "question", "riddle", "system", "task"};
static const char *const pointing[] = {"above", "entire", "given", "math", "our", "original",
        "that", "the", "this", "whole", "word", "your"};
/* They say what form it has: "in simplest form", "as a fraction", "rounded to the nearest unit". */
static const char *const shaping[] = {
        "after", "as", "expressed", "in", "rounded", "simplified", "written"};
static const char *const shapes[] = {"a", "an", "decimal", "figures", "form", "fraction",
        "hundredth", "integer", "its", "lowest", "mixed", "nearest", "notation", "number",
        "percentage", "places", "reduced", "significant", "simplest", "simplification",
        "simplified", "simplifying", "tenth", "terms", "the", "to", "two", "unit", "whole"};
/* From here on the value is told. */
static const char *const verbs[] = {"be", "became", "becomes", "came", "comes", "equals", "gave",
        "gives", "is", "must", "rounds", "should", "simplifies", "turned", "turns", "was", "will",
        "worked", "works"};
/* They name no case, and nobody: "for this problem", "according to the data". */
static const char *const no_case[] = {"above", "all", "best", "calculation", "calculations",
        "convenience", "correct", "data", "equation", "example", "exercise", "final", "given",
        "information", "inequality", "instance", "it", "now", "original", "our", "passage",
        "problem", "puzzle", "question", "reasons", "reference", "riddle", "simplicity", "sure",
        "task", "text", "that", "the", "these", "this", "to", "values", "whole", "x", "y", "your"};
/* A clause may begin with them. */
static const char *const openers[] = {
        "and", "as", "but", "finally", "hence", "now", "so", "then", "therefore", "thus"};
/* Their subject is somebody who tells an answer: "Bob says". */
static const char *const saying[] = {"argues", "believed", "believes", "claim", "claimed", "claims",
        "guessed", "guesses", "insists", "said", "says", "thinks", "thought", "writes", "wrote"};

#define IN(word, list) span_in(word, list, ARRAY_LEN(list))

/* Something between two words, a mark for instance, is one of these. */
static bool is_between(struct span text, struct span rest, const char *marks)
{
	for (const char *p = text.data; p < rest.data; p++) {
		if (*p && strchr(marks, *p)) {
			return true;
		}
	}
	return false;
}

/* Behind its verb: "is, for the boys,", "was said to be" */
static bool names_case(struct span rest)
{
	struct span word, last = {0};
	while (word_next(&rest, &word)) {
		bool sought_for = span_same(last, "looking") || span_same(last, "asked");
		if ((span_same(word, "for") && !sought_for) || IN(word, saying)) {
			return true;
		}
		last = word;
	}
	return false;
}

static bool ends_in(struct span word, const char *end)
{
	size_t n = strlen(end);
	return word.len > n && span_same(span_from(word, word.len - n), end);
}

/* "The result of the addition", "of adding 5", "of 5 + 7" */
static bool is_of_sum(struct span rest)
{
	struct span word;
	while (word_next(&rest, &word)) {
		if (is_digit(*word.data) || ends_in(word, "ing") || ends_in(word, "ion")) {
			return true;
		}
		if (!IN(word, no_case)) {
			return false;
		}
	}
	return false;
}

/* "To this problem": *rest goes on behind it. */
static bool is_asked(struct span *rest)
{
	struct span word = {0};
	while (word_next(rest, &word) && IN(word, pointing)) {
	}
	return IN(word, tasks);
}

/* Behind "in" or "rounded": *rest goes on behind what it is in, or rounded to. */
static bool is_shape(struct span *rest)
{
	struct span behind = *rest, word;
	size_t n = 0;
	/* "To 2 decimal places" */
	while (word_next(&behind, &word) && (IN(word, shapes) || (n && is_digit(*word.data)))) {
		*rest = behind;
		n++;
	}
	return n > 0;
}

/* The word, and what it leads to, says nothing of which one it is; *rest goes on behind that. */
static bool is_known(struct span word, struct span last, struct span *rest)
{
	bool after_we = span_same(last, "we") || span_same(last, "i") || span_same(last, "you");
	bool yours = span_same(last, "you") && !span_same(word, "are");
	if (IN(word, behind_looking) && (span_same(last, "looking") || span_same(last, "asked"))) {
		return true;
	}
	if (span_same(word, "to") || span_same(word, "for")) {
		return is_asked(rest);
	}
	if (IN(word, shaping)) {
		return is_shape(rest) || span_same(word, "simplified");
	}
	return IN(word, silent) || (IN(word, behind_we) && after_we && !yours);
}

/* All that stands behind it up to its verb, or to the end, says nothing of which one it is. */
static bool goes_on(struct span rest, bool is_answer)
{
	struct span word, last = {0}, before = rest, next;
	while (word_next(&rest, &word)) {
		/* "The answer is", but not "the answer you gave" */
		bool after_we = span_same(last, "we") || span_same(last, "i");
		bool verb = IN(word, verbs) && !after_we && !span_same(last, "you");
		if (is_between(before, word, "=:") || verb) {
			return !names_case(rest);
		}
		if (span_same(word, "of")) {
			struct span behind = rest;
			/* "An answer of 12" */
			return (!is_answer && is_of_sum(rest)) || !word_next(&behind, &next);
		}
		if (!is_known(word, last, &rest)) {
			return false;
		}
		last = word;
		before = rest;
	}
	return true;
}

/* Behind a comma another clause, with a subject of its own, leads to the value: "to find the answer of Bob, we add". */
static bool is_left(struct span rest)
{
	static const char *const subjects[] = {"he", "her", "his", "i", "it", "its", "my", "one",
	        "our", "she", "that", "the", "their", "there", "they", "this", "we", "you"};
	const char *end = rest.data + rest.len, *comma = end;
	while (comma > rest.data && !strchr(",;", comma[-1])) {
		comma--;
	}
	if (comma == rest.data) {
		return false;
	}
	struct span clause = span_between(comma, end), word, first = {0};
	if (span_same(span_trim(clause), "so")) {
		return true; /* the value itself comes next */
	}
	while (word_next(&clause, &word)) {
		if (IN(word, saying)) {
			return false;
		}
		first = first.len || IN(word, openers) ? first : word;
	}
	return IN(first, subjects);
}

/* What opens the value's formula or emphasis belongs to the value. */
static struct span without_marks(struct span s)
{
	while (s.len && !is_word(s.data[s.len - 1]) && s.data[s.len - 1] != ')') {
		s.len--;
	}
	return s;
}

/* Whether the words up to the next comma name a case, or somebody. */
static bool names_any(struct span rest)
{
	struct span word, before = rest;
	while (word_next(&rest, &word) && !is_between(before, word, ",;:")) {
		if (!IN(word, no_case)) {
			return true;
		}
		before = rest;
	}
	return false;
}

/* What begins a clause with `word` tells whose it is, or of what: "for part a", "according to Bob", "part a". */
static bool begins_case(struct span word, struct span rest)
{
	static const char *const leading[] = {"according", "before", "for", "per", "without"};
	static const char *const parts[] = {
	        "case", "exercise", "part", "problem", "question", "round", "scenario", "step"};
	struct span next;
	if (IN(word, leading)) {
		return names_any(rest);
	}
	struct span behind = rest;
	if (!word_next(&behind, &next)) {
		return false;
	}
	/* "On solving this" */
	if (span_same(word, "on")) {
		return names_any(rest) && !ends_in(next, "ing");
	}
	return span_same(word, "in") ? IN(next, parts) : IN(word, parts) && next.len <= NAME_BYTES;
}

struct span attribute_of_lead(struct span lead)
{
	struct span rest = lead, before = lead, word;
	bool begins = true;
	while (word_next(&rest, &word)) {
		begins = begins || is_between(before, word, ",;:");
		if (IN(word, saying)) {
			return without_marks(lead);
		}
		if (begins && begins_case(word, rest)) {
			return without_marks(span_between(word.data, lead.data + lead.len));
		}
		begins = begins && IN(word, openers);
		before = rest;
	}
	return (struct span){0};
}

/* "Adding this to the last result", "from the result above": its clause is about something else. */
static bool is_used(struct span before)
{
	static const char *const using[] = {
	        "as", "because", "by", "from", "given", "if", "since", "when", "with"};
	size_t from = before.len;
	while (from && before.data[from - 1] && !strchr(",;:", before.data[from - 1])) {
		from--;
	}
	struct span clause = span_from(before, from), word = {0};
	while (word_next(&clause, &word) && IN(word, openers) && !span_same(word, "as")) {
	}
	return IN(word, using) || ends_in(word, "ing");
}

/* The last "answer" or a form of it, or else the last result. */
static struct span find_noun(struct span before)
{
	static const char *const nouns[] = {"response", "result", "solution"};
	struct span rest = before, word, answer = {0}, noun = {0};
	while (word_next(&rest, &word)) {
		answer = span_starts_nocase(word, "answer") ? word : answer;
		noun = IN(word, nouns) ? word : noun;
	}
	return answer.len ? answer : noun;
}

struct span attribute_of_answer(struct span before)
{
	static const char *const doing[] = {"can", "i", "let's", "now", "to", "we", "you"};
	static const char opener[] = "first,";
	before = span_from(before, span_starts_nocase(before, opener) ? strlen(opener) : 0);
	struct span noun = find_noun(before);
	if (!noun.len) {
		return (struct span){0};
	}
	size_t at = (size_t)(noun.data - before.data), n = strlen("answer");
	bool is_answer = span_starts_nocase(noun, "answer"), several = is_answer && noun.len > n;
	struct span rest = span_from(before, at + (is_answer ? n : noun.len));
	struct span word = word_before(before, at);
	/* "To answer", "as a result" */
	bool other = is_answer ? IN(word, doing) : span_same(word, "a");
	if (!is_answer && (is_left(rest) || is_used((struct span){before.data, at}))) {
		return attribute_of_lead((struct span){before.data, at});
	}
	if (!other && (several || !goes_on(rest, is_answer)) && (several || !is_left(rest))) {
		return without_marks(span_from(before, at));
	}
	bool named = !other && !span_same(word, "an") && doubt_names(before, at);
	if (named || doubt_before(before, at)) {
		return without_marks(before);
	}
	return other ? (struct span){0} : attribute_of_lead((struct span){before.data, at});
}
