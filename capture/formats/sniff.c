#include "capture/formats/sniff.h"

#include <string.h>

#include "base/byte_order_mark.h"

/* Returns the end of the string that begins at `at`; len if it does not end. */
static size_t end_of_string(struct span s, size_t at)
{
	for (size_t i = at + 1; i < s.len; i++) {
		if (s.data[i] == '\\') {
			i++;
		} else if (s.data[i] == '"') {
			return i + 1;
		}
	}
	return s.len;
}

static bool is_key(struct span s, size_t at)
{
	while (at < s.len && strchr(" \t\r\n", s.data[at]) && s.data[at]) {
		at++;
	}
	return at < s.len && s.data[at] == ':';
}

static void scan(struct sniff *s, struct span text)
{
	unsigned depth = 0;
	bool any = false;
	for (size_t i = 0; i < text.len && !(any && depth == 0); i++) {
		char c = text.data[i];
		if (c == '"') {
			size_t end = end_of_string(text, i);
			if (depth > 0 && depth <= SNIFF_DEPTH && s->n < SNIFF_KEYS &&
			        is_key(text, end)) {
				s->keys[s->n++] =
				        (struct sniff_key){depth, {text.data + i + 1, end - i - 2}};
			}
			i = end - 1;
		} else if (c == '[' || c == '{') {
			depth++;
			any = true;
		} else if (c == ']' || c == '}') {
			depth -= depth > 0;
		} else if (c == '\n' && depth == 0 && any) {
			break;
		}
	}
}

void sniff_file(struct sniff *s, FILE *file)
{
	*s = (struct sniff){0};
	char *to = buf_reserve(&s->begin, SNIFF_SIZE);
	s->begin.len = fread(to, 1, SNIFF_SIZE, file);
	rewind(file);
	buf_consume(&s->begin, byte_order_mark(to, s->begin.len));
	scan(s, buf_span(&s->begin));
}

bool sniff_has(const struct sniff *s, unsigned depth, const char *name)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->keys[i].depth == depth && span_is(s->keys[i].name, name)) {
			return true;
		}
	}
	return false;
}

void sniff_finish(struct sniff *s)
{
	buf_finish(&s->begin);
}
