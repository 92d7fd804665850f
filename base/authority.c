#include "base/authority.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"

bool authority_split(struct span text, struct span *ret_host, struct span *ret_port, bool *ret_v6)
{
	bool v6 = text.len > 0 && text.data[0] == '[';
	struct span host = span_from(text, v6), port = {0};
	const char *mark = host.len ? memchr(host.data, v6 ? ']' : ':', host.len) : NULL;
	if (mark) {
		port = span_from(host, (size_t)(mark - host.data) + v6); /* with its colon */
		host.len = (size_t)(mark - host.data);
	}
	if ((v6 && !mark) || (port.len && *port.data != ':')) {
		return false;
	}
	*ret_host = host;
	*ret_port = port.len ? span_from(port, 1) : span_of(NULL);
	*ret_v6 = v6;
	return true;
}

bool authority_port(struct span text, uint16_t *ret)
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
	if (port > UINT16_MAX) {
		return false;
	}
	*ret = (uint16_t)port;
	return true;
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
	uint16_t port;
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
	*ret_port = port;
	return NULL;
}
