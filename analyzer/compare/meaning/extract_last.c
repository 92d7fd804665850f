#include "analyzer/compare/meaning/extract_last.h"

#include <string.h>

#include "analyzer/compare/meaning/attribute.h"
#include "analyzer/compare/meaning/sentence.h"
#include "base/letters.h"

#define MENTIONS_MAX 200

struct walk {
	const char *begin, *p, *end;
	const char *word; /* the last word before the number */
	size_t word_len;
	bool concludes; /* the sentence has said "=", "is", "total", ... */
	bool later;     /* doubts since the last number */
	bool doubts;    /* ... "if", "not", "wrong", ... */
	bool counted;   /* the sentence has named the last number */
	size_t since;   /* numbers since the sentence's last cue */
	bool told;      /* a cue led to a number before, and no sum or conclusion came since */
	bool spoke;     /* a word came before */
	bool english; /* and is English, if one did: else nobody can tell that there is no "not" */
};

static bool is_cue(struct span w)
{
	static const char *const cues[] = {"is", "are", "equals", "total", "therefore", "thus",
	        "so", "hence", "gives", "get", "has", "have", "costs", "left", "answer", "was",
	        "makes"};
	return span_in(w, cues, ARRAY_LEN(cues));
}

/* These begin a result; the others of them tell of anybody's number. */
static bool is_conclusion(struct span w)
{
	static const char *const words[] = {
	        "total", "therefore", "thus", "so", "hence", "answer", "altogether"};
	return span_in(w, words, ARRAY_LEN(words));
}

static bool is_english(struct span w)
{
	static const char *const words[] = {"the", "she", "he", "it", "they", "there", "you", "we",
	        "each", "her", "his", "their", "takes", "will", "is", "are"};
	return span_in(w, words, ARRAY_LEN(words));
}

/* What makes a sentence no statement of a result; a number in words that were not read among it. */
static bool is_doubt(struct span w)
{
	static const char *const words[] = {"if", "whether", "not", "no", "nor", "neither", "never",
	        "wrong", "incorrect", "suppose", "assume", "unless", "maybe", "perhaps", "possibly",
	        "probably", "may", "might", "could", "can", "cannot", "would", "should", "doubt",
	        "unlikely", "impossible", "isn", "aren", "doesn", "don", "wasn", "won", "wouldn",
	        "least", "most", "than", "too", "half", "twice", "double", "dozen", "hundred",
	        "hundreds", "thousand", "thousands", "million", "millions", "root", "squared",
	        "cubed", "factorial", "coprime", "denies", "digits", "divisible", "factor", "false",
	        "logarithm", "multiple", "reciprocal", "percent", "hmm", "alternatively",
	        "however"};
	return span_in(w, words, ARRAY_LEN(words));
}

/* Right before a number: it is another one that is meant. */
static bool is_rough(struct span w)
{
	static const char *const words[] = {"about", "above", "almost", "approximately", "around",
	        "below", "between", "beyond", "exceeds", "maximum", "minimum", "minus", "nearly",
	        "by", "from", "triple", "negative", "over", "plus", "roughly", "some", "times",
	        "under", "until", "within"};
	return span_in(w, words, ARRAY_LEN(words));
}

/* "12 is too small", but "12 is the answer": a number that something is said of is no result. */
static bool is_subject(struct span s)
{
	static const char *const verbs[] = {" is ", " are ", " was ", " were ", " has ", " have ",
	        " does ", " seems ", " works", " isn't"};
	static const char *const results[] = {"the answer", "the final answer",
	        "the correct answer", "the result", "the solution", "the total", "the sum",
	        "our answer", "correct", "right"};
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		if (!span_starts_nocase(s, verbs[i])) {
			continue;
		}
		struct span what = span_from(s, strlen(verbs[i]));
		for (size_t k = 0; k < ARRAY_LEN(results); k++) {
			if (i < 4 && span_starts_nocase(what, results[k])) {
				return false;
			}
		}
		return true;
	}
	return false;
}

/* "Step 3" and its like number something else. */
static bool is_label(struct span w)
{
	static const char *const labels[] = {"step", "part", "question", "section", "example",
	        "figure", "chapter", "page", "line", "case", "problem", "equation", "table",
	        "option", "no", "number", "item", "point", "note", "steps", "version", "day"};
	return span_in(w, labels, ARRAY_LEN(labels));
}

/* A number in words; "one" is a pronoun as often. */
static size_t read_words(struct span s, struct number *ret)
{
	size_t n = number_read(s, ret);
	bool one = n == 3 && span_is_nocase((struct span){s.data, n}, "one");
	return n && !one && (n == s.len || !is_word(s.data[n])) ? n : 0;
}

static void take_word(struct walk *w, struct span word)
{
	bool cue = is_cue(word), doubt = is_doubt(word);
	w->word = word.data;
	w->word_len = word.len;
	w->concludes |= cue;
	w->since = cue ? 0 : w->since;
	w->told = w->told && !is_conclusion(word);
	w->english = is_english(word) || (w->english && w->spoke);
	w->spoke = true;
	w->doubts |= doubt;
	w->later |= doubt;
}

static void take_sign(struct walk *w, char c)
{
	bool ends = c == '\n' || ((c == '.' || c == '!' || c == '?') &&
	                                 (w->p + 1 == w->end || is_space(w->p[1])));
	w->later |= c == '?' && w->counted;
	w->counted &= !ends;
	w->concludes = (w->concludes && !ends) || c == '=';
	w->since = ends || c == '=' ? 0 : w->since;
	w->told = w->told && !ends && c != '=';
	w->doubts &= !ends;
	w->word_len = c == ' ' || c == '#' ? w->word_len : 0;
}

/* The next number; *ret_from is where it begins. A minus after a word or number is no sign. */
static bool next_number(struct walk *w, const char **ret_from, struct number *ret)
{
	while (w->p < w->end) {
		char c = *w->p;
		const char *before = w->p > w->begin ? w->p - 1 : NULL;
		bool free = !before || !(is_word(*before) || *before == '.' || *before == ',');
		bool sign = c == '-' && w->p + 1 < w->end && is_digit(w->p[1]) && free &&
		            !(before && strchr(")]}", *before));
		if ((is_digit(c) && free) || sign) {
			size_t n = number_read(span_between(w->p, w->end), ret);
			*ret_from = w->p;
			/* What goes on is a code, a date, a version: passed over whole. */
			const char *after = w->p + MAX(n, (size_t)1);
			bool whole =
			        n && (after == w->end || !is_word(*after) || is_letter(*after));
			while (after < w->end && is_word(*after)) {
				after++;
			}
			w->p = after;
			if (whole) {
				return true;
			}
			continue;
		}
		if (is_letter(c) && (!before || !is_word(*before))) {
			size_t n = 1;
			while (w->p + n < w->end && is_word(w->p[n])) {
				n++;
			}
			size_t spelt = read_words(span_between(w->p, w->end), ret);
			if (spelt) {
				*ret_from = w->p;
				w->p += spelt;
				return true;
			}
			take_word(w, (struct span){w->p, n});
			w->p += n;
			continue;
		}
		take_sign(w, c);
		w->p++;
	}
	return false;
}

/* "She lost 5", "she has 5": what happened to them, by the last verb before them in their sentence. */
static size_t change_of(const char *begin, const char *at)
{
	static const char *const having[] = {"are", "equals", "gives", "had", "has", "have", "is",
	        "keeps", "left", "makes", "owns", "remain", "remains", "was", "were"};
	static const char *const changes[][2] = {{"lost", "loses"}, {"sold", "sells"},
	        {"gave", "giving"}, {"spent", "spends"}, {"ate", "eats"}, {"used", "uses"},
	        {"bought", "buys"}, {"gained", "gains"}, {"found", "finds"},
	        {"received", "receives"}, {"earned", "earns"}, {"won", "wins"}, {"added", "adds"},
	        {"removed", "removes"}, {"took", "takes"}, {"saved", "saves"}, {"paid", "pays"},
	        {"broke", "breaks"}, {"baked", "bakes"}};
	const char *p = at;
	while (p > begin && !strchr("\n!?=", p[-1]) && !(p[-1] == '.' && is_space(*p))) {
		const char *end = p;
		while (p > begin && is_letter(p[-1])) {
			p--;
		}
		struct span word = span_between(p, end);
		if (word.len == 0) {
			p--;
		} else if (span_in(word, having, ARRAY_LEN(having))) {
			return 0;
		}
		for (size_t i = 0; i < ARRAY_LEN(changes) && word.len; i++) {
			if (span_in(word, changes[i], 2)) {
				return i + 1;
			}
		}
	}
	return 0;
}

/* A "-" or a currency at once before the number is a part of it; "C$" is another currency. */
static const char *with_sign(const char *begin, const char *at)
{
	static const char *const signs[] = {"$", "€", "£", "¥", "₹"};
	const char *from = at;
	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		size_t n = strlen(signs[i]);
		if ((size_t)(at - begin) >= n && memcmp(at - n, signs[i], n) == 0) {
			from = at - n;
		}
	}
	bool minus = from < at && from > begin && from[-1] == '-' &&
	             (from - 1 == begin || !is_word(from[-2]));
	return from - minus;
}

/* "x" of "x = 5", if the number is at `at`. */
static struct span variable_before(const char *begin, const char *at)
{
	const char *p = at;
	for (int i = 0; i < 2; i++) {
		while (p > begin && is_blank(p[-1])) {
			p--;
		}
		if (i == 0 && (p == begin || *--p != '=')) {
			return (struct span){0};
		}
	}
	bool lone = p > begin && is_latin(p[-1]) && (p - 1 == begin || is_blank(p[-2]));
	return lone ? (struct span){p - 1, 1} : (struct span){0};
}

/* What stands before it makes it another one: a bound, a root, a power, a sign that stands apart. */
static bool is_operand(const char *begin, const char *at)
{
	static const char *const signs[] = {
	        "≤", "≥", "≠", "±", "∓", "√", "≈", "∼", "×", "÷", "·", "∝", "≡"};
	bool joined = at > begin && (is_word(at[-1]) || at[-1] == '.');
	while (at > begin &&
	        (is_blank(at[-1]) || (at[-1] == '*' && at - begin > 1 && at[-2] == '*'))) {
		at -= at[-1] == '*' ? 2 : 1;
	}
	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		size_t n = strlen(signs[i]);
		if ((size_t)(at - begin) >= n && memcmp(at - n, signs[i], n) == 0) {
			return true;
		}
	}
	bool called = at - begin > 1 && at[-1] == '(' && is_word(at[-2]);
	return joined || called || (at > begin && at[-1] && strchr("<>^/+-*~%_|", at[-1]));
}

/* An inch or a foot, not a quotation. */
static bool is_primed(const char *begin, const char *at, const char *to, const char *end)
{
	bool mark = to < end && (*to == '"' || *to == '\'');
	return mark && !(at > begin && at[-1] == *to);
}

bool extract_last(struct span words, struct extract *ret)
{
	struct walk w = {.begin = words.data,
	        .p = words.data,
	        .end = words.data + words.len,
	        .english = true};
	struct number number, last;
	const char *from, *at = NULL, *to = NULL;
	bool concludes = false, doubts = false;
	size_t n = 0;
	while (next_number(&w, &from, &number)) {
		n++;
		w.since++;
		struct span word = {w.word, w.word_len};
		bool cued = w.concludes && w.since == 1 && !w.told;
		w.told |= cued;
		/* "For the two": in words, only what is said to be so. */
		if (!is_label(word) && (!is_letter(*from) || is_cue(word))) {
			last = number;
			at = from;
			to = w.p;
			concludes = cued;
			doubts = w.doubts || is_rough(word);
			w.later = false;
			w.counted = true;
		}
		w.word_len = 0;
	}
	if (!at) {
		return false;
	}
	*ret = (struct extract){.source = SOURCE_LAST, .words = words};
	at = with_sign(words.data, at);
	ret->cued = concludes;
	ret->change = change_of(words.data, at);
	ret->said = sentence_around(words, at);
	ret->attribute = attribute_of_answer(span_between(ret->said.data, at));
	ret->concluded = (concludes || (n == 1 && w.english)) && !doubts && !w.later &&
	                 !is_operand(words.data, at) && !is_primed(words.data, at, to, w.end) &&
	                 !is_subject(span_between(to, w.end));
	size_t len = quantity_read(span_between(at, w.end), &ret->value.quantity);
	if (!len) {
		/* What follows makes it another one, which was not understood. */
		ret->concluded = false;
		ret->value.quantity = (struct quantity){.number = last};
		len = (size_t)(to - at);
	}
	ret->value.kind = VALUE_NUMBER;
	ret->value.text = (struct span){at, len};
	ret->value.variable = variable_before(words.data, at);
	return true;
}

bool extract_last_mentions(struct span words, const struct number *number)
{
	struct walk w = {.begin = words.data, .p = words.data, .end = words.data + words.len};
	struct number other;
	const char *from;
	for (size_t n = 0; next_number(&w, &from, &other); n++) {
		if (n == MENTIONS_MAX || number_agreement(number, &other, true) != AGREE_CHANGED) {
			return true;
		}
	}
	return false;
}
