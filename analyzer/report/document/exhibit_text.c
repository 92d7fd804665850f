#include "analyzer/report/document/exhibit_parts.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/report/node.h"
#include "base/utf8.h"

#define NAME_LIMIT 256

/* Returns where to end the text, at most `limit` bytes long, without cutting a character. */
static size_t end_of(struct span s, size_t limit)
{
	size_t end = utf8_cut(s, limit).len;
	/* A run of such bytes is no text at all. */
	return end > 0 ? end : MIN(s.len, limit);
}

json_t *exhibit_text(struct span s, size_t limit, size_t *ret_left)
{
	size_t len = end_of(s, limit);
	if (ret_left) {
		*ret_left = s.len - len;
	}
	bool has_nul = len && memchr(s.data, 0, len);
	json_t *whole = len == 0 ? json_string("") : has_nul ? NULL : json_stringn(s.data, len);
	if (whole) {
		return whole;
	}
	struct buf shown = {0};
	const char *p = s.data, *end = s.data + len;
	while (p < end) {
		size_t n = utf8_length(p, end);
		if (n > 0 && *p) {
			buf_append(&shown, p, n);
		} else {
			buf_printf(&shown, "\\x%02x", (unsigned char)*p);
			n = 1;
		}
		p += n;
	}
	json_t *text = json_stringn(shown.data, shown.len);
	buf_finish(&shown);
	return text ? text : json_null();
}

json_t *exhibit_name(const char *s)
{
	return s ? exhibit_text(span_of(s), NAME_LIMIT, NULL) : json_null();
}

void exhibit_set_text(json_t *to, const char *key, struct span s, size_t limit)
{
	char left_out[64];
	size_t left;
	json_object_set_new(to, key, exhibit_text(s, limit, &left));
	if (left > 0) {
		snprintf(left_out, sizeof(left_out), "%s_left_out", key);
		node_set_count(to, left_out, left);
	}
}
