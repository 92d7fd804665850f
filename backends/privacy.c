#include "backends/privacy.h"

#include <stdlib.h>
#include <string.h>

#include "backends/credential.h"
#include "base/mem.h"
#include "reading/secrets.h"

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
        "cookie2",
        "set-cookie",
        "api-key",
        "x-api-key",
        "x-goog-api-key",
        "x-auth-token",
        "x-access-token",
        "x-amz-security-token",
        "x-amzn-oidc-*",
        "ocp-apim-subscription-key",
        "sec-websocket-protocol", /* browsers have no other place for the key of a realtime API */
        "openai-organization",
        "openai-project",
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
		if (wanted && !credential_in(f->value)) {
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

bool privacy_is_credential(struct span name)
{
	return on_list(name, CREDENTIALS) ||
	       (credential_sounds(name) && !on_list(name, KEPT_OF_REQUESTS) &&
	               !on_list(name, KEPT_OF_RESPONSES));
}

/* Where the parameter at p ends: some servers take a semicolon for an ampersand. */
static const char *parameter_end(const char *p, const char *end)
{
	while (p < end && *p != '&' && *p != ';') {
		p++;
	}
	return p;
}

static bool is_named_secret(const char *p, const char *stop)
{
	const char *equals = memchr(p, '=', (size_t)(stop - p));
	return equals && equals + 1 < stop &&
	       credential_sounds((struct span){p, (size_t)(equals - p)});
}

enum treatment { REPLACE_VALUE, LEAVE_OUT };

static bool is_secret(const char *p, const char *stop)
{
	if (is_named_secret(p, stop)) {
		return true;
	}
	const char *equals = memchr(p, '=', (size_t)(stop - p));
	const char *value = equals ? equals + 1 : p;
	return credential_in((struct span){value, (size_t)(stop - value)});
}

/* Keys that can be told by their form are blanked. */
static void put_path(struct buf *to, struct span path)
{
	size_t at = 0;
	struct secret_match match;
	while (secrets_next(path, at, 1u << SECRET_KEY, &match)) {
		buf_append(to, path.data + at, match.from - at);
		buf_append_str(to, "...");
		at = match.to;
	}
	buf_append(to, path.data + at, path.len - at);
}

/* The target, with the query's secret parameters treated so. */
static char *treat_query(struct span target, enum treatment treatment)
{
	struct buf to = {0};
	const char *end = target.data + target.len;
	const char *p = memchr(target.data, '?', target.len);
	char before = '?';

	put_path(&to, (struct span){target.data, (size_t)((p ? p : end) - target.data)});
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
			buf_append(&to, p, equals ? (size_t)(equals + 1 - p) : 0);
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
