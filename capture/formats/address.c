#include "capture/formats/address.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "capture/privacy/privacy.h"

#define HOST_LIMIT 300    /* bytes, with the port */
#define NO_HOST "unknown" /* our own exports use this if they do not know an answer's address */

/* Returns "/v1/chat/completions?a=b" for "https://host/v1/chat/completions?a=b#c". */
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

void address_origin(struct span url, struct buf *to)
{
	static const char *const SCHEMES[] = {"http://", "https://"};
	buf_clear(to);
	for (size_t i = 0; i < ARRAY_LEN(SCHEMES); i++) {
		size_t n = strlen(SCHEMES[i]), end;
		if (!span_starts_nocase(url, SCHEMES[i])) {
			continue;
		}
		struct span host = span_from(url, n);
		for (end = 0; end < host.len && !strchr("/?#\\", host.data[end]); end++) {
			/* A NUL also ends the address. */
		}
		host.len = end;
		const char *at = host.len ? memrchr(host.data, '@', host.len) : NULL;
		host = at ? span_between(at + 1, host.data + host.len) : host;
		if (host.len && host.len <= HOST_LIMIT && !span_is(host, NO_HOST) &&
		        can_be_sent(host)) {
			buf_append_str(to, SCHEMES[i]);
			buf_append_span(to, host);
		}
		return;
	}
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
