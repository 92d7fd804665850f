#include "base/sanitize_text.h"

#include "base/mem.h"

char *sanitize_text(struct span text, size_t limit)
{
	struct buf out = {0};
	size_t n = MIN(text.len, limit);
	while (n && n < text.len && ((unsigned char)text.data[n] & 0xc0) == 0x80) {
		n--; /* not within a character */
	}
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
