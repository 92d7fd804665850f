#include "analyzer/meaning/prose_marks.h"

#include <string.h>

#include "base/letters.h"

#define SYMBOL_MARKS 4 /* that are looked at */

const bool prose_marks_closing[256] = {['.'] = true,
        [','] = true,
        [';'] = true,
        [':'] = true,
        ['!'] = true,
        ['?'] = true,
        ['"'] = true,
        ['\''] = true};

static bool has_word(struct span s)
{
	for (size_t i = 1; i < s.len; i++) {
		if (is_letter(s.data[i]) && is_letter(s.data[i - 1])) {
			return true;
		}
	}
	return false;
}

size_t prose_marks_of_symbol(struct span s, bool quoted)
{
	char mark = s.data[s.len - 1];
	size_t n = s.len;
	while (n && s.len - n < SYMBOL_MARKS && s.data[n - 1] == mark) {
		n--;
	}
	if (n == 0 || !strchr("!'\"", mark) || (mark != '!' && quoted)) {
		return 0;
	}
	char last = s.data[n - 1], before = n > 1 ? s.data[n - 2] : ' ';
	/* "The answer is B!" */
	bool shout = mark == '!' && is_upper(last);
	bool lone = !shout && is_latin(last) && !is_word(before) && before != '\'' && before != '.';
	bool pronoun = last == 'I' && n == 1;
	bool group = mark == '!' && last == ')' && !has_word(s);
	bool command = mark == '!' && *s.data == ':'; /* an editor's ":wq!" */
	return is_digit(last) || (lone && !pronoun) || group || command ? s.len - n : 0;
}

bool prose_marks_count(struct span run, struct span end)
{
	return memmem(end.data, end.len, "..", 2) || span_is(run, ".") || span_is(run, "!!");
}
