#include "analyzer/compare/meaning/format_json.h"

#include <string.h>

#include "answers/canonical.h"
#include "base/ascii.h"
#include "base/json.h"

#define SENTENCE_WORDS 4

bool format_json_is(struct span text)
{
	struct json j;
	struct json_token first = json_begin(&j, text);
	return json_skip(&j, &first).len && json_next(&j).type == JSON_TOKEN_END;
}

/* Returns how many objects and lists are still open at the end of a text that begins with one; 0
 * if none is, or if the text is not JSON up to its end. */
static size_t open_at_end(struct span s)
{
	size_t depth = 0;
	bool string = false;
	for (size_t i = 0; i < s.len; i++) {
		char c = s.data[i];
		if (string) {
			i += c == '\\';
			string = c != '"';
		} else if (c == '{' || c == '[') {
			depth++;
		} else if ((c == '}' || c == ']') && --depth == 0) {
			return 0;
		} else {
			string = c == '"';
		}
	}
	return depth;
}

/* Whether a non-empty object or list begins there. */
static bool begins_json(struct span line)
{
	struct span inside = line.len ? span_trim(span_from(line, 1)) : line;
	return inside.len && ((*line.data == '{' && *inside.data == '"') ||
	                             (*line.data == '[' && (is_any(*inside.data, "\"{[-") ||
	                                                           is_digit(*inside.data))));
}

bool format_json_is_cut(struct span text)
{
	struct span rest = span_trim(text);
	while (rest.len) {
		if (begins_json(rest)) {
			return open_at_end(rest) > 0;
		}
		const char *end = rest.data + rest.len;
		const char *feed = memchr(rest.data, '\n', rest.len);
		rest = span_trim(span_between(feed ? feed : end, end));
	}
	return false;
}

static bool canonical_of(struct canonical *c, struct span text, struct span *ret)
{
	struct json j;
	struct json_token first = json_begin(&j, text);
	*ret = canonical_value(c, &j, &first);
	return ret->len && json_next(&j).type == JSON_TOKEN_END;
}

static size_t count_words(struct span s)
{
	size_t n = 0;
	for (size_t i = 0; i < s.len; i++) {
		n += !is_space(s.data[i]) && (i + 1 == s.len || is_space(s.data[i + 1]));
	}
	return n;
}

/* Unequal strings of several words may have the same meaning. */
static enum agreement compare_strings(struct span a, struct span b)
{
	bool texts = MIN(count_words(a), count_words(b)) >= SENTENCE_WORDS;
	return texts ? AGREE_UNDECIDED : AGREE_CHANGED;
}

/* Both texts are in canonical form, so their tokens correspond one to one while the structures
 * agree. */
static enum agreement walk(struct span a, struct span b)
{
	struct json x, y;
	enum agreement agreement = AGREE_SAME;
	json_init(&x, a.data, a.len);
	json_init(&y, b.data, b.len);
	for (;;) {
		struct json_token s = json_next(&x), t = json_next(&y);
		if (s.type != t.type) {
			return AGREE_CHANGED;
		}
		if (s.type == JSON_TOKEN_END || s.type == JSON_TOKEN_ERROR) {
			return agreement;
		}
		if (!span_equal((struct span){s.start, s.len}, (struct span){t.start, t.len}) &&
		        s.type != JSON_TOKEN_OBJECT && s.type != JSON_TOKEN_ARRAY) {
			enum agreement here =
			        s.type == JSON_TOKEN_STRING
			                ? compare_strings(json_token_raw(&s), json_token_raw(&t))
			                : AGREE_CHANGED;
			agreement = MAX(agreement, here);
		}
		if (agreement == AGREE_CHANGED) {
			return agreement;
		}
	}
}

enum agreement format_json_agreement(struct span a, struct span b)
{
	struct canonical x = {0}, y = {0};
	struct span s, t;
	enum agreement agreement = AGREE_UNDECIDED;
	bool read = canonical_of(&x, a, &s) && canonical_of(&y, b, &t);
	/* If two members have the same key, some readers take the first and some the last. */
	if (read && !x.repeats && !y.repeats) {
		agreement = span_equal(s, t) ? AGREE_SAME : walk(s, t);
		agreement = x.lossy || y.lossy ? MAX(agreement, AGREE_UNDECIDED) : agreement;
	}
	canonical_finish(&x);
	canonical_finish(&y);
	return agreement;
}
