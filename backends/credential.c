#include "backends/credential.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/letters.h"
#include "reading/secrets.h"

#define NAME_LIMIT 64
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
        "hmac",
};

/* A word of a name, or all of it: too short to be told within others. */
static const char *const WORDS[] = {"otp", "pass", "pin", "sas", "sid", "sig", "sso"};

/* Words with such a part or such a word that are no secrets: alone, or one before the other. */
static const char *const INNOCENT[] = {"author", "authors", "authority", "keyword", "keywords",
        "tokenizer", "cached tokens", "completion tokens", "input tokens", "max tokens",
        "min tokens", "new tokens", "output tokens", "prompt tokens", "reasoning tokens",
        "special tokens", "total tokens", "pass through", "pin version"};

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

/* The word that begins at p; of "DBPass" the first is "DB". Empty: none does. */
static struct span word_at(const char *p)
{
	static const char small[] = "abcdefghijklmnopqrstuvwxyz";
	static const char big[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n = strspn(p, big), tail = strspn(p + n, small);
	return (struct span){p, n > 1 && tail ? n - 1 : n > 1 ? n : n + tail};
}

/* The name as a text of less than NAME_LIMIT. Percent escapes are undone: "api%5Fkey" is a key too. */
static bool read_name(struct span name, char to[NAME_LIMIT])
{
	const char *p = name.data, *end = name.data + name.len;
	size_t n = 0;
	while (p < end && n + 1 < NAME_LIMIT) {
		char c = unescape(p, end, &p);
		to[n++] = c ? c : ' ';
	}
	to[n] = '\0';
	return n + 1 < NAME_LIMIT;
}

static bool has_part(const char *name)
{
	char plain[NAME_LIMIT];
	size_t n = 0;
	for (; name[n]; n++) {
		plain[n] = to_lower(name[n]);
	}
	plain[n] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(PARTS); i++) {
		if (strstr(plain, PARTS[i])) {
			return true;
		}
	}
	return false;
}

/* One of the short words, between what is no letter: "db_pass", "dbPass". */
static bool has_word(const char *name)
{
	for (const char *p = name; *p;) {
		struct span word = word_at(p);
		if (word.len && span_in(word, WORDS, ARRAY_LEN(WORDS))) {
			return true;
		}
		p += MAX(word.len, (size_t)1);
	}
	return false;
}

/* How much of the name at p says the phrase, whatever parts its words; 0: it begins in another way. */
static size_t phrase_length(const char *p, const char *phrase)
{
	for (const char *at = p;;) {
		struct span word = word_at(at), wanted = {phrase, strcspn(phrase, " ")};
		if (!span_equal_nocase(word, wanted)) {
			return 0;
		}
		at += word.len;
		phrase += wanted.len;
		if (!*phrase) {
			return (size_t)(at - p);
		}
		phrase++;
		while (*at && !is_latin(*at)) {
			at++;
		}
	}
}

/* Blanks out what is innocent. */
static void forgive(char *name)
{
	for (char *p = name; *p;) {
		size_t n = 0;
		for (size_t i = 0; i < ARRAY_LEN(INNOCENT) && !n; i++) {
			n = phrase_length(p, INNOCENT[i]);
		}
		memset(p, ' ', n);
		p += MAX(MAX(n, word_at(p).len), (size_t)1);
	}
}

bool credential_sounds(struct span name)
{
	char text[NAME_LIMIT];
	if (!read_name(name, text) || !strcasecmp(text, "code")) {
		return true; /* too long to be looked through, or of a login */
	}
	if (!has_part(text) && !has_word(text)) {
		return false;
	}
	forgive(text);
	return has_part(text) || has_word(text);
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
