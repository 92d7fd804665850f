#include "backends/privacy.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A trailing '*' stands for any rest. */
static const char *const KEPT_OF_REQUESTS[] = {
        "accept",
        "accept-encoding",
        "anthropic-version",
        "content-encoding",
        "content-length",
        "content-type",
        "date",
        "idempotency-key",
        "openai-beta",
        "traceparent",
        "transfer-encoding",
        "user-agent",
        "x-request-id",
        "x-session-id",
        "x-stainless-*",
        NULL,
};

static const char *const KEPT_OF_RESPONSES[] = {
        "age",
        "cache-control",
        "content-encoding",
        "content-length",
        "content-type",
        "date",
        "openai-model",
        "openai-processing-ms",
        "openai-version",
        "retry-after",
        "server",
        "transfer-encoding",
        "via",
        "x-accel-buffering",
        "x-ratelimit-*",
        "x-request-id",
        NULL,
};

/* Kept by nobody's wish, not even by name in the configuration. */
static const char *const CREDENTIALS[] = {
        "authorization",
        "proxy-authorization",
        "cookie",
        "set-cookie",
        "api-key",
        "x-api-key",
        "x-goog-api-key",
        "x-auth-token",
        "x-access-token",
        "x-amz-security-token",
        "ocp-apim-subscription-key",
        "sec-websocket-protocol", /* browsers have no other place for the key of a realtime API */
        "openai-organization",
        "openai-project",
        NULL,
};

static const char *const SECRET_WORDS[] = {
        "key",
        "token",
        "secret",
        "password",
        "passwd",
        "auth",
        "credential",
        "signature",
        NULL,
};

static bool matches(struct span name, const char *pattern)
{
	/* Nearly all are told apart by their first letter. */
	if (name.len && *pattern != '*' && ((*name.data ^ *pattern) & ~0x20)) {
		return false;
	}
	size_t len = strlen(pattern);
	if (len && pattern[len - 1] == '*') {
		return name.len >= len - 1 && span_equal_nocase((struct span){name.data, len - 1},
		                                      (struct span){pattern, len - 1});
	}
	return span_is_nocase(name, pattern);
}

static bool on_list(struct span name, const char *const *list)
{
	for (; *list; list++) {
		if (matches(name, *list)) {
			return true;
		}
	}
	return false;
}

static bool named_by_user(struct span name, const struct privacy_names *more)
{
	for (size_t i = 0; more && i < more->n; i++) {
		if (matches(name, more->items[i])) {
			return true;
		}
	}
	return false;
}

static void keep_fields(const struct http_head *head, const char *const *list,
        const struct privacy_names *more, struct buf *to)
{
	for (size_t i = 0; i < head->n_fields; i++) {
		const struct http_field *f = &head->fields[i];
		/* No credential is on a list of ours. */
		bool wanted = on_list(f->name, list) ||
		              (named_by_user(f->name, more) && !privacy_is_credential(f->name));
		if (wanted) {
			buf_append_span(to, f->name);
			buf_append_str(to, ": ");
			buf_append_span(to, f->value);
			buf_append_char(to, '\n');
		}
	}
}

void privacy_kept_request(
        const struct http_head *head, const struct privacy_names *more, struct buf *to)
{
	keep_fields(head, KEPT_OF_REQUESTS, more, to);
}

void privacy_kept_response(
        const struct http_head *head, const struct privacy_names *more, struct buf *to)
{
	buf_append_str(to, head->minor ? "HTTP/1.1 " : "HTTP/1.0 ");
	buf_append_number(to, (uint64_t)head->status);
	buf_append_char(to, ' ');
	buf_append_span(to, head->reason);
	buf_append_char(to, '\n');
	keep_fields(head, KEPT_OF_RESPONSES, more, to);
}

/* Percent escapes are undone: "api%5Fkey" is a key too. */
static bool sounds_secret(struct span name)
{
	char plain[64];
	size_t n = 0;
	for (size_t i = 0; i < name.len && n + 1 < sizeof(plain); i++) {
		char c = name.data[i];
		if (c == '%' && i + 2 < name.len && isxdigit((unsigned char)name.data[i + 1]) &&
		        isxdigit((unsigned char)name.data[i + 2])) {
			char hex[3] = {name.data[i + 1], name.data[i + 2], '\0'};
			c = (char)strtol(hex, NULL, 16);
			i += 2;
		}
		plain[n++] = (char)tolower((unsigned char)c);
	}
	plain[n] = '\0';
	/* A name too long to be looked through is not trusted. */
	if (n + 1 == sizeof(plain) || !strcmp(plain, "sig") || !strcmp(plain, "code")) {
		return true;
	}
	for (const char *const *w = SECRET_WORDS; *w; w++) {
		if (strstr(plain, *w)) {
			return true;
		}
	}
	return false;
}

bool privacy_is_credential(struct span name)
{
	return on_list(name, CREDENTIALS) ||
	       (sounds_secret(name) && !on_list(name, KEPT_OF_REQUESTS) &&
	               !on_list(name, KEPT_OF_RESPONSES));
}

enum treatment { REPLACE_VALUE, LEAVE_OUT };

static bool is_secret(const char *p, const char *stop)
{
	const char *equals = memchr(p, '=', (size_t)(stop - p));
	return equals && equals + 1 < stop && sounds_secret((struct span){p, (size_t)(equals - p)});
}

/* Where the parameter at p ends: some servers take a semicolon for an ampersand. */
static const char *parameter_end(const char *p, const char *end)
{
	while (p < end && *p != '&' && *p != ';') {
		p++;
	}
	return p;
}

/* The target, with the query's secret parameters treated so. */
static char *treat_query(struct span target, enum treatment treatment)
{
	struct buf to = {0};
	const char *end = target.data + target.len;
	const char *p = memchr(target.data, '?', target.len);
	char before = '?';

	buf_append(&to, target.data, (size_t)((p ? p : end) - target.data));
	p = p ? p + 1 : end + 1;
	for (const char *stop; p <= end; p = stop + 1) {
		stop = parameter_end(p, end);
		bool secret = is_secret(p, stop);
		char behind = stop < end ? *stop : '&';
		if (secret && treatment == LEAVE_OUT) {
			continue;
		}
		buf_append_char(&to, before);
		before = behind;
		if (secret) {
			const char *equals = memchr(p, '=', (size_t)(stop - p));
			buf_append(&to, p, (size_t)(equals + 1 - p));
			buf_append_str(&to, "...");
		} else {
			buf_append(&to, p, (size_t)(stop - p));
		}
	}
	return buf_steal(&to);
}

char *privacy_target(struct span target)
{
	return treat_query(target, REPLACE_VALUE);
}

char *privacy_public_target(struct span target)
{
	return treat_query(target, LEAVE_OUT);
}
