#include "base/sanitize_text.h"

#include "base/utf8.h"

char *sanitize_text(struct span text, size_t limit)
{
	struct buf out = {0};
	size_t n = utf8_cut(text, limit).len;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text.data[i];
		/* C1 controls, too: a terminal may obey them. */
		bool c1 = c == 0xc2 && i + 1 < n && (unsigned char)text.data[i + 1] < 0xa0;
		if (c1) {
			i++;
		}
		buf_append_char(&out, c < 0x20 || c == 0x7f || c1 ? ' ' : (char)c);
	}
	if (n < text.len) {
		buf_append_str(&out, "...");
	}
	return buf_steal(&out);
}

void sanitize_put(struct buf *to, struct span text, size_t limit)
{
	const char *p = text.data, *end = p + text.len;
	for (size_t n = 0; p < end; n++) {
		if (n + 1 == limit && end - p > 1) {
			buf_append_str(to, "…");
			return;
		}
		size_t length = utf8_length(p, end);
		/* C0, DEL, and C1 (U+0080 to U+009F) would act on the terminal. */
		bool control = (uint8_t)*p < 0x20 || *p == 0x7f ||
		               (length == 2 && (uint8_t)p[0] == 0xc2 && (uint8_t)p[1] < 0xa0);
		if (length == 0 || control) {
			buf_append_char(to, length == 0 ? '?' : ' ');
			p += length ? length : 1;
		} else {
			buf_append(to, p, length);
			p += length;
		}
	}
}
