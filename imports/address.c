#include "imports/address.h"

#include <stdlib.h>
#include <string.h>

#include "backends/privacy.h"

/* "/v1/chat/completions?a=b" of "https://host/v1/chat/completions?a=b#c". */
static struct span path_of(struct span url)
{
	const char *hash = memchr(url.data, '#', url.len);
	url.len = hash ? (size_t)(hash - url.data) : url.len;
	const char *scheme = *url.data == '/' ? NULL : memmem(url.data, url.len, "://", 3);
	size_t from = scheme ? (size_t)(scheme - url.data) + 3 : 0;
	const char *path = memchr(url.data + from, '/', url.len - from);
	return path ? (struct span){path, url.len - (size_t)(path - url.data)} : (struct span){0};
}

static bool can_be_sent(struct span target)
{
	for (size_t i = 0; i < target.len; i++) {
		unsigned char c = (unsigned char)target.data[i];
		if (c <= ' ' || c == 0x7f) {
			return false;
		}
	}
	return true;
}

bool address_target(struct span url, struct buf *to)
{
	struct span path = url.len ? path_of(url) : (struct span){0};
	buf_clear(to);
	if (!path.len) {
		return true;
	}
	if (!can_be_sent(path)) {
		return false;
	}
	char *kept = privacy_target(path);
	buf_append_str(to, kept);
	free(kept);
	return true;
}
