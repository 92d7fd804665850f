#include "base/sanitize_text.h"

#include "base/utf8.h"

/* Appends the character at p, or what stands for it. Returns the place behind it. */
static const char *put(struct buf *to, const char *p, const char *end)
{
	size_t length = utf8_length(p, end);
	/* C0, DEL, and C1 (U+0080 to U+009F) would act on the terminal. */
	bool control = (uint8_t)*p < 0x20 || *p == 0x7f ||
	               (length == 2 && (uint8_t)p[0] == 0xc2 && (uint8_t)p[1] < 0xa0);
	if (length == 0 || control) {
		buf_append_char(to, length == 0 ? '?' : ' ');
	} else {
		buf_append(to, p, length);
	}
	return p + (length ? length : 1);
}

char *sanitize_text(struct span text, size_t limit)
{
	struct buf out = {0};
	struct span shown = utf8_cut(text, limit);
	for (const char *p = shown.data, *end = p + shown.len; p < end;) {
		p = put(&out, p, end);
	}
	if (shown.len < text.len) {
		buf_append_str(&out, "...");
	}
	return buf_steal(&out);
}

void sanitize_put(struct buf *to, struct span text, size_t limit)
{
	const char *p = text.data, *end = p + text.len;
	for (size_t n = 1; p < end; n++) {
		size_t before = to->len;
		p = put(to, p, end);
		if (n == limit && p < end) {
			to->len = before;
			buf_append_str(to, "…");
			return;
		}
	}
}
