#include "backends/privacy.h"

#include <stdlib.h>
#include <string.h>

#include "backends/credential.h"
#include "base/letters.h"

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

enum treatment { REPLACE, LEAVE_OUT };

/*
 * Where the piece whose mark is at p ends: a segment of the path, a parameter of one, or one of the query, where some servers
 * take a semicolon for an ampersand. Two slashes part nothing: a URL within the path is whole.
 */
static const char *piece_end(const char *p, const char *end, bool query)
{
	const char *at = p + 1;
	for (; at < end && *at != ';' && *at != (query ? '&' : '?'); at++) {
		if (*at == '/' && !query && at[-1] != '/' && (at + 1 == end || at[1] != '/')) {
			break;
		}
	}
	return at;
}

/* Its name, if that is not the secret itself, and what stands for the rest; what is behind its mark. */
static void put_replaced(struct buf *to, struct span piece)
{
	const char *equals = memchr(piece.data, '=', piece.len);
	struct span name = span_between(piece.data, equals ? equals : piece.data);
	if (name.len && !credential_in(name)) {
		buf_append_span(to, span_between(piece.data + 1, equals + 1));
	}
	buf_append_str(to, "...");
}

/* A segment is never left out: what is behind it would be another place. */
static char *treat(struct span target, enum treatment treatment)
{
	struct buf to = {0};
	const char *end = target.data + target.len;
	bool query = false, first = false; /* first: of the query's parameters that stay */
	for (const char *p = target.data, *stop; p < end; p = stop) {
		if (!query && *p == '?') {
			query = first = true;
		}
		stop = piece_end(p, end, query);
		struct span piece = span_between(p, stop);
		bool secret = credential_in_url(piece);
		if (secret && treatment == LEAVE_OUT && *p != '/') {
			continue;
		}
		buf_append_char(&to, first ? '?' : *p);
		first = false;
		if (secret) {
			put_replaced(&to, piece);
		} else {
			buf_append_span(&to, span_from(piece, 1));
		}
	}
	return buf_steal(&to);
}

char *privacy_target(struct span target)
{
	return treat(target, REPLACE);
}

char *privacy_public_target(struct span target)
{
	return treat(target, LEAVE_OUT);
}
