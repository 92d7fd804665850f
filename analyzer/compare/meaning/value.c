#include "analyzer/compare/meaning/value.h"

#include <string.h>

#include "analyzer/compare/meaning/sentence.h"
#include "base/letters.h"

/* Without the full stop at its end. */
static struct span without_stop(struct span s)
{
	bool stop = s.len > 1 && s.data[s.len - 1] == '.' && s.data[s.len - 2] != '.';
	s.len -= stop;
	return s;
}

/* That of a lone letter or mark may belong to it. */
static bool may_own_stop(struct span s)
{
	char last = s.data[s.len - 1];
	return !is_digit(last) && !is_any(last, ")]%\"'") &&
	       !(is_letter(last) && s.len > 1 && is_word(s.data[s.len - 2]));
}

/* "x = 5": the variable, and what it is. */
static struct span read_variable(struct span s, struct value *v)
{
	size_t at = 1;
	if (s.len < 3 || !is_latin(*s.data)) {
		return s;
	}
	while (at < s.len && s.data[at] == ' ') {
		at++;
	}
	if (at + 1 >= s.len || s.data[at] != '=' || s.data[at + 1] == '=') {
		return s;
	}
	v->variable = (struct span){s.data, 1};
	return span_trim(span_from(s, at + 1));
}

static bool read_number(struct span s, struct value *v)
{
	if (quantity_read(read_variable(s, v), &v->quantity)) {
		v->kind = VALUE_NUMBER;
		return true;
	}
	v->variable = (struct span){0};
	return false;
}

static bool read_date(struct span s, struct value *v)
{
	bool date = date_read(s, &v->date) == s.len;
	v->kind = date ? VALUE_DATE : v->kind;
	return date;
}

bool value_is_boolean(struct span word, bool *ret_yes)
{
	static const char *const yes[] = {"yes", "true", "correct"};
	static const char *const no[] = {"no", "false", "incorrect"};
	*ret_yes = span_in(word, yes, ARRAY_LEN(yes));
	return *ret_yes || span_in(word, no, ARRAY_LEN(no));
}

/* "B", "(B)", "B. Paris"; and "b" where options were listed. */
static bool read_choice(struct span s, enum question q, struct value *v)
{
	bool open = s.len && *s.data == '(';
	size_t n = open;
	bool letter =
	        n < s.len && (is_upper(s.data[n]) || (is_lower(s.data[n]) && q == QUESTION_CHOICE));
	if (!letter) {
		return false;
	}
	v->letter = to_lower(s.data[n++]);
	bool close = n < s.len && s.data[n] && strchr(open ? ")" : ").:", s.data[n]);
	if (open && !close) {
		return false;
	}
	v->option = span_trim(span_from(s, n + close));
	bool apart = close && n + 1 < s.len && s.data[n + 1] == ' ';
	if (v->option.len && !(apart && q == QUESTION_CHOICE)) {
		return false;
	}
	v->kind = VALUE_CHOICE;
	return true;
}

void value_read(struct span text, enum question q, struct value *ret)
{
	struct span whole = span_trim(text), s = without_stop(whole);
	*ret = (struct value){.text = s};
	if (s.len == 0) {
		return;
	}
	if ((q == QUESTION_CHOICE && read_choice(s, q, ret)) || read_date(s, ret) ||
	        read_number(s, ret) || read_choice(s, q, ret)) {
		return;
	}
	ret->kind = value_is_boolean(s, &ret->yes) ? VALUE_BOOLEAN : VALUE_WORDS;
	ret->text = may_own_stop(s) ? whole : s;
}

/* An option's words speak for it alone: they deny nothing and name no other letter. */
static bool is_plain(struct span option)
{
	struct span rest = option, word;
	while ((word = sentence_next_word(&rest)).len) {
		if (sentence_is_negation(word) || (word.len == 1 && is_upper(*word.data))) {
			return false;
		}
	}
	return true;
}

bool value_has_title(const struct value *v)
{
	return v->kind == VALUE_CHOICE && v->option.len && is_upper(*v->option.data) &&
	       is_plain(v->option);
}

static enum agreement compare_choices(const struct value *a, const struct value *b)
{
	bool same_words = span_equal_nocase(a->option, b->option);
	if (a->option.len == 0 && b->option.len == 0) {
		return a->letter == b->letter ? AGREE_SAME : AGREE_CHANGED;
	}
	if (a->option.len == 0 || b->option.len == 0 || !is_plain(a->option) ||
	        !is_plain(b->option)) {
		return AGREE_UNDECIDED;
	}
	/* The same words under another letter: options that stand in another order? */
	return a->letter == b->letter && same_words    ? AGREE_SAME
	       : a->letter != b->letter && !same_words ? AGREE_CHANGED
	                                               : AGREE_UNDECIDED;
}

enum agreement value_agreement(const struct value *a, const struct value *b, enum question q)
{
	if (a->kind == VALUE_NONE || a->kind != b->kind) {
		return AGREE_UNDECIDED;
	}
	switch (a->kind) {
	case VALUE_NUMBER:
		if (!span_equal(a->variable, b->variable)) {
			return AGREE_UNDECIDED;
		}
		return quantity_agreement(&a->quantity, &b->quantity, q != QUESTION_NUMBER);
	case VALUE_DATE:
		return date_agreement(&a->date, &b->date);
	case VALUE_CHOICE:
		return compare_choices(a, b);
	case VALUE_BOOLEAN:
		if (a->yes != b->yes) {
			return AGREE_CHANGED;
		}
		return span_equal_nocase(a->text, b->text) ? AGREE_SAME : AGREE_UNDECIDED;
	case VALUE_WORDS:
		return span_equal(a->text, b->text) ? AGREE_SAME : AGREE_UNDECIDED;
	case VALUE_NONE:
	case N_VALUE_KINDS:
		break;
	}
	never("a value of no kind");
}
