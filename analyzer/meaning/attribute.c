#include "analyzer/meaning/attribute.h"

#include <string.h>

#include "analyzer/meaning/doubt.h"
#include "base/letters.h"

/* Behind "answer" they go on to the value, and say nothing of which answer it is. */
static const char *const onward[] = {"as", "be", "becomes", "came", "comes", "equals", "expressed",
        "finally", "hence", "here", "i", "is", "just", "must", "now", "rounded", "rounds",
        "simplified", "simplifies", "simply", "so", "then", "therefore", "thus", "turns", "was",
        "we", "will", "works", "you"};
/* It is the answer to these that is asked for, in such words. */
static const char *const asked[] = {
        "equation", "exercise", "inequality", "problem", "puzzle", "question", "riddle", "task"};
static const char *const pointing[] = {"above", "entire", "given", "it", "our", "original", "that",
        "the", "this", "whole", "your"};
/* "In simplest form" */
static const char *const forms[] = {"decimal", "form", "its", "lowest", "notation", "reduced",
        "simplest", "simplified", "terms"};

/* The next word of *rest, which begins behind it then; empty: another mark is there. */
static struct span next_word(struct span *rest)
{
	while (rest->len && *rest->data && (is_space(*rest->data) || strchr("*_$", *rest->data))) {
		*rest = span_from(*rest, 1);
	}
	size_t n = 0;
	while (n < rest->len && is_letter(rest->data[n])) {
		n++;
	}
	struct span word = {rest->data, n};
	*rest = span_from(*rest, n);
	return word;
}

/* "To the given problem" */
static bool is_asked(struct span rest)
{
	struct span word = next_word(&rest);
	while (span_in(word, pointing, ARRAY_LEN(pointing))) {
		word = next_word(&rest);
	}
	return word.len && span_in(word, asked, ARRAY_LEN(asked));
}

static bool is_form(struct span rest)
{
	struct span word = next_word(&rest), last = {0};
	while (span_in(word, forms, ARRAY_LEN(forms))) {
		last = word;
		word = next_word(&rest);
	}
	return last.len > 0;
}

/* What stands behind it tells which one it is. */
static bool is_told_behind(struct span rest)
{
	if (rest.len && (is_word(*rest.data) || *rest.data == '\'')) {
		return true; /* "answers", "answered" */
	}
	struct span word = next_word(&rest);
	if (word.len == 0) {
		/* "(before rounding)", but "(in lowest terms)" */
		bool opens = rest.len && (*rest.data == '(' || *rest.data == '[');
		struct span inner = span_from(rest, opens);
		return opens && !(span_same(next_word(&inner), "in") && is_form(inner));
	}
	if (span_same(word, "of")) {
		return span_trim(rest).len > 0; /* not "an answer of 12" */
	}
	return !span_in(word, onward, ARRAY_LEN(onward)) &&
	       !(span_same(word, "to") && is_asked(rest)) &&
	       !(span_same(word, "in") && is_form(rest));
}

/* Behind a comma another clause leads to the value: "to find the answer of Bob, we add". */
static bool is_left(struct span rest)
{
	static const char *const verbs[] = {
	        "are", "comes", "equals", "has", "is", "must", "says", "was", "will"};
	const char *end = rest.data + rest.len, *comma = end;
	while (comma > rest.data && !strchr(",;", comma[-1])) {
		comma--;
	}
	struct span clause = span_between(comma, end), word = next_word(&clause);
	return comma > rest.data && word.len && !span_in(word, verbs, ARRAY_LEN(verbs));
}

static struct span word_before(struct span s, size_t at)
{
	while (at && !is_word(s.data[at - 1]) && s.data[at - 1] != '\n') {
		at--;
	}
	size_t from = at;
	while (from && is_word(s.data[from - 1])) {
		from--;
	}
	return (struct span){s.data + from, at - from};
}

/* What opens the value's formula or emphasis belongs to the value. */
static struct span without_marks(struct span s)
{
	while (s.len && !is_word(s.data[s.len - 1]) && s.data[s.len - 1] != ')') {
		s.len--;
	}
	return s;
}

struct span attribute_of_answer(struct span before)
{
	static const char *const verbs[] = {"can", "i", "let's", "now", "to", "we", "you"};
	static const char opener[] = "first,";
	before = span_from(before, span_starts_nocase(before, opener) ? strlen(opener) : 0);
	size_t at = before.len;
	for (size_t i = 0; i < before.len; i++) {
		bool begins = i == 0 || !is_word(before.data[i - 1]);
		at = begins && span_starts_nocase(span_from(before, i), "answer") ? i : at;
	}
	if (at == before.len) {
		return (struct span){0};
	}
	struct span rest = span_from(before, at + strlen("answer"));
	struct span word = word_before(before, at);
	bool verb = span_in(word, verbs, ARRAY_LEN(verbs));
	bool several = rest.len && is_word(*rest.data);
	if (!verb && is_told_behind(rest) && (several || !is_left(rest))) {
		return without_marks(span_from(before, at));
	}
	bool named = !verb && !span_same(word, "an") && doubt_names(before, at);
	return named || doubt_before(before, at) ? without_marks(before) : (struct span){0};
}
