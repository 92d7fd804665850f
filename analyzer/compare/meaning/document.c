#include "analyzer/compare/meaning/document.h"

#include "base/letters.h"
#include "analyzer/compare/meaning/prose.h"
#include "base/json.h"
#include "reading/canonical.h"

#define SENTENCE_WORDS 4

bool document_is(struct span text)
{
	struct json j;
	json_init(&j, text.data, text.len);
	struct json_token first = json_next(&j);
	return json_skip(&j, &first).len && json_next(&j).type == JSON_END;
}

static bool canonical_of(struct canonical *c, struct span text, struct span *ret)
{
	struct json j;
	json_init(&j, text.data, text.len);
	struct json_token first = json_next(&j);
	*ret = canonical_value(c, &j, &first);
	return ret->len && json_next(&j).type == JSON_END;
}

static size_t words(struct span s)
{
	size_t n = 0;
	for (size_t i = 0; i < s.len; i++) {
		n += !is_space(s.data[i]) && (i + 1 == s.len || is_space(s.data[i + 1]));
	}
	return n;
}

static enum agreement compare_strings(const struct json_token *a, const struct json_token *b)
{
	struct buf x = {0}, y = {0};
	enum agreement agreement = AGREE_CHANGED;
	json_unescape(a, &x);
	json_unescape(b, &y);
	if (words(buf_span(&x)) >= SENTENCE_WORDS && words(buf_span(&y)) >= SENTENCE_WORDS) {
		struct prose_difference d;
		/* The same words in another dress are still another text in a document. */
		agreement =
		        MAX(prose_agreement_of(buf_span(&x), buf_span(&y), &d), AGREE_UNDECIDED);
	}
	buf_finish(&x);
	buf_finish(&y);
	return agreement;
}

/* Both in canonical form, so that their tokens pair off as long as their shapes agree. */
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
		if (s.type == JSON_END || s.type == JSON_ERROR) {
			return agreement;
		}
		if (!span_equal((struct span){s.start, s.len}, (struct span){t.start, t.len}) &&
		        s.type != JSON_OBJECT && s.type != JSON_ARRAY) {
			enum agreement here =
			        s.type == JSON_STRING ? compare_strings(&s, &t) : AGREE_CHANGED;
			agreement = MAX(agreement, here);
		}
		if (agreement == AGREE_CHANGED) {
			return agreement;
		}
	}
}

enum agreement document_agreement(struct span a, struct span b)
{
	struct canonical x = {0}, y = {0};
	struct span s, t;
	enum agreement agreement = AGREE_UNDECIDED;
	if (canonical_of(&x, a, &s) && canonical_of(&y, b, &t)) {
		agreement = span_equal(s, t) ? AGREE_SAME : walk(s, t);
		/* Readers differ in which of two members with one key they take. */
		agreement = x.repeats || y.repeats ? MAX(agreement, AGREE_UNDECIDED) : agreement;
	}
	canonical_finish(&x);
	canonical_finish(&y);
	return agreement;
}
