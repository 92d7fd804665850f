#include "base/utf8.h"

#include "base/check.h"

size_t utf8_length(const char *text, const char *end)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t left = (size_t)(end - text);
	unsigned char low = 0x80, high = 0xbf;
	size_t n;
	if (p[0] < 0x80) {
		return 1;
	} else if (p[0] >= 0xc2 && p[0] <= 0xdf) {
		n = 2;
	} else if ((p[0] & 0xf0) == 0xe0) {
		n = 3;
		low = p[0] == 0xe0 ? 0xa0 : 0x80;
		high = p[0] == 0xed ? 0x9f : 0xbf;
	} else if (p[0] >= 0xf0 && p[0] <= 0xf4) {
		n = 4;
		low = p[0] == 0xf0 ? 0x90 : 0x80;
		high = p[0] == 0xf4 ? 0x8f : 0xbf;
	} else {
		return 0;
	}
	if (left < n || p[1] < low || p[1] > high) {
		return 0;
	}
	for (size_t i = 2; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80) {
			return 0;
		}
	}
	return n;
}

bool utf8_valid(struct span s)
{
	for (const char *p = s.data, *end = p + s.len; p < end;) {
		size_t n = utf8_length(p, end);
		if (n == 0) {
			return false;
		}
		p += n;
	}
	return true;
}

struct span utf8_cut(struct span s, size_t n)
{
	n = MIN(n, s.len);
	while (n && n < s.len && ((unsigned char)s.data[n] & 0xc0) == 0x80) {
		n--;
	}
	return (struct span){s.data, n};
}

size_t utf8_put(uint32_t code, char to[4])
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		to[0] = (char)(0xe0 | code >> 12);
		to[1] = (char)(0x80 | (code >> 6 & 0x3f));
		to[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | code >> 18);
	to[1] = (char)(0x80 | (code >> 12 & 0x3f));
	to[2] = (char)(0x80 | (code >> 6 & 0x3f));
	to[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

size_t utf8_get(const char *p, const char *end, uint32_t *ret)
{
	size_t len = utf8_length(p, end);
	unsigned char first = len ? (unsigned char)*p : 0;
	uint32_t code = len < 2 ? first : first & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		code = code << 6 | ((unsigned char)p[i] & 0x3f);
	}
	if (len) {
		*ret = code;
	}
	return len;
}

bool utf8_is_shown(uint32_t code)
{
	return code >= 0x20 && !(code >= 0x7f && code < 0xa0) && code != 0x61c && code != 0x200e &&
	       code != 0x200f && !(code >= 0x2028 && code <= 0x202e) &&
	       !(code >= 0x2066 && code <= 0x2069) && (code & 0xfffe) != 0xfffe;
}
