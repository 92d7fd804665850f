#include "answers/json_repair.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* \ud800 to \udbff: the first half of a character, at p. */
static bool is_high_surrogate(const char *p)
{
	return p[1] == 'u' && (p[2] | 0x20) == 'd' && strchr("89aAbB", p[3]);
}

/* Returns the end of the last whole character if the text ends within a string; else SIZE_MAX. */
static size_t string_end(struct span text)
{
	bool in_string = false;
	size_t high_from = 0,
	       high_end = 0; /* a high surrogate whose second half has not come yet */
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == '"') {
			in_string = !in_string;
		} else if (in_string && text.data[i] == '\\') {
			size_t from = high_end == i ? high_from : i;
			size_t end = i + (i + 1 < text.len && text.data[i + 1] == 'u' ? 6 : 2);
			if (end > text.len) {
				return from;
			}
			high_end = from == i && is_high_surrogate(text.data + i) ? end : 0;
			high_from = i;
			i = end - 1;
		}
	}
	if (!in_string) {
		return SIZE_MAX;
	}
	if (high_end == text.len) {
		return high_from;
	}
	size_t lead = text.len;
	while (lead && text.len - lead < 4 && ((unsigned char)text.data[lead - 1] & 0xc0) == 0x80) {
		lead--;
	}
	if (lead && (unsigned char)text.data[lead - 1] >= 0xc0) {
		const char *p = text.data + lead - 1;
		return utf8_length(p, text.data + text.len) ? text.len : lead - 1;
	}
	return text.len;
}

struct span json_repair_cut(struct span text, struct buf *repaired)
{
	size_t n = string_end(text);
	if (n == SIZE_MAX) {
		return text;
	}
	buf_clear(repaired);
	buf_append(repaired, text.data, n);
	buf_append_char(repaired, '"');
	return buf_span(repaired);
}
