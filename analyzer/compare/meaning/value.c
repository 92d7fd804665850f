#include "analyzer/compare/meaning/value.h"

#include <string.h>

#include "analyzer/compare/meaning/doubt.h"
#include "analyzer/compare/meaning/value_text.h"
#include "analyzer/compare/meaning/word.h"
#include "base/letters.h"

/* "3.14..." */
static bool goes_on(struct span s)
{
	return s.len > 2 && s.data[s.len - 1] == '.' && s.data[s.len - 2] == '.';
}

/* Without quotation marks around it and points behind it. */
static struct span strip(struct span s)
{
	s = span_trim(s);
	for (;;) {
		size_t before = s.len;
		while (s.len && s.data[s.len - 1] && strchr(".,;:!", s.data[s.len - 1]) &&
		        !value_text_is_factorial(s) && !goes_on(s)) {
			s.len--;
		}
		if (s.len > 1 && (*s.data == '"' || *s.data == '\'') &&
		        s.data[s.len - 1] == *s.data) {
			s = (struct span){s.data + 1, s.len - 2};
		}
		s = span_trim(s);
		if (s.len == before) {
			return s;
		}
	}
}

/* "x = 5": the variable, and what it is. */
static struct span read_variable(struct span s, struct value *v)
{
	size_t n = 0;
	while (n < s.len && n < 2 && is_letter(s.data[n])) {
		n++;
	}
	size_t at = n;
	while (at < s.len && s.data[at] == ' ') {
		at++;
	}
	if (n != 1 || at == s.len || s.data[at] != '=' || at + 1 == s.len ||
	        s.data[at + 1] == '=') {
		return s;
	}
	v->variable = (struct span){s.data, n};
	return span_trim(span_from(s, at + 1));
}

/* "as 3 * 4 = 12", and neither "so far" nor "since 1990". */
static bool is_reason(struct span s)
{
	static const char *const none[] = {"as a", "as an", "as far", "as long", "as measured",
	        "so far", "so in total", "so long"};
	for (size_t i = 0; i < ARRAY_LEN(none); i++) {
		if (span_starts_words(s, none[i])) {
			return false;
		}
	}
	static const char *const words[] = {"because", "since", "as", "so"};
	struct span word = word_letters(s, 0), rest = span_trim(span_from(s, word.len));
	bool more = memchr(rest.data, ' ', rest.len) || memchr(rest.data, '=', rest.len);
	return more && !memchr(rest.data, ';', rest.len) && span_in(word, words, ARRAY_LEN(words));
}

/* "the number of boxes": it says once more what the value is of, and of which part or bound it is not. */
static bool is_naming(struct span s)
{
	static const char *const words[] = {"the", "that", "this", "it", "our"};
	static const char *const others[] = {"average", "counted", "excludes", "includes", "most",
	        "least", "negative", "pairs", "per", "positive", "remainder", "times", "unit",
	        "bound", "bounds", "digit", "digits", "dozen", "dozens", "estimate", "first",
	        "guess", "half", "hundreds", "limit", "lower", "maximum", "millions", "minimum",
	        "previous", "tens", "thousands", "upper"};
	struct span word = word_letters(s, 0);
	if (!span_in(word, words, ARRAY_LEN(words))) {
		return false;
	}
	for (size_t i = 0; i < s.len; i += MAX(word.len, (size_t)1)) {
		word = word_letters(s, i);
		if (is_digit(s.data[i]) || span_in(word, others, ARRAY_LEN(others))) {
			return false;
		}
	}
	return true;
}

/* After a value: the end, or a clause that does not change it. "12, remainder 3" and "x = 3, y = 4" say more. */
static bool ends(struct span s, size_t at, bool named)
{
	struct span rest = span_trim(span_from(s, at));
	if (rest.len == 0) {
		return true;
	}
	if (!named || is_reason(rest)) {
		return named;
	}
	if (!*rest.data || !strchr(".,;:(", *rest.data)) {
		return false;
	}
	rest = span_trim(span_from(rest, 1));
	return rest.len == 0 || is_reason(rest) || is_naming(rest);
}

static bool read_number(struct span s, bool named, struct value *v)
{
	struct span rest = read_variable(s, v);
	size_t n = quantity_read(rest, &v->quantity);
	if (n && ends(rest, n, named)) {
		v->text = span_between(s.data, rest.data + n);
		v->kind = VALUE_NUMBER;
		return true;
	}
	v->variable = (struct span){0};
	return false;
}

static bool read_date(struct span s, bool named, struct value *v)
{
	size_t n = date_read(s, &v->date);
	if (n && ends(s, n, named)) {
		v->text.len = n;
		v->kind = VALUE_DATE;
		return true;
	}
	return false;
}

bool value_is_boolean(struct span word, bool *ret_yes)
{
	static const char *const yes[] = {"yes", "true", "correct"}, *const no[] = {"no", "false",
	                                                                     "incorrect"};
	bool is_yes = span_in(word, yes, ARRAY_LEN(yes));
	if (!is_yes && !span_in(word, no, ARRAY_LEN(no))) {
		return false;
	}
	*ret_yes = is_yes;
	return true;
}

static bool read_boolean(struct span s, struct value *v)
{
	if (!value_is_boolean(s, &v->yes)) {
		return false;
	}
	v->kind = VALUE_BOOLEAN;
	v->word = s;
	return true;
}

/* One letter at `at`, marked as an option or not; returns where it ends, 0: none. */
static size_t read_letter(struct span s, size_t at, struct value *v)
{
	bool open = at < s.len && (s.data[at] == '(' || s.data[at] == '[');
	size_t n = at + open;
	if (n >= s.len || !(is_upper(s.data[n]) || (open && is_lower(s.data[n]))) ||
	        (n + 1 < s.len && is_word(s.data[n + 1]))) {
		return 0;
	}
	uint32_t letter = (uint32_t)(to_lower(s.data[n]) - 'a');
	n++;
	bool close = n < s.len && (s.data[n] == ')' || s.data[n] == ']' ||
	                                  (!open && strchr(".:", s.data[n]) && s.data[n]));
	if (open && !close) {
		return 0;
	}
	v->marked |= close;
	v->letters |= 1u << letter;
	v->order = v->order * 27 + letter + 1;
	return n + close;
}

/* "Option B is incorrect", "Option A and option B": not that one alone is named. */
static bool says_more(struct span option)
{
	static const char *const words[] = {"and", "as well", "plus", "then", "through", "are",
	        "can", "cannot", "is", "isn't", "may", "might", "must", "should", "was"};
	enum { JOINING = 5 };
	static const char *const idle[] = {"is correct", "is right", "is the answer", "is the best",
	        "is the correct", "is the right", "is true"};
	for (size_t i = 0; i < ARRAY_LEN(idle); i++) {
		if (span_starts_words(option, idle[i])) {
			return false;
		}
	}
	/* "B. Must be positive" is the option's own text. */
	for (size_t i = 0; i < ARRAY_LEN(words) && option.len; i++) {
		bool own = is_upper(*option.data) && i >= JOINING;
		if (!own && span_starts_words(option, words[i])) {
			return true;
		}
	}
	return option.len && *option.data && strchr("/+", *option.data);
}

/* "B", "(B)", "B. Paris", "A and C". */
static bool read_choice(struct span s, enum question q, struct value *v)
{
	static const char *const before[] = {"option ", "choice ", "answer "};
	static const char *const between[] = {", and ", ", ", " and ", ",", " & "};
	size_t at = 0;
	for (size_t i = 0; i < ARRAY_LEN(before); i++) {
		at = at ? at : span_starts_nocase(s, before[i]) ? strlen(before[i]) : 0;
	}
	v->letters = 0;
	v->order = 0;
	v->marked = at > 0;
	size_t end = read_letter(s, at, v);
	if (!end) {
		return false;
	}
	for (size_t i = 0; i < ARRAY_LEN(between); i++) {
		if (span_starts(span_from(s, end), between[i])) {
			size_t more = read_letter(s, end + strlen(between[i]), v);
			if (more) {
				end = more;
				i = (size_t)-1;
			}
		}
	}
	v->option = span_trim(span_from(s, end));
	if (v->option.len && (!v->marked || q == QUESTION_NUMBER || doubt_opens(v->option) ||
	                             says_more(v->option))) {
		return false;
	}
	v->kind = VALUE_CHOICE;
	return true;
}

void value_read(struct span text, enum question q, bool named, struct value *ret)
{
	struct span s = strip(text);
	*ret = (struct value){.text = s};
	if (s.len == 0) {
		return;
	}
	if ((q == QUESTION_CHOICE && read_choice(s, q, ret)) || read_date(s, named, ret) ||
	        read_number(s, named, ret) || read_choice(s, q, ret) || read_boolean(s, ret)) {
		return;
	}
	ret->kind = VALUE_TEXT;
}

static enum agreement compare_choices(const struct value *a, const struct value *b, enum question q)
{
	bool sure = q == QUESTION_CHOICE || (a->option.len == 0 && b->option.len == 0);
	bool options = a->option.len && b->option.len;
	enum agreement words = options ? value_text_agreement(a->option, b->option) : AGREE_SAME;
	if (a->letters == b->letters) {
		/* "B, A, C" may be an order that was asked for. */
		sure = sure && a->order == b->order;
		return sure && words == AGREE_SAME ? AGREE_SAME : AGREE_UNDECIDED;
	}
	/* The same words under another letter: options that stand in another order? */
	return sure && !(options && words != AGREE_CHANGED) ? AGREE_CHANGED : AGREE_UNDECIDED;
}

/* A number against "5 eggs", a year against a date: kinds that may name the same. */
static enum agreement compare_kinds(const struct value *a, const struct value *b)
{
	bool boolean = a->kind == VALUE_BOOLEAN || b->kind == VALUE_BOOLEAN;
	bool number = a->kind == VALUE_NUMBER || b->kind == VALUE_NUMBER;
	return boolean && number ? AGREE_CHANGED : AGREE_UNDECIDED;
}

enum agreement value_agreement(const struct value *a, const struct value *b, enum question q)
{
	if (a->kind == VALUE_NONE || b->kind == VALUE_NONE) {
		return AGREE_UNDECIDED;
	}
	if (a->kind != b->kind) {
		return compare_kinds(a, b);
	}
	switch (a->kind) {
	case VALUE_NUMBER:
		if (a->variable.len && b->variable.len && !span_equal(a->variable, b->variable)) {
			return AGREE_UNDECIDED;
		}
		return quantity_agreement(&a->quantity, &b->quantity, q != QUESTION_NUMBER);
	case VALUE_DATE:
		return date_agreement(&a->date, &b->date);
	case VALUE_CHOICE:
		return compare_choices(a, b, q);
	case VALUE_BOOLEAN:
		if (a->yes != b->yes) {
			return AGREE_CHANGED;
		}
		return span_equal_nocase(a->word, b->word) ? AGREE_SAME : AGREE_UNDECIDED;
	case VALUE_TEXT:
		return value_text_agreement(a->text, b->text);
	case VALUE_NONE:
	case N_VALUE_KINDS:
		break;
	}
	never("a value of no kind");
}
