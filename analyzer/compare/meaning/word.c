#include "analyzer/compare/meaning/word.h"

#include "base/letters.h"

/* A hyphen or an apostrophe parts no word that goes on behind it. */
static bool belongs(struct span s, size_t i)
{
	bool joins = s.data[i] == '\'' || s.data[i] == '-';
	return is_word(s.data[i]) ||
	       (joins && i && i + 1 < s.len && is_word(s.data[i - 1]) && is_word(s.data[i + 1]));
}

struct span word_at(struct span s, size_t at)
{
	size_t n = 0;
	while (at + n < s.len && (n ? belongs(s, at + n) : is_word(s.data[at]))) {
		n++;
	}
	return (struct span){s.data + at, n};
}

bool word_next(struct span *rest, struct span *ret)
{
	size_t at = 0;
	while (at < rest->len && !is_word(rest->data[at])) {
		at++;
	}
	*ret = word_at(*rest, at);
	*rest = span_from(*rest, at + ret->len);
	return ret->len > 0;
}

struct span word_before(struct span s, size_t at)
{
	while (at && !is_word(s.data[at - 1]) && s.data[at - 1] != '\n') {
		at--;
	}
	size_t from = at;
	while (from && belongs((struct span){s.data, at}, from - 1)) {
		from--;
	}
	return (struct span){s.data + from, at - from};
}

struct span word_letters(struct span s, size_t at)
{
	size_t n = 0;
	while (at + n < s.len && is_letter(s.data[at + n])) {
		n++;
	}
	return (struct span){s.data + at, n};
}

size_t word_count(struct span s)
{
	size_t n = 0;
	for (size_t i = 0; i < s.len; i++) {
		n += !is_space(s.data[i]) && (i + 1 == s.len || is_space(s.data[i + 1]));
	}
	return n;
}

size_t word_split(struct span s, size_t most, struct span *ret)
{
	size_t n = 0;
	for (s = span_trim(s); s.len && n <= most; s = span_trim(s)) {
		size_t len = 0;
		while (len < s.len && !is_space(s.data[len])) {
			len++;
		}
		ret[n++] = (struct span){s.data, len};
		s = span_from(s, len);
	}
	return n;
}
