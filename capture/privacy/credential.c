#include "capture/privacy/credential.h"

#include <string.h>

#include "base/ascii.h"
#include "capture/privacy/redact_view.h"
#include "capture/privacy/secret_scan.h"

#define NAME_LIMIT 64
#define NAME_MIN 3 /* nothing below is shorter */
#define SCHEME_LIMIT 9
#define LEVELS 3 /* levels of escaping: a URL within a URL within a URL */

/* These match anywhere in a name. */
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
        "cookie",
        "signature",
        "assertion",
        "jwt",
        "hmac",
};

/* These match only a whole word of a name: they are too short to be matched within other words. */
static const char *const WORDS[] = {"otp", "pass", "pin", "sas", "sid", "sig", "sso"};

/* Names that contain such a part or word but are no secret, however they are split into words:
 * "maxtokens" is also "max_tokens". */
static const char *const HARMLESS[] = {"author", "authors", "authority", "bostoken", "budgettokens",
        "cachedtokens", "completiontokens", "cookieconsent", "cookiepolicy", "counttokens",
        "detokenize", "eostoken", "hotkey", "inputtokens", "keyboard", "keyword", "keywords",
        "maxtokens", "mintokens", "monkey", "newtokens", "ntokens", "numtokens", "outputtokens",
        "padtoken", "passthrough", "pinversion", "prompttokens", "reasoningtokens", "sortkey",
        "specialtokens", "stoptoken", "stoptokens", "thinkingtokens", "tokencount", "tokenids",
        "tokenize", "tokenizer", "tokenlimit", "toptokens", "totaltokens"};

/* In a URL, a session id grants access to whoever has the URL. In a header field or a document
 * it only tells what belongs together. */
static const char *const SESSIONS[] = {"session", "sessionid", "sessid"};

/* Words with such an ending that mean no session; "pos_session" does mean one. */
static const char *const NO_SESSIONS[] = {"dispossession", "intersession", "obsession",
        "possession", "prepossession", "repossession", "supersession"};

/* Returns the character at p after percent decoding; *ret_next is after it. */
static char unescape(const char *p, const char *end, const char **ret_next)
{
	int byte = *p == '%' ? hex_byte(p + 1, end) : -1;
	*ret_next = p + (byte < 0 ? 1 : 3);
	return byte < 0 ? *p : (char)byte;
}

/* Returns the word that begins at p; "DB" for "DBPass". Empty: no word begins there. */
static struct span word_at(const char *p)
{
	size_t n = 0, tail = 0;
	while (is_upper(p[n])) {
		n++;
	}
	while (is_lower(p[n + tail])) {
		tail++;
	}
	return (struct span){p, n > 1 && tail ? n - 1 : n > 1 ? n : n + tail};
}

/* Copies the name to a text shorter than NAME_LIMIT. Percent escapes are decoded: "api%5Fkey" is
 * a key too. */
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

/* Whether the name contains one of the short words as a separate word: "db_pass", "dbPass". */
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

/* Returns how many characters at p spell the phrase, with any separators between its words; 0:
 * they do not. */
static size_t phrase_length(const char *p, const char *phrase)
{
	for (const char *at = p;;) {
		struct span word = word_at(at), wanted = {phrase, MIN(word.len, strlen(phrase))};
		if (!word.len || !span_equal_nocase(word, wanted)) {
			return 0;
		}
		at += word.len;
		phrase += word.len;
		if (!*phrase) {
			return (size_t)(at - p);
		}
		while (*at && !is_latin(*at)) {
			at++;
		}
	}
}

/* Blanks out harmless phrases. This runs for each word of possibly everything that a peer sends;
 * nearly all phrases are ruled out by their first letter. */
static void blank_harmless(char *name)
{
	for (char *p = name; *p;) {
		size_t word = word_at(p).len, n = 0;
		for (size_t i = 0; i < ARRAY_LEN(HARMLESS) && word && !n; i++) {
			n = *HARMLESS[i] == to_lower(*p) ? phrase_length(p, HARMLESS[i]) : 0;
		}
		memset(p, ' ', n);
		p += MAX(MAX(n, word), (size_t)1);
	}
}

bool credential_sounds(struct span name)
{
	char text[NAME_LIMIT];
	if (name.len < NAME_MIN) {
		return false;
	}
	if (!read_name(name, text)) {
		return true; /* too long to be examined */
	}
	if (!has_part(text) && !has_word(text)) {
		return false;
	}
	blank_harmless(text);
	return has_part(text) || has_word(text);
}

/* Whether the name is that of a login code or of a session ("ASP.NET_SessionId"), but not
 * status_code. */
static bool is_session(struct span name)
{
	char text[NAME_LIMIT], plain[NAME_LIMIT];
	size_t n = 0, step;
	bool whole = read_name(name, text);
	for (const char *p = text; *p; p += step) {
		struct span word = word_at(p);
		bool other = span_in(word, NO_SESSIONS, ARRAY_LEN(NO_SESSIONS));
		step = MAX(word.len, (size_t)1);
		if (other) {
			plain[n++] = ' ';
		}
		for (size_t i = 0; i < step && !other; i++) {
			if (is_alnum(p[i])) {
				plain[n++] = to_lower(p[i]);
			}
		}
	}
	for (size_t i = 0; whole && i < ARRAY_LEN(SESSIONS); i++) {
		size_t len = strlen(SESSIONS[i]);
		if (n >= len && memcmp(plain + n - len, SESSIONS[i], len) == 0) {
			return true;
		}
	}
	return whole && span_is((struct span){plain, n}, "code");
}

/* How a byte affects the name of a name-value pair. Looked up for each byte. */
enum { NAMING, GAP, BREAK, MARK };

static int class_of(char c)
{
	static const char classes[256] = {['?'] = MARK,
	        ['#'] = MARK,
	        ['&'] = MARK,
	        [';'] = MARK,
	        [' '] = GAP,
	        ['\t'] = GAP,
	        ['"'] = GAP,
	        ['\''] = GAP,
	        ['\\'] = GAP,
	        [','] = BREAK,
	        [':'] = BREAK,
	        ['/'] = BREAK,
	        ['|'] = BREAK,
	        ['('] = BREAK,
	        [')'] = BREAK,
	        ['{'] = BREAK,
	        ['}'] = BREAK,
	        ['<'] = BREAK,
	        ['>'] = BREAK,
	        ['\0'] = BREAK,
	        ['\n'] = BREAK,
	        ['\r'] = BREAK};
	return classes[(unsigned char)c];
}

/* The scanner's state at one byte of a text. */
struct scan {
	/* The name before a sign ('=' or ':'). For a URL parameter it begins after the
	 * parameter's mark; elsewhere it is the last word. */
	const char *from, *to;
	/* the name follows a mark, which may be "#": logins pass parameters there too */
	bool parameter;
	/* the name has ended; since then only characters came that may precede a sign */
	bool ended;
	/* a value is expected; since its sign only characters came that may open one */
	bool value_expected;
	bool secret; /* the expected value has a secret's name */
	/* the value is neither quoted nor after a colon: an ampersand would end it */
	bool bare;
	bool url; /* within a URL */
};

/* Tracks where a URL begins and ends. It begins with a path, or at the latest with its query. It
 * contains neither blanks nor quotation marks. */
static void url_step(struct scan *s, struct span text, const char *p)
{
	bool first = p == text.data;
	if (*p == '/') {
		s->url = s->url || first || p[-1] == '=' || class_of(p[-1]) != NAMING;
	} else if (is_any(*p, "?#&")) {
		s->url = true;
	} else if (class_of(*p) == GAP || *p == '<' || *p == '>') {
		s->url = false;
	}
}

static void name_from(struct scan *s, const char *p)
{
	s->from = s->to = p;
	s->parameter = s->ended = false;
}

static void name_step(struct scan *s, const char *p)
{
	int class = class_of(*p);
	if (class == MARK) {
		name_from(s, p + 1);
		s->parameter = true;
	} else if (s->parameter) {
		s->to = p + 1;
	} else if (class == GAP) {
		s->ended = true;
	} else if (class == BREAK) {
		name_from(s, p + 1);
	} else {
		s->from = s->ended ? p : s->from;
		s->to = p + 1;
		s->ended = false;
	}
}

/* Whether p is the sign of "name=value", "name": "value" or name: value, but not the colon of
 * host:port. */
static bool is_sign(struct span text, const char *p)
{
	return *p == '=' ||
	       (*p == ':' && ((p > text.data && class_of(p[-1]) == GAP) ||
	                             (p + 1 < text.data + text.len && class_of(p[1]) == GAP)));
}

/* Whether p may occur between a sign and its value, which then is still expected. Further signs
 * may, as in "key==". */
static bool opening_step(struct scan *s, const char *p)
{
	if (!is_any(*p, " \t\"'\\=[{(;")) {
		return false;
	}
	s->bare = s->bare && *p != '"' && *p != '\'';
	if (*p != '=') {
		name_step(s, p);
	}
	return true;
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && is_blank(*p)) {
		p++;
	}
	return p;
}

/*
 * Whether an authorization scheme begins at p, followed by one word, and that by the end or one of
 * the stops. Basic is recognized only by the content of its word, since "basic" is a common word
 * ("basic plan"). A blank follows the scheme, and a blank ends the word: so no word is read for two
 * schemes.
 */
static bool is_authorization(const char *p, const char *end, const char *stops)
{
	static const char *const SCHEMES[] = {
	        "apikey", "basic", "bearer", "negotiate", "ntlm", "token"};
	struct span scheme = {p, 0};
	while (scheme.len < SCHEME_LIMIT && p + scheme.len < end && is_latin(p[scheme.len])) {
		scheme.len++;
	}
	const char *word = skip_blanks(p + scheme.len, end), *behind = word;
	if (word == p + scheme.len || !span_in(scheme, SCHEMES, ARRAY_LEN(SCHEMES))) {
		return false;
	}
	while (behind < end && !is_blank(*behind) && !is_any(*behind, stops)) {
		behind++;
	}
	const char *rest = skip_blanks(behind, end);
	if (behind == word || (rest < end && !is_any(*rest, stops))) {
		return false;
	}
	return !span_is_nocase(scheme, "basic") || secret_is_basic(span_between(word, behind));
}

static bool is_expected_secret(const struct scan *s, const char *p, const char *end)
{
	return (s->secret && !(s->bare && *p == '&')) || is_authorization(p, end, "&;,?#\"'\\)]}>");
}

/*
 * Whether the text contains a pair with a secret's name (in a URL, a list or a document), or an
 * authorization as the value of any pair or within a URL.
 */
static bool has_pair(struct span text, bool url)
{
	const char *end = text.data + text.len;
	struct scan s = {text.data, text.data, .url = url};
	if (!text.len || (!url && *text.data != '/' && !memchr(text.data, '=', text.len) &&
	                         !memchr(text.data, ':', text.len))) {
		return false; /* as in nearly all fields */
	}
	for (const char *p = text.data; p < end; p++) {
		url_step(&s, text, p);
		if (s.value_expected && opening_step(&s, p)) {
			continue;
		}
		if (s.value_expected && is_expected_secret(&s, p, end)) {
			return true;
		}
		s.value_expected = false;
		if (is_sign(text, p)) {
			struct span name = span_between(s.from, s.to);
			s.value_expected = true;
			s.secret = credential_sounds(name) ||
			           (s.parameter && s.url && is_session(name));
			s.bare = *p == '=';
			name_from(&s, p + 1);
			continue;
		}
		name_step(&s, p);
		if (s.url && (*p == '/' || class_of(*p) == MARK)) {
			/* A URL's segments and parameters may be values without names. */
			s.value_expected = true;
			s.secret = false;
		}
	}
	return false;
}

/* "https://user:password@host", or without the scheme. */
static bool has_password(struct span text)
{
	static const char authority[] = "//";
	const char *end = text.data + text.len, *p = text.data;
	while (p < end && (p = memmem(p, (size_t)(end - p), authority, strlen(authority)))) {
		p += strlen(authority);
		const char *stop = find_any(p, end, "/?# \"<>");
		const char *at = memrchr(p, '@', (size_t)(stop - p));
		const char *colon = at ? memchr(p, ':', (size_t)(at - p)) : NULL;
		if (colon && colon + 1 < at) {
			return true;
		}
		p = stop;
	}
	return false;
}

static bool is_plainly_in(struct span text, bool url)
{
	const char *end = text.data + text.len;
	struct secret_match match;
	return secret_scan_next(text, 0, 1u << SECRET_KEY | 1u << SECRET_BEARER, &match) ||
	       has_pair(text, url) || has_password(text) ||
	       is_authorization(skip_blanks(text.data, end), end, "");
}

static bool has_quotation_mark(struct span text, bool url)
{
	return text.len && memchr(text.data, '"', text.len);
}

/* Whether is_there() finds something in the text, as it is or after some levels of unescaping. */
static bool is_at_any_level(struct span text, bool (*is_there)(struct span, bool), bool url)
{
	struct redact_view views[2] = {0};
	struct claim claim = {0}; /* no limit: these texts are parts of a head, which has one */
	bool found = is_there(text, url);
	bool has_escapes = true;
	for (unsigned level = 0; level < LEVELS && !found && has_escapes; level++) {
		struct redact_view *v = &views[level % 2];
		has_escapes = redact_view_make(v, text, &claim) > 0;
		if (has_escapes) {
			text = buf_span(&v->text);
			found = is_there(text, url);
		}
	}
	redact_view_finish(&views[0]);
	redact_view_finish(&views[1]);
	claim_close(&claim);
	return found;
}

bool credential_in(struct span text)
{
	return is_at_any_level(text, is_plainly_in, false);
}

bool credential_in_url(struct span piece)
{
	return is_at_any_level(piece, is_plainly_in, true);
}

bool credential_may_be_quoted(struct span text)
{
	return is_at_any_level(text, has_quotation_mark, false);
}

bool credential_is_name(struct span text)
{
	for (const char *p = text.data, *end = p + text.len; p < end;) {
		char c = unescape(p, end, &p);
		if (!is_word(c) && !is_any(c, "-.[]")) {
			return false;
		}
	}
	return text.len && !credential_in(text);
}
