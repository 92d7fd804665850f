#include "capture/formats/sniff.h"

#include <string.h>

#include "base/byte_order_mark.h"
#include "base/json.h"

/* Collects the keys of the first value. If the examined bytes end within it, these are its first
 * keys. */
static void scan(struct sniff *s, struct span text)
{
	struct json j;
	struct json_token t = json_begin_lenient(&j, text);
	for (; t.type != JSON_TOKEN_ERROR && t.type != JSON_TOKEN_END; t = json_next(&j)) {
		if (t.type == JSON_TOKEN_KEY && j.depth <= SNIFF_DEPTH && s->n < SNIFF_KEYS) {
			s->keys[s->n++] = (struct sniff_key){j.depth, json_token_raw(&t)};
		}
	}
}

void sniff_bytes(struct sniff *s, struct span begin)
{
	*s = (struct sniff){0};
	buf_append_span(&s->begin, begin);
	scan(s, buf_span(&s->begin));
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
