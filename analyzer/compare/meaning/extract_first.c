#include "analyzer/compare/meaning/extract_first.h"

#include <string.h>

#include "analyzer/compare/meaning/doubt.h"
#include "analyzer/compare/meaning/sentence.h"
#include "analyzer/compare/meaning/word.h"
#include "base/letters.h"

#define FRAGMENT_WORDS 8 /* "Yes, with a permit": a sentence of its own has more */
#define FEW_WORDS 3      /* "Yes, every Sunday" */
#define NUMBER_WORDS 5   /* "Yes, 2 days with a permit" */

static size_t word_length(struct span s)
{
	size_t n = 0;
	while (n < s.len && (is_letter(s.data[n]) || (n && s.data[n] == '\''))) {
		n++;
	}
	return n;
}

/* Another line has its own yes or no: one of several answers. */
static bool lists_another(struct span rest)
{
	bool starts = false, yes;
	for (size_t i = 0; i < rest.len; i++) {
		bool letter = is_letter(rest.data[i]);
		struct span word = span_from(rest, i);
		if (starts && letter &&
		        value_is_boolean((struct span){word.data, word_length(word)}, &yes)) {
			return true;
		}
		/* Behind a number or a dash, a line still begins. */
		starts = rest.data[i] == '\n' || (starts && !letter);
	}
	return false;
}

/* "Yes, it isn't", "Yes, if it rains": not the yes alone. A no is often said once more. */
static bool is_qualified(struct span said, bool yes)
{
	static const char *const nots[] = {"not", "neither", "nor", "never", "none", "nothing",
	        "nobody", "cannot", "impossible"};
	for (size_t i = 0, n; i < said.len; i += MAX(n, (size_t)1)) {
		bool other;
		n = word_length(span_from(said, i));
		struct span word = {said.data + i, n};
		bool negated = n > 3 && span_is_nocase(span_from(word, n - 3), "n't");
		if ((n && value_is_boolean(word, &other) && other != yes) ||
		        (yes && (negated || span_in(word, nots, ARRAY_LEN(nots))))) {
			return true;
		}
	}
	return doubt_limits(said);
}

static bool begins_with_number(struct span s)
{
	return s.len && is_digit(*s.data);
}

/* What is said behind a yes is a part of it: a case that it holds in. joined: no sentence has ended before it. */
static bool is_fragment(struct span said, bool joined)
{
	size_t n = word_count(said);
	/* "Yes. In 1969, ..." begins a sentence of its own. */
	if (n <= FRAGMENT_WORDS && doubt_conditions(said) && (joined || !doubt_is_sentence(said))) {
		return true;
	}
	size_t most = joined ? FEW_WORDS : FEW_WORDS - 1;
	return n <= (begins_with_number(said) ? NUMBER_WORDS : most) && doubt_fragment(said);
}

/* The only line, which is short: more lines are reasons. */
static struct span lone_line(struct span s)
{
	while (s.len && !is_word(*s.data)) {
		s = span_from(s, 1);
	}
	s = span_trim(s);
	bool lone = s.len && !memchr(s.data, '\n', s.len) && word_count(s) <= FRAGMENT_WORDS;
	return (struct span){s.data, lone ? s.len : 0};
}

/* What follows a yes, from the mark behind it on: what is said with it, on the same line, or all that is said. */
static struct span said_behind(struct span rest)
{
	size_t at = 0;
	while (at < rest.len && rest.data[at] && rest.data[at] != '\n' && !is_word(rest.data[at])) {
		at++;
	}
	struct span line = sentence_first(span_from(rest, at), SIZE_MAX);
	return line.len ? line : lone_line(span_from(rest, at));
}

bool extract_first(struct span words, enum question q, struct extract *ret)
{
	size_t n = word_letters(words, 0).len;
	if (n == words.len || !words.data[n] || !strchr(".,;:!\n", words.data[n])) {
		return false;
	}
	struct span first = {words.data, n}, rest = span_from(words, n);
	bool yes, joined = !strchr(".!\n", words.data[n]);
	if (!value_is_boolean(first, &yes) || doubt_behind(rest)) {
		return false;
	}
	ret->source = SOURCE_FIRST;
	value_read(first, q, false, &ret->value);
	ret->said = said_behind(rest);
	ret->others = is_fragment(ret->said, joined) || lists_another(rest) ||
	              is_qualified(ret->said, yes);
	return true;
}
