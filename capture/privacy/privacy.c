#include "capture/privacy/privacy.h"

#include <string.h>

#include "base/ascii.h"
#include "capture/privacy/credential.h"

/* A trailing '*' matches any rest. */
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

/* Never kept, not even if the configuration names them. So are names that sound like a credential
 * (credential.h). */
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
        "sec-websocket-protocol", /* browsers can only send the key of a realtime API here */
        "openai-organization",
        "openai-project",
        NULL,
};

static bool matches(struct span name, const char *pattern)
{
	/* The first letter rules out nearly all names. */
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
		/* Our own lists contain no credentials. */
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

/* Two slashes do not separate segments: a URL within the path is kept whole. */
static bool ends_segment(const char *at, const char *end)
{
	return *at == '?' || (*at == '/' && at[-1] != '/' && (at + 1 == end || at[1] != '/'));
}

/*
 * Returns the end of the piece whose mark is at p: a path segment with its parameters, or a query
 * parameter, which may contain semicolons. After a quotation mark a segment extends to the target's
 * end: in a document the matching of quotation marks depends on escapes, and a string may contain
 * every character that ends a segment. Innocent text stays unchanged however it is split.
 */
static const char *piece_end(const char *p, const char *end, bool query)
{
	for (const char *at = p + 1; at < end; at++) {
		if (query ? *at == '&' : ends_segment(at, end)) {
			bool quoted = !query && credential_may_be_quoted(span_between(p, at));
			return quoted ? end : at;
		}
	}
	return end;
}

/* Whether a secret that is detected later may begin in this text: a URL's password may continue
 * after a semicolon. */
static bool may_continue(struct span before)
{
	return memmem(before.data, before.len, "//", 2) || credential_in_url(before);
}

/*
 * Returns where the piece's secret begins; it extends to the piece's end. NULL: there is no secret.
 * In a segment with parameters it is the first parameter that is a secret by itself.
 */
static const char *secret_start(struct span piece)
{
	const char *end = piece.data + piece.len, *stop;
	bool separated = *piece.data == '/' && memchr(piece.data, ';', piece.len);
	for (const char *p = piece.data; separated && p < end; p = stop) {
		stop = memchr(p + 1, ';', (size_t)(end - p - 1));
		stop = stop ? stop : end;
		if (credential_in_url(span_between(p, stop))) {
			return may_continue(span_between(piece.data, p)) ? piece.data : p;
		}
	}
	return credential_in_url(piece) ? piece.data : NULL;
}

/*
 * Appends the secret's mark, its name if it clearly has one, and a placeholder. A path segment is
 * never omitted: that would change the position of the segments after it.
 */
static void put_secret(struct buf *to, struct span secret, enum treatment treatment)
{
	const char *equals = memchr(secret.data, '=', secret.len);
	if (treatment == LEAVE_OUT && *secret.data != '/') {
		return;
	}
	buf_append_char(to, *secret.data);
	if (equals && equals > secret.data &&
	        credential_is_name(span_between(secret.data + 1, equals))) {
		buf_append_span(to, span_between(secret.data + 1, equals + 1));
	}
	buf_append_str(to, "...");
}

static char *treat(struct span target, enum treatment treatment)
{
	struct buf to = {0};
	const char *end = target.data + target.len;
	bool query = false, first = false; /* first: no query parameter has been kept yet */
	for (const char *p = target.data, *stop; p < end; p = stop) {
		if (!query && *p == '?') {
			query = first = true;
		}
		stop = piece_end(p, end, query);
		const char *secret = secret_start(span_between(p, stop));
		size_t at = to.len;
		buf_append_span(&to, span_between(p, secret ? secret : stop));
		if (secret) {
			put_secret(&to, span_between(secret, stop), treatment);
		}
		if (first && to.len > at) {
			to.data[at] = '?';
			first = false;
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
