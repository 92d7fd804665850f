#include "backends/transport/base_url.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/authority.h"
#include "base/mem.h"
#include "capture/privacy/credential.h"

#define URL_LIMIT 2048
#define HOST_LIMIT 253
#define V1 "/v1"

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
		return "must not have a user name or password; put the key into an environment "
		       "variable and name it in api_key_env";
	}
	struct span host, port_text;
	bool v6;
	if (!authority_split(authority, &host, &port_text, &v6)) {
		return "must have the form http://HOST:PORT";
	}
	if (v6 ? !authority_is_ip(host, AF_INET6) : !is_host_name(host)) {
		return "has no host that could be reached";
	}
	uint16_t port = 1;
	if (port_text.data && (!authority_port(port_text, &port) || port == 0)) {
		return "has a port that is not a number from 1 to 65535";
	}
	return NULL;
}

static const char *check_characters(struct span text)
{
	if (text.len > URL_LIMIT) {
		return "is too long for a URL";
	}
	for (size_t i = 0; i < text.len; i++) {
		if ((unsigned char)text.data[i] <= ' ' || (unsigned char)text.data[i] >= 0x7f) {
			return "has a space or a character that is not valid in a URL";
		}
	}
	return NULL;
}

static size_t scheme_length(const char *text)
{
	return strncasecmp(text, "https://", 8) == 0  ? 8
	       : strncasecmp(text, "http://", 7) == 0 ? 7
	                                              : 0;
}

bool base_url_is_one(const char *text)
{
	return scheme_length(text) > 0;
}

static void drop_slashes(struct span *path)
{
	while (path->len > 0 && path->data[path->len - 1] == '/') {
		path->len--;
	}
}

static bool drop_end(struct span *path, const char *end)
{
	bool ends = span_ends(*path, end);
	path->len -= ends ? strlen(end) : 0;
	return ends;
}

/* If the URL includes an endpoint's path, removes that path. */
static bool drop_endpoint(struct span *path)
{
	static const char *const endpoints[] = {"/chat/completions", "/completions",
	        V1 "/responses", V1 "/embeddings", V1 "/models", V1 "/messages"};
	for (size_t i = 0; i < ARRAY_LEN(endpoints); i++) {
		if (drop_end(path, endpoints[i])) {
			drop_end(path, V1);
			return true;
		}
	}
	return false;
}

char *base_url_parse(const char *text, struct base_url *ret)
{
	const char *problem = check_characters(span_of(text));
	size_t scheme = scheme_length(text);
	if (!problem && !scheme) {
		char *masked = base_url_mask(text);
		bool lacks_one = *text && !strstr(text, ":/") && strcmp(masked, text) == 0;
		char *whole = xasprintf("must begin with http:// or https://%s%s",
		        lacks_one ? ", as in http://" : "", lacks_one ? text : "");
		free(masked);
		return whole;
	}
	struct span authority = {text + scheme, strcspn(text + scheme, "/?#")};
	problem = problem ? problem : check_authority(authority);
	struct span path = span_of(authority.data + authority.len);
	if (!problem && strpbrk(path.data, "?#")) {
		problem = "must not hold a query or a fragment";
	} else if (!problem && credential_in_url(path)) {
		problem = "must not have a key in its path; put the key into an environment "
		          "variable and name it in api_key_env";
	}
	if (problem) {
		return xstrdup(problem);
	}
	const char *name = scheme == 8 ? "https://" : "http://";
	drop_slashes(&path);
	if (drop_endpoint(&path)) {
		return xasprintf("is the address of one endpoint; give that of the engine, %s%.*s",
		        name, (int)(path.data + path.len - authority.data), authority.data);
	}
	bool had_v1 = drop_end(&path, V1);
	drop_slashes(&path);
	*ret = (struct base_url){
	        .url = xasprintf("%s%.*s", name, (int)(path.data + path.len - authority.data),
	                authority.data),
	        .path = span_dup(path),
	        .had_v1 = had_v1,
	};
	return NULL;
}

void base_url_finish(struct base_url *u)
{
	free(u->url);
	free(u->path);
	*u = (struct base_url){0};
}

char *base_url_v1_removed(const struct base_url *u)
{
	return xasprintf("%s" V1
	                 ": plumbline uses %s, because the paths of requests begin with " V1,
	        u->url, u->url);
}

void base_url_split(const char *url, struct span *ret_host, uint16_t *ret_port)
{
	bool tls = strncmp(url, "https://", 8) == 0;
	const char *from = url + (tls ? 8 : 7);
	struct span port_text;
	bool v6;
	expect(authority_split((struct span){from, strcspn(from, "/")}, ret_host, &port_text, &v6));
	*ret_port = tls ? 443 : 80;
	expect(!port_text.data || authority_port(port_text, ret_port));
}

char *base_url_mask(const char *text)
{
	const char *scheme = strstr(text, "://");
	const char *from = scheme ? scheme + 3 : text;
	const char *at = strrchr(text, '@');
	struct buf masked = {0};
	if (at && at >= from) {
		buf_append_span(&masked, (struct span){text, (size_t)(from - text)});
		buf_append_str(&masked, "***");
		text = from = at;
	}
	const char *path = from + strcspn(from, "/?#"), *end = text + strcspn(text, "?#");
	bool has_key = path < end && credential_in_url(span_between(path, end));
	buf_append_span(&masked, span_between(text, has_key ? path : end));
	buf_append_str(&masked, has_key ? "/***" : *end ? "?***" : "");
	char *ret = xasprintf("%.80s", buf_cstr(&masked));
	buf_finish(&masked);
	for (char *p = ret; *p; p++) {
		*p = *p >= ' ' && *p <= '~' ? *p : '?';
	}
	return ret;
}

char *base_url_read(const char *text, struct base_url *ret)
{
	char *problem = base_url_parse(text, ret);
	if (!problem) {
		return NULL;
	}
	char *masked = base_url_mask(text);
	char *message = xasprintf("\"%s\" %s", masked, problem);
	free(masked);
	free(problem);
	return message;
}
