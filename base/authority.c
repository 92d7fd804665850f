#include "base/authority.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

bool authority_split(struct span text, struct span *ret_host, struct span *ret_port, bool *ret_v6)
{
	const char *end = text.data + text.len;
	const char *after;
	*ret_v6 = text.len > 0 && text.data[0] == '[';
	if (*ret_v6) {
		const char *close = memchr(text.data, ']', text.len);
		if (!close) {
			return false;
		}
		*ret_host = (struct span){text.data + 1, (size_t)(close - text.data) - 1};
		after = close + 1;
	} else {
		const char *colon = memchr(text.data, ':', text.len);
		after = colon ? colon : end;
		*ret_host = (struct span){text.data, (size_t)(after - text.data)};
	}
	*ret_port = (struct span){0};
	if (after == end) {
		return true;
	}
	*ret_port = (struct span){after + 1, (size_t)(end - after) - 1};
	return *after == ':';
}

bool authority_port(struct span text, unsigned *ret)
{
	unsigned port = 0;
	if (text.len == 0 || text.len > 5) {
		return false;
	}
	for (size_t i = 0; i < text.len; i++) {
		if (!isdigit((unsigned char)text.data[i])) {
			return false;
		}
		port = port * 10 + (unsigned)(text.data[i] - '0');
	}
	*ret = port;
	return port <= UINT16_MAX;
}

bool authority_is_ip(struct span host, int family)
{
	unsigned char address[sizeof(struct in6_addr)];
	char text[INET6_ADDRSTRLEN];
	if (host.len == 0 || host.len >= sizeof(text)) {
		return false;
	}
	memcpy(text, host.data, host.len);
	text[host.len] = '\0';
	return inet_pton(family, text, address) == 1;
}

char *authority_read_listen(
        const char *text, const char *any_host, char **ret_host, uint16_t *ret_port)
{
	struct span host, port_text;
	bool v6;
	unsigned port;
	bool good = authority_split(span_of(text), &host, &port_text, &v6) && port_text.data &&
	            authority_port(port_text, &port);
	if (good && !v6 && host.len == 0) {
		host = span_of(any_host);
	} else if (good && !v6 && span_is_nocase(host, "localhost")) {
		host = SPAN("127.0.0.1");
	} else if (!good || !authority_is_ip(host, v6 ? AF_INET6 : AF_INET)) {
		return xasprintf("must be HOST:PORT, [V6]:PORT or :PORT, with an IP address or "
		                 "localhost as host and a port of at most 65535, not \"%.60s\"",
		        text);
	}
	*ret_host = span_dup(host);
	*ret_port = (uint16_t)port;
	return NULL;
}
