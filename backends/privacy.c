#include "backends/privacy.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "reading/secrets.h"

#define DECODED_TIMES 3 /* a URL within a URL within a URL */

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

/* In any place of a name. */
static const char *const SECRET_PARTS[] = {
        "key",
        "token",
        "secret",
        "password",
        "passwd",
        "passphrase",
        "passcode",
        "pwd",
        "auth",
        "bearer",
        "credential",
        "signature",
        "assertion",
        "jwt",
        NULL,
};

/* A word of a name, or all of it: too short to be told within others. */
static const char *const SECRET_WORDS[] = {"otp", "pass", "pin", "sas", "sid", "sig", "sso", NULL};

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
		if (wanted && !privacy_bears_secret(f->value)) {
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

/* The character at p, whose percent escape is undone; *ret_next is behind it. */
static char unescape(const char *p, const char *end, const char **ret_next)
{
	if (*p == '%' && end - p > 2 && isxdigit((unsigned char)p[1]) &&
	        isxdigit((unsigned char)p[2])) {
		char hex[3] = {p[1], p[2], '\0'};
		*ret_next = p + 3;
		return (char)strtol(hex, NULL, 16);
	}
	*ret_next = p + 1;
	return *p;
}

/* One of the short words, between what is no letter: "db_pass", "dbPass". */
static bool has_secret_word(const char *name)
{
	static const char small[] = "abcdefghijklmnopqrstuvwxyz";
	static const char big[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	for (const char *p = name; *p;) {
		size_t n = strspn(p, big), tail = strspn(p + n, small);
		/* Of "DBPass" the first word is "DB". */
		n = n > 1 && tail ? n - 1 : n > 1 ? n : n + tail;
		if (n && on_list((struct span){p, n}, SECRET_WORDS)) {
			return true;
		}
		p += MAX(n, (size_t)1);
	}
	return false;
}

/* Percent escapes are undone: "api%5Fkey" is a key too. */
static bool sounds_secret(struct span name)
{
	char plain[64], cased[sizeof(plain)];
	size_t n = 0;
	const char *end = name.data + name.len;
	for (const char *p = name.data; p < end && n + 1 < sizeof(plain);) {
		cased[n] = unescape(p, end, &p);
		plain[n] = (char)tolower((unsigned char)cased[n]);
		n++;
	}
	plain[n] = cased[n] = '\0';
	/* A name too long to be looked through is not trusted. */
	if (n + 1 == sizeof(plain) || !strcmp(plain, "code")) {
		return true;
	}
	for (const char *const *part = SECRET_PARTS; *part; part++) {
		if (strstr(plain, *part)) {
			return true;
		}
	}
	return has_secret_word(cased);
}

bool privacy_is_credential(struct span name)
{
	return on_list(name, CREDENTIALS) ||
	       (sounds_secret(name) && !on_list(name, KEPT_OF_REQUESTS) &&
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
	return equals && equals + 1 < stop && sounds_secret((struct span){p, (size_t)(equals - p)});
}

static const char *find_any(const char *p, const char *end, const char *marks)
{
	while (p < end && !(*p && strchr(marks, *p))) {
		p++;
	}
	return p;
}

/* A URL with a parameter that is named like a secret, behind a "#" too, where logins put theirs; or one in its value. */
static bool has_secret_query(struct span text)
{
	const char *end = text.data + text.len;
	const char *p = find_any(text.data, end, "?#");
	while (p < end) {
		const char *stop = find_any(p + 1, end, "&;?#");
		if (is_named_secret(p + 1, stop)) {
			return true;
		}
		p = stop;
	}
	return false;
}

/* "https://user:password@host" */
static bool has_password(struct span text)
{
	static const char scheme[] = "://";
	const char *end = text.data + text.len, *p = text.data;
	while (p < end && (p = memmem(p, (size_t)(end - p), scheme, strlen(scheme)))) {
		p += strlen(scheme);
		const char *stop = find_any(p, end, "/?# \"'<>,");
		const char *at = memrchr(p, '@', (size_t)(stop - p));
		const char *colon = at ? memchr(p, ':', (size_t)(at - p)) : NULL;
		if (colon && colon + 1 < at) {
			return true;
		}
		p = stop;
	}
	return false;
}

static bool is_secret_by_form(struct span text)
{
	struct secret_match match;
	return secrets_next(text, 0, 1u << SECRET_KEY | 1u << SECRET_BEARER, &match);
}

bool privacy_bears_secret(struct span value)
{
	struct buf plain = {0};
	bool bears = false;
	for (int i = 0; i < DECODED_TIMES && !bears; i++) {
		bears = is_secret_by_form(value) || has_secret_query(value) || has_password(value);
		if (bears || !value.len || !memchr(value.data, '%', value.len)) {
			break;
		}
		struct buf next = {0};
		const char *end = value.data + value.len;
		for (const char *p = value.data; p < end;) {
			buf_append_char(&next, unescape(p, end, &p));
		}
		buf_finish(&plain);
		plain = next;
		value = buf_span(&plain);
	}
	buf_finish(&plain);
	return bears;
}

enum treatment { REPLACE_VALUE, LEAVE_OUT };

static bool is_secret(const char *p, const char *stop)
{
	if (is_named_secret(p, stop)) {
		return true;
	}
	const char *equals = memchr(p, '=', (size_t)(stop - p));
	const char *value = equals ? equals + 1 : p;
	return privacy_bears_secret((struct span){value, (size_t)(stop - value)});
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
