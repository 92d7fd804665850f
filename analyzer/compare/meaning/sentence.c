#include "analyzer/compare/meaning/sentence.h"

#include "analyzer/compare/meaning/word.h"
#include "base/letters.h"

#define LINE_MAX 160
#define LINE_WORDS 3 /* "1. Paris" */

/* A point behind it ends no sentence: "St. Louis", "J. Doe", "approx. 5". */
static bool is_shortened(struct span s, size_t end)
{
	static const char *const words[] = {"approx", "apr", "aug", "av", "ave", "bros", "ca",
	        "capt", "cf", "ch", "chas", "co", "col", "dec", "dr", "ed", "eq", "feb", "fig",
	        "ft", "gen", "geo", "gov", "inc", "jan", "jr", "lt", "ltd", "maj", "messrs", "mr",
	        "mrs", "ms", "mt", "no", "nos", "nov", "oct", "op", "pp", "pres", "prof", "rep",
	        "rev", "sec", "sen", "sept", "sgt", "sr", "st", "ste", "thos", "vol", "vs", "wm"};
	size_t from = end;
	while (from && is_word(s.data[from - 1])) {
		from--;
	}
	struct span word = {s.data + from, end - from};
	/* "J. Doe", "10:30 a.m. EST" */
	bool initial = word.len == 1 && (is_upper(*word.data) || (from && s.data[from - 1] == '.'));
	/* "No." is a no, and "No. 5" is not. */
	bool refusal = span_same(word, "no") && !(end + 2 < s.len && is_digit(s.data[end + 2]));
	return initial || (!refusal && span_in(word, words, ARRAY_LEN(words)));
}

/* "1. Paris": the few words that its line goes on with are no sentence. */
static bool is_numbering(struct span s, size_t end)
{
	size_t n = 0, last = end;
	while (n < end && is_digit(s.data[n])) {
		n++;
	}
	while (n == end && last < s.len && last - end <= LINE_MAX && s.data[last] != '\n') {
		last++;
	}
	struct span line = span_trim((struct span){s.data + end, last - end});
	return n == end && line.len > 1 && line.len <= LINE_MAX &&
	       word_count(span_from(line, 1)) <= LINE_WORDS &&
	       !strchr(".!?:)", line.data[line.len - 1]);
}

struct span sentence_first(struct span s, size_t most)
{
	size_t n = 0;
	for (; n < s.len && s.data[n] != '\n'; n++) {
		if (n > most) {
			return (struct span){s.data, n};
		}
		if (s.data[n] == '.' && n + 1 < s.len && s.data[n + 1] == ' ' &&
		        !is_shortened(s, n) && !is_numbering(s, n)) {
			break;
		}
	}
	return span_trim((struct span){s.data, n});
}

struct span sentence_around(struct span words, const char *at)
{
	const char *from = at, *to = at, *end = words.data + words.len;
	while (from > words.data && !strchr("\n!?", from[-1]) &&
	        !(from[-1] == '.' && from < end && is_space(*from))) {
		from--;
	}
	while (to < end && !strchr("\n!?", *to) &&
	        !(*to == '.' && (to + 1 == end || is_space(to[1])))) {
		to++;
	}
	return span_between(from, to);
}
