#include "backends/credential.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "reading/secrets.h"

#define DECODED_TIMES 3 /* a URL within a URL within a URL */

/* In any place of a name. */
static const char *const PARTS[] = {
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
static const char *const WORDS[] = {"otp", "pass", "pin", "sas", "sid", "sig", "sso"};

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
		if (n && span_in((struct span){p, n}, WORDS, ARRAY_LEN(WORDS))) {
			return true;
		}
		p += MAX(n, (size_t)1);
	}
	return false;
}

/* Percent escapes are undone: "api%5Fkey" is a key too. */
bool credential_sounds(struct span name)
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
	for (const char *const *part = PARTS; *part; part++) {
		if (strstr(plain, *part)) {
			return true;
		}
	}
	return has_secret_word(cased);
}

static bool is_named_secret(const char *p, const char *stop)
{
	const char *equals = memchr(p, '=', (size_t)(stop - p));
	return equals && equals + 1 < stop &&
	       credential_sounds((struct span){p, (size_t)(equals - p)});
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

bool credential_in(struct span value)
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
