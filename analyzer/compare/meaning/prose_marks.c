#include "analyzer/compare/meaning/prose_marks.h"

#include <string.h>

#include "base/letters.h"

#define SYMBOL_MARKS 4 /* that are looked at */
#define SHORTENED_MAX 4
#define NAME_BYTES 32

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

bool prose_marks_shorten(struct span word, struct span end)
{
	if (!span_is(end, ".") || word.len < 2 || word.len > SHORTENED_MAX ||
	        !is_upper(*word.data)) {
		return false;
	}
	for (size_t i = 0; i < word.len; i++) {
		if ((i && !is_lower(word.data[i])) || strchr("aeiouyAEIOUY", word.data[i])) {
			return false;
		}
	}
	return true;
}

/* Another letter than ASCII's may be one: nothing is known of it. */
static bool is_capital(char c)
{
	return is_upper(c) || (unsigned char)c & 0x80;
}

/* A word with a capital, or an ordinal, ends at `end` or before marks there, and is no article. */
static bool ends_name(const char *begin, const char *end)
{
	const char *from = end;
	while (from > begin && end - from < NAME_BYTES && from[-1] && strchr("\"')],", from[-1])) {
		from--;
	}
	end = from;
	while (from > begin && end - from < NAME_BYTES && is_word(from[-1])) {
		from--;
	}
	struct span word = span_between(from, end);
	bool whole = from == begin || !is_word(from[-1]);
	bool name = word.len && (is_capital(*word.data) || is_digit(*word.data));
	return word.len > 1 && whole && name && !span_is(word, "The");
}

/* White space, then a word with a capital, a number, or what opens a quotation or a bracket. */
static bool begins_name(struct span behind)
{
	return behind.len > 1 && is_space(*behind.data) &&
	       (is_capital(behind.data[1]) || is_digit(behind.data[1]) ||
	               (behind.data[1] && strchr("\"'([", behind.data[1])));
}

bool prose_marks_may_end(struct span text, struct span run, struct span word)
{
	static const char *const titles[] = {"mr", "mrs", "ms", "mt"};
	const char *at = run.data, *end = text.data + text.len;
	bool apart = at - text.data > 1 && is_space(at[-1]);
	/* "On Monday, Dr. Watson came" */
	bool title = apart && at[-2] == ',' && span_same(word, "dr");
	return apart && !title && begins_name(span_between(run.data + run.len, end)) &&
	       ends_name(text.data, at - 1) && !span_in(word, titles, ARRAY_LEN(titles));
}

static inline bool is_dash(const char *at, const char *end)
{
	return *at == '\xe2' && span_starts(span_between(at, end), "—");
}

const char *prose_marks_run_end(const char *at, const char *end)
{
	while (at < end && !is_space(*at) && !is_dash(at, end)) {
		at++;
	}
	return at;
}
