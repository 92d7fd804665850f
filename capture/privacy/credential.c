#include "capture/privacy/credential.h"

#include <string.h>

#include "base/ascii.h"
#include "capture/privacy/redact_view.h"
#include "capture/privacy/secrets.h"

#define NAME_LIMIT 64
#define NAME_MIN 3 /* nothing below is shorter */
#define SCHEME_LIMIT 9
#define LEVELS 3 /* of escapes: a URL within a URL within a URL */

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
        "cookie",
        "signature",
        "assertion",
        "jwt",
        "hmac",
};

/* A word of a name, or all of it: too short to be told within others. */
static const char *const WORDS[] = {"otp", "pass", "pin", "sas", "sid", "sig", "sso"};

/* What has such a part or such a word and is no secret, in however many words: "maxtokens" is "max_tokens" too. */
static const char *const INNOCENT[] = {"author", "authors", "authority", "bostoken", "budgettokens",
        "cachedtokens", "completiontokens", "cookieconsent", "cookiepolicy", "counttokens",
        "detokenize", "eostoken", "hotkey", "inputtokens", "keyboard", "keyword", "keywords",
        "maxtokens", "mintokens", "monkey", "newtokens", "ntokens", "numtokens", "outputtokens",
        "padtoken", "passthrough", "pinversion", "prompttokens", "reasoningtokens", "sortkey",
        "specialtokens", "stoptoken", "stoptokens", "thinkingtokens", "tokencount", "tokenids",
        "tokenize", "tokenizer", "tokenlimit", "toptokens", "totaltokens"};

/* Whoever has the URL with one is let in by it; of a field or a document it tells what belongs together. */
static const char *const SESSIONS[] = {"session", "sessionid", "sessid"};

/* Words that end like these and are none; a "pos_session" is one. */
static const char *const NO_SESSIONS[] = {"dispossession", "intersession", "obsession",
        "possession", "prepossession", "repossession", "supersession"};

/* The character at p, whose percent escape is undone; *ret_next is behind it. */
static char unescape(const char *p, const char *end, const char **ret_next)
{
	int byte = *p == '%' ? hex_byte(p + 1, end) : -1;
	*ret_next = p + (byte < 0 ? 1 : 3);
	return byte < 0 ? *p : (char)byte;
}

/* The word that begins at p; of "DBPass" the first is "DB". Empty: none does. */
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

/* Blanks out what is innocent. Asked at each word of what may be all that a peer sends: nearly all phrases are told apart by a letter. */
static void forgive(char *name)
{
	for (char *p = name; *p;) {
		size_t word = word_at(p).len, n = 0;
		for (size_t i = 0; i < ARRAY_LEN(INNOCENT) && word && !n; i++) {
			n = *INNOCENT[i] == to_lower(*p) ? phrase_length(p, INNOCENT[i]) : 0;
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
		return true; /* too long to be looked through */
	}
	if (!has_part(text) && !has_word(text)) {
		return false;
	}
	forgive(text);
	return has_part(text) || has_word(text);
}

/* A login's code, and all that is called somebody's session ("ASP.NET_SessionId"), but no status_code. */
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

/* What a byte is to the name of a pair; asked for each byte. */
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

/* What is known of a text at one of its bytes. */
struct scan {
	/* The name before a sign: of a URL's parameter all since its mark, elsewhere the last word. */
	const char *from, *to;
	bool parameter; /* the name stands behind a mark: behind "#", too, logins put theirs */
	bool ended;     /* the name is over: since then came only what may stand before a sign */
	bool due;       /* a value is: since its sign came only what may open one */
	bool secret;    /* the value that is due has a secret's name */
	bool bare;      /* it is neither quoted nor behind a colon: an ampersand would end it */
	bool url;       /* a URL has begun and is not over */
};

/* A URL begins with a path, or with its query at the latest; it has neither blanks nor quotation marks. */
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

/* "name=value", "name": "value", name: value; but no host:port. */
static bool is_sign(struct span text, const char *p)
{
	return *p == '=' ||
	       (*p == ':' && ((p > text.data && class_of(p[-1]) == GAP) ||
	                             (p + 1 < text.data + text.len && class_of(p[1]) == GAP)));
}

static void sign_step(struct scan *s, const char *p)
{
	struct span name = span_between(s->from, s->to);
	s->due = true;
	s->secret = credential_sounds(name) || (s->parameter && s->url && is_session(name));
	s->bare = *p == '=';
	name_from(s, p + 1);
}

/* Whether p may stand between a sign and its value, which then is still due; signs do, as in "key==". */
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

static const char *behind_blanks(const char *p, const char *end)
{
	while (p < end && is_blank(*p)) {
		p++;
	}
	return p;
}

/*
 * Whether a scheme of authorizations begins at p, with one word behind it, and then nothing or one of the stops. Basic's word is told
 * by what it says: many things have basic plans. A scheme has a blank behind it, and a blank ends the word: so no word is read for two
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
	const char *word = behind_blanks(p + scheme.len, end), *behind = word;
	if (word == p + scheme.len || !span_in(scheme, SCHEMES, ARRAY_LEN(SCHEMES))) {
		return false;
	}
	while (behind < end && !is_blank(*behind) && !is_any(*behind, stops)) {
		behind++;
	}
	const char *rest = behind_blanks(behind, end);
	if (behind == word || (rest < end && !is_any(*rest, stops))) {
		return false;
	}
	return !span_same(scheme, "basic") || secret_is_basic(span_between(word, behind));
}

static bool is_due_secret(const struct scan *s, const char *p, const char *end)
{
	return (s->secret && !(s->bare && *p == '&')) || is_authorization(p, end, "&;,?#\"'\\)]}>");
}

/* A URL's segments and parameters may be values without a name. */
static void part_step(struct scan *s, const char *p)
{
	if (s->url && (*p == '/' || class_of(*p) == MARK)) {
		s->due = true;
		s->secret = false;
	}
}

/*
 * A pair that is named like a secret, a URL's, one of a list, a member of a document; or an authorization as the value of any, or in
 * a URL.
 */
static bool has_pair(struct span text, bool url)
{
	const char *end = text.data + text.len;
	struct scan s = {text.data, text.data, .url = url};
	if (!text.len || (!url && *text.data != '/' && !memchr(text.data, '=', text.len) &&
	                         !memchr(text.data, ':', text.len))) {
		return false; /* as nearly all fields */
	}
	for (const char *p = text.data; p < end; p++) {
		url_step(&s, text, p);
		if (s.due && opening_step(&s, p)) {
			continue;
		}
		if (s.due && is_due_secret(&s, p, end)) {
			return true;
		}
		s.due = false;
		if (is_sign(text, p)) {
			sign_step(&s, p);
		} else {
			name_step(&s, p);
			part_step(&s, p);
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

static bool has_form(struct span text)
{
	struct secret_match match;
	return secrets_next(text, 0, 1u << SECRET_KEY | 1u << SECRET_BEARER, &match);
}

static bool is_plainly_in(struct span text, bool url)
{
	const char *end = text.data + text.len;
	return has_form(text) || has_pair(text, url) || has_password(text) ||
	       is_authorization(behind_blanks(text.data, end), end, "");
}

static bool has_quotation_mark(struct span text, bool url)
{
	return text.len && memchr(text.data, '"', text.len);
}

/* What is looked for is there, or is once escapes are undone. */
static bool is_at_any_level(struct span text, bool (*is_there)(struct span, bool), bool url)
{
	struct redact_view views[2] = {0};
	struct claim claim = {0}; /* no limit: they are parts of a head, which has one */
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
