#include "capture/privacy/redact_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "capture/privacy/redact_fill.h"

/* Form encoding writes + for a space. Base64 also contains +, but has = only at its end. */
static bool has_plus_for_space(struct span t)
{
	const char *plus = t.len ? memchr(t.data, '+', t.len) : NULL;
	return plus && memchr(t.data, '=', (size_t)(plus - t.data)) && !memchr(t.data, ' ', t.len);
}

static size_t undo_backslash(struct span t, char text[4], size_t *ret_n)
{
	char c = t.len > 1 ? t.data[1] : '\0';
	int byte = c == 'x' ? hex_byte(t.data + 2, t.data + t.len) : -1;
	*ret_n = 1;
	if (byte >= 0) {
		text[0] = (char)byte;
		return 4;
	}
	if (c == 'v' || c == '0') {
		text[0] = ' ';
		return 2;
	}
	return redact_decode_one(t, text, ret_n);
}

/* Decodes the escape at the text's beginning. Returns its length in bytes; 0: it is none. */
static size_t decode_escape(struct span t, bool plus, char text[4], size_t *ret_n)
{
	int byte;
	switch (t.data[0]) {
	case '\\':
		return t.len > 1 ? undo_backslash(t, text, ret_n) : 0;
	case '%':
		byte = hex_byte(t.data + 1, t.data + t.len);
		text[0] = (char)byte;
		*ret_n = 1;
		return byte >= 0 ? 3 : 0;
	case '+':
		text[0] = ' ';
		*ret_n = 1;
		return plus ? 1 : 0;
	default:
		return 0;
	}
}

/* The next byte that may begin an escape. */
static size_t next_mark(struct span t, size_t at, bool plus)
{
	while (at < t.len && t.data[at] != '\\' && t.data[at] != '%' &&
	        !(plus && t.data[at] == '+')) {
		at++;
	}
	return at;
}

int redact_view_make(struct redact_view *v, struct span t, struct claim *claim)
{
	bool plus = has_plus_for_space(t), any = false;
	buf_clear(&v->text);
	v->n = 0;
	size_t done = 0; /* offset up to which the view is filled */
	for (size_t at = next_mark(t, 0, plus); at < t.len; at = next_mark(t, at, plus)) {
		char text[4];
		size_t n = 0;
		size_t taken =
		        decode_escape((struct span){t.data + at, t.len - at}, plus, text, &n);
		if (!taken) {
			at++;
			continue;
		}
		/* Decoded text is never longer than its source. */
		if (!any && !claim_reserve(claim, &v->text, t.len)) {
			return -ENOMEM;
		}
		any = true;
		buf_append(&v->text, t.data + done, at - done);
		buf_append(&v->text, text, n);
		at += taken;
		done = at;
		if (!claim_item(claim, &v->steps, v->n, &v->cap, sizeof(*v->steps))) {
			return -ENOMEM;
		}
		v->steps[v->n++] = (struct redact_step){(uint32_t)v->text.len, (uint32_t)at};
	}
	if (any) {
		buf_append(&v->text, t.data + done, t.len - done);
	}
	return any;
}

size_t redact_view_source(const struct redact_view *v, size_t at)
{
	size_t low = 0, high = v->n; /* the steps before low are at `at` or before it */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (v->steps[middle].view <= at) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low ? v->steps[low - 1].text + (at - v->steps[low - 1].view) : at;
}

void redact_view_finish(struct redact_view *v)
{
	buf_finish(&v->text);
	free(v->steps);
	*v = (struct redact_view){0};
}
