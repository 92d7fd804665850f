/*
 * The forms of addresses, URLs and names.
 */
#include "proxy/settings_parts.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

#define NAME_LIMIT 64
#define URL_LIMIT 2048
#define HOST_LIMIT 253

const char *settings_check_name(const char *name)
{
	size_t len = strlen(name);
	if (len == 0 || len > NAME_LIMIT) {
		return "a name has 1 to 64 characters";
	}
	for (const char *p = name; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("._-", *p)) {
			return "a name is made of letters, digits, '.', '_' and '-'";
		}
	}
	if (strcmp(name, "exchanges") == 0) {
		return "the name exchanges is taken by the metrics; choose another";
	}
	return NULL;
}

/* Digits only, at most 65535. */
static bool parse_port(struct span text, unsigned *ret)
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

/* Splits HOST:PORT and [V6]:PORT. False: neither. The port may be missing: *ret_port has data NULL
 * then. */
static bool split_authority(
        struct span text, struct span *ret_host, struct span *ret_port, bool *ret_v6)
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

static bool is_ip(struct span host, int family)
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

const char *settings_parse_address(const char *text, const char *any_host, struct address *ret)
{
	const char *form =
	        "must be HOST:PORT, [V6]:PORT or :PORT, with an IP address or localhost as host";
	struct span host, port_text;
	bool v6;
	unsigned port;
	if (!split_authority(span_of(text), &host, &port_text, &v6) || !port_text.data ||
	        !parse_port(port_text, &port)) {
		return form;
	}
	if (host.len == 0 && !v6) {
		host = span_of(any_host);
	} else if (span_is_nocase(host, "localhost") && !v6) {
		host = SPAN("127.0.0.1");
	} else if (!is_ip(host, v6 ? AF_INET6 : AF_INET)) {
		return form;
	}
	free(ret->text);
	free(ret->host);
	*ret = (struct address){
	        .text = xstrdup(text),
	        .host = span_dup(host),
	        .port = (uint16_t)port,
	};
	return NULL;
}

static bool is_host_name(struct span host)
{
	if (host.len == 0 || host.len > HOST_LIMIT) {
		return false;
	}
	for (size_t i = 0; i < host.len; i++) {
		char c = host.data[i];
		if (!isalnum((unsigned char)c) && c != '.' && c != '-' && c != '_') {
			return false;
		}
	}
	return true;
}

static const char *check_authority(struct span authority)
{
	if (memchr(authority.data, '@', authority.len)) {
		return "must not hold a user name or password; name the variable that holds the "
		       "key in "
		       "api_key_env";
	}
	struct span host, port_text;
	bool v6;
	if (!split_authority(authority, &host, &port_text, &v6)) {
		return "must have the form http://HOST:PORT";
	}
	if (v6 ? !is_ip(host, AF_INET6) : !is_host_name(host)) {
		return "has no host that could be reached";
	}
	unsigned port = 1;
	if (port_text.data && (!parse_port(port_text, &port) || port == 0)) {
		return "has a port that is not a number from 1 to 65535";
	}
	return NULL;
}

void settings_split_url(const char *url, struct span *ret_host, unsigned *ret_port)
{
	bool tls = strncmp(url, "https://", 8) == 0;
	const char *from = url + (tls ? 8 : 7);
	struct span port_text;
	bool v6;
	expect(split_authority((struct span){from, strcspn(from, "/")}, ret_host, &port_text, &v6));
	*ret_port = tls ? 443 : 80;
	expect(!port_text.data || parse_port(port_text, ret_port));
}

char *settings_mask_url(const char *text)
{
	const char *scheme = strstr(text, "://");
	const char *from = scheme ? scheme + 3 : text;
	const char *at = strrchr(text, '@');
	struct buf masked = {0};
	if (at && at >= from) {
		buf_append_span(&masked, (struct span){text, (size_t)(from - text)});
		buf_append_str(&masked, "***");
		text = at;
	}
	size_t len = strcspn(text, "?#");
	buf_append_span(&masked, (struct span){text, len});
	buf_append_str(&masked, text[len] ? "?***" : "");
	char *ret = xasprintf("%.80s", buf_cstr(&masked));
	buf_finish(&masked);
	for (char *p = ret; *p; p++) {
		*p = *p >= ' ' && *p <= '~' ? *p : '?';
	}
	return ret;
}

/* Also the path without slashes at its end, which is what requests' paths are appended to. */
const char *settings_parse_url(const char *text, char **ret_url, char **ret_base_path)
{
	struct span s = span_of(text);
	if (s.len > URL_LIMIT) {
		return "is too long for a URL";
	}
	for (size_t i = 0; i < s.len; i++) {
		if ((unsigned char)s.data[i] <= ' ' || (unsigned char)s.data[i] >= 0x7f) {
			return "holds a space or a character that no URL may hold";
		}
	}
	bool tls = strncasecmp(text, "https://", 8) == 0;
	if (!tls && strncasecmp(text, "http://", 7) != 0) {
		return "must begin with http:// or https://";
	}
	const char *from = text + (tls ? 8 : 7);
	struct span authority = {from, strcspn(from, "/?#")};
	const char *problem = check_authority(authority);
	if (problem) {
		return problem;
	}
	struct span path = span_of(from + authority.len);
	if (strpbrk(path.data, "?#")) {
		return "must not hold a query or a fragment";
	}
	while (path.len > 0 && path.data[path.len - 1] == '/') {
		path.len--;
	}
	struct buf url = {0};
	buf_append_str(&url, tls ? "https://" : "http://");
	buf_append_span(&url, authority);
	buf_append_span(&url, path);
	*ret_url = buf_steal(&url);
	*ret_base_path = span_dup(path);
	return NULL;
}
