/*
 * The forms of addresses and names.
 */
#include "proxy/settings_parts.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backends/base_url.h"
#include "base/authority.h"
#include "base/mem.h"

#define NAME_LIMIT 64

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

const char *settings_parse_address(const char *text, const char *any_host, struct address *ret)
{
	const char *form =
	        "must be HOST:PORT, [V6]:PORT or :PORT, with an IP address or localhost as host";
	struct span host, port_text;
	bool v6;
	unsigned port;
	if (!authority_split(span_of(text), &host, &port_text, &v6) || !port_text.data ||
	        !authority_port(port_text, &port)) {
		return form;
	}
	if (host.len == 0 && !v6) {
		host = span_of(any_host);
	} else if (span_is_nocase(host, "localhost") && !v6) {
		host = SPAN("127.0.0.1");
	} else if (!authority_is_ip(host, v6 ? AF_INET6 : AF_INET)) {
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

char *settings_read_url(const char *text, int line, struct backend_settings *to)
{
	struct base_url url;
	char *problem = base_url_take(text, &url);
	if (problem) {
		return problem;
	}
	free(to->url);
	free(to->base_path);
	free(to->url_note);
	to->url = url.url;
	to->base_path = url.path;
	to->url_note = url.had_v1 ? base_url_note(&url) : NULL;
	to->url_line = line;
	return NULL;
}

const char *settings_parse_slowdown(const char *text, double *ret)
{
	double value;
	if (strcmp(text, "off") == 0) {
		*ret = -1;
		return NULL;
	}
	if (!conf_parse_decimal(text, &value) || value < 0) {
		return "must be off, or a number that is not negative, like 0.1";
	}
	*ret = value;
	return NULL;
}
