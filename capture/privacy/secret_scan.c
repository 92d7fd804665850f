#include "capture/privacy/secret_scan.h"

#include <stdint.h>
#include <string.h>

#include <sodium.h>

#include "base/ascii.h"
#include "base/check.h"
#include "base/enum_names.h"
#include "base/utf8.h"

#define LOCAL_LIMIT 64
#define DOMAIN_LIMIT 255
#define PLAIN_LIMIT 128
#define CARD_MIN 13
#define CARD_MAX 19
#define PHONE_MIN 8
#define PHONE_MAX 15
#define IBAN_MIN 15
#define IBAN_MAX 34
/* with padding: two groups, since one group is too easily a word ("Basic Only") */
#define BASIC_MIN 8
#define BASIC_LIMIT 256 /* base64 characters examined; a multiple of four */

ENUM_NAMES(secret_name, enum secret, "email", "card", "key", "bearer", "phone", "iban");

/* Whether the character may occur in an email address: letters of any script may. */
static bool is_address(char c)
{
	return is_letter(c) || is_digit(c);
}

static bool is_local(char c)
{
	return is_address(c) || (c && strchr("._%+-", c));
}

static bool is_domain(char c)
{
	return is_address(c) || c == '.' || c == '-';
}

static char at(struct span t, size_t i)
{
	return i < t.len ? t.data[i] : '\0';
}

/* Returns the domain's end, or i if it is no domain. Its last label must have at least two
 * letters and no digit. */
static size_t domain_end(struct span t, size_t i)
{
	size_t limit = MIN(t.len, i + DOMAIN_LIMIT), end = i, label = i;
	bool dotted = false;
	for (size_t p = i; p < limit && is_domain(t.data[p]); p++) {
		char c = t.data[p];
		if (c == '.' && p == label) {
			break; /* two dots, or one at the beginning */
		}
		if (c == '.') {
			dotted = true;
			label = p + 1;
		} else if (dotted && p >= label + 1 && is_address(c)) {
			end = p + 1;
		}
	}
	return end;
}

static bool find_email(struct span t, size_t from, size_t i, struct secret_match *m)
{
	size_t start = i;
	while (start > from && i - start < LOCAL_LIMIT && is_local(t.data[start - 1])) {
		start--;
	}
	while (start < i && !is_address(t.data[start])) {
		start++;
	}
	size_t end = domain_end(t, i + 1);
	*m = (struct secret_match){start, end, SECRET_EMAIL};
	return start < i && end > i + 1;
}

static bool passes_luhn(const char *digits, size_t n)
{
	unsigned sum = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned d = (unsigned)(digits[n - 1 - i] - '0');
		d = i % 2 ? d * 2 : d;
		sum += d > 9 ? d - 9 : d;
	}
	return sum % 10 == 0;
}

static bool is_issued(const char *d, size_t n)
{
	unsigned two = (unsigned)(d[0] - '0') * 10 + (unsigned)(d[1] - '0');
	switch (d[0]) {
	case '2':
		return n == 16 && two >= 22 && two <= 27;
	case '3':
		return n >= 14 && two != 31 && two != 32 && two != 33;
	case '4':
		return n == 13 || n == 16 || n == 19;
	case '5':
		return n == 16 && two <= 58;
	case '6':
		return n >= 16;
	default:
		return false;
	}
}

/* Returns the length in bytes of a group separator at i, or 0: a space or a hyphen, also a
 * non-breaking one. */
static size_t gap_at(struct span t, size_t i)
{
	static const char *const WIDE[] = {
	        "\xc2\xa0", "\xe2\x80\x87", "\xe2\x80\x89", "\xe2\x80\x91", "\xe2\x80\xaf"};
	char c = at(t, i);
	if (c == ' ' || c == '-') {
		return 1;
	}
	for (size_t k = 0; (unsigned char)c >= 0xc2 && k < ARRAY_LEN(WIDE); k++) {
		if (span_starts(span_from(t, i), WIDE[k])) {
			return strlen(WIDE[k]);
		}
	}
	return 0;
}

/* Finds digits in groups: the longest run that is a valid card number. */
static bool find_card(struct span t, size_t i, struct secret_match *m)
{
	char digits[CARD_MAX];
	size_t n = 0;
	bool found = false;
	for (size_t p = i; n < CARD_MAX && is_digit(at(t, p)); p++) {
		digits[n++] = t.data[p];
		if (is_digit(at(t, p + 1))) {
			continue;
		}
		if (n >= CARD_MIN && is_issued(digits, n) && passes_luhn(digits, n)) {
			*m = (struct secret_match){i, p + 1, SECRET_CARD};
			found = true;
		}
		size_t gap = gap_at(t, p + 1);
		p += is_digit(at(t, p + 1 + gap)) ? gap : 0;
	}
	return found;
}

static bool find_phone(struct span t, size_t i, struct secret_match *m)
{
	size_t n = 0, end = i;
	unsigned gap = 0;
	for (size_t p = i + 1; p < t.len && n <= PHONE_MAX && gap < 3; p++) {
		if (is_digit(t.data[p])) {
			n++;
			gap = 0;
			end = p + 1;
		} else if (n && t.data[p] && strchr(" -./()", t.data[p])) {
			gap++;
		} else {
			break;
		}
	}
	*m = (struct secret_match){i, end, SECRET_PHONE};
	return n >= PHONE_MIN && n <= PHONE_MAX && at(t, i + 1) != '0';
}

/* ISO 13616: move the first four characters to the end and count letters from 10; the number
 * modulo 97 must be 1. */
static bool passes_mod97(const char *s, size_t n)
{
	unsigned rest = 0;
	for (size_t i = 0; i < n; i++) {
		char c = s[(i + 4) % n];
		rest = is_digit(c) ? rest * 10 + (unsigned)(c - '0')
		                   : rest * 100 + (unsigned)((c | 0x20) - 'a') + 10;
		rest %= 97;
	}
	return rest == 1;
}

/* Finds an IBAN from its first check digit, after the country code. Letters may be lower-case,
 * and digits may be in groups of four. */
static bool find_iban(struct span t, size_t from, size_t i, struct secret_match *m)
{
	char s[IBAN_MAX];
	size_t n = 0;
	bool found = false;
	if (i < from + 2 || !is_latin(t.data[i - 1]) || !is_latin(t.data[i - 2]) ||
	        (i > 2 && is_alnum(t.data[i - 3])) || !is_digit(at(t, i + 1))) {
		return false;
	}
	for (size_t p = i - 2; n < IBAN_MAX && is_alnum(at(t, p)); p++) {
		s[n++] = t.data[p];
		if (n >= IBAN_MIN && !is_alnum(at(t, p + 1)) && passes_mod97(s, n)) {
			*m = (struct secret_match){i - 2, p + 1, SECRET_IBAN};
			found = true;
		}
		p += n % 4 == 0 ? gap_at(t, p + 1) : 0;
	}
	return found;
}

/* Keys by their prefixes, which begin with a letter: X(prefix, minimum of characters after it).
 * find_prefixed() has one more condition. */
#define KEYS(X)                                                                                    \
	X("sk-", 12)                                                                               \
	X("sk_", 12)                                                                               \
	X("rk_", 12)                                                                               \
	X("pk_", 12)                                                                               \
	X("ghp_", 20)                                                                              \
	X("gho_", 20)                                                                              \
	X("ghu_", 20)                                                                              \
	X("ghs_", 20)                                                                              \
	X("ghr_", 20)                                                                              \
	X("github_pat_", 20)                                                                       \
	X("glpat-", 16)                                                                            \
	X("xoxb-", 10)                                                                             \
	X("xoxp-", 10)                                                                             \
	X("xoxa-", 10)                                                                             \
	X("xoxr-", 10)                                                                             \
	X("xoxs-", 10)                                                                             \
	X("AKIA", 16)                                                                              \
	X("ASIA", 16)                                                                              \
	X("AIza", 30)                                                                              \
	X("hf_", 20)                                                                               \
	X("gsk_", 20)                                                                              \
	X("nvapi-", 20)                                                                            \
	X("npm_", 30)                                                                              \
	X("pypi-", 30)                                                                             \
	X("ya29.", 20)                                                                             \
	X("SG.", 30)                                                                               \
	X("eyJ", 30)                                                                               \
	X("xai-", 20)                                                                              \
	X("r8_", 20)                                                                               \
	X("tvly-", 12)                                                                             \
	X("pplx-", 20)                                                                             \
	X("tgp_v1_", 20)                                                                           \
	X("xapp-", 10)                                                                             \
	X("glrt-", 16)                                                                             \
	X("shpat_", 20)                                                                            \
	X("hvs.", 20)                                                                              \
	X("ntn_", 20)                                                                              \
	X("sntrys_", 20)                                                                           \
	X("csk-", 20)                                                                              \
	X("fw_", 20)                                                                               \
	X("lsv2_", 20)                                                                             \
	X("ATATT3x", 20)

static const struct {
	const char *prefix;
	size_t min;
} keys[] = {
#define ROW(prefix, min) {prefix, min},
        KEYS(ROW)
#undef ROW
};

/* Finds a key by its prefix. Words with hyphens (sk-learn-pipelines) are no keys: a key has a
 * digit or a capital letter after its prefix. */
static bool find_prefixed(struct span t, size_t i, struct secret_match *m)
{
	for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
		if (keys[k].prefix[0] != t.data[i] ||
		        !span_starts(span_from(t, i), keys[k].prefix)) {
			continue;
		}
		size_t start = i + strlen(keys[k].prefix), p = start, end = start;
		/* Names in firmware begin with fw_, too; Fireworks' keys have no separators. */
		const char *separators = span_is(span_of(keys[k].prefix), "fw_") ? "" : "_-.";
		bool is_key_like = false;
		/* A run of lower-case letters is examined again from each of its words, so its
		 * length is limited. */
		for (; p < t.len && t.data[p] && (is_key_like || p - start < PLAIN_LIMIT) &&
		        (is_alnum(t.data[p]) || strchr(separators, t.data[p]));
		        p++) {
			is_key_like = is_key_like || is_digit(t.data[p]) || is_upper(t.data[p]);
			end = t.data[p] == '.' ? end : p + 1;
		}
		if (is_key_like && end >= start + keys[k].min) {
			*m = (struct secret_match){i, end, SECRET_KEY};
			return true;
		}
	}
	return false;
}

static bool find_pem(struct span t, size_t i, struct secret_match *m)
{
	static const char KIND[] = "PRIVATE KEY", END[] = "-----END ";
	if (!span_starts(span_from(t, i), "-----BEGIN ")) {
		return false;
	}
	const char *kind = memmem(t.data + i, MIN(t.len - i, (size_t)64), KIND, strlen(KIND));
	if (!kind) {
		return false;
	}
	const char *end = memmem(kind, (size_t)(t.data + t.len - kind), END, strlen(END));
	*m = (struct secret_match){i, end ? (size_t)(end - t.data) : t.len, SECRET_KEY};
	return true;
}

/* Returns where the text after this word at i begins; 0: the word is not there, or no separator
 * follows it. */
static size_t after_word(struct span t, size_t i, struct span word)
{
	struct span there = {t.data + i, MIN(t.len - i, word.len)};
	size_t start = i + word.len;
	if (!span_equal_nocase(there, word) || at(t, start) != ' ') {
		return 0;
	}
	while (at(t, start) == ' ') {
		start++;
	}
	return start;
}

static bool find_bearer(struct span t, size_t i, struct secret_match *m)
{
	size_t start = after_word(t, i, SPAN("bearer")), end = start;
	bool digit = false;
	for (; start && end < t.len &&
	        (is_alnum(t.data[end]) || (t.data[end] && strchr("._~+/=-", t.data[end])));
	        end++) {
		digit = digit || is_digit(t.data[end]);
	}
	*m = (struct secret_match){start, end, SECRET_BEARER};
	return end - start >= (digit ? 8 : 20);
}

/* Decodes the first characters of base64 without padding. Returns the number of bytes; 0: it is
 * no base64. */
static size_t read_base64(struct span base64, char text[BASIC_LIMIT])
{
	size_t n = 0, len = MIN(base64.len, (size_t)BASIC_LIMIT);
	int r = sodium_base642bin((unsigned char *)text, BASIC_LIMIT, base64.data, len, NULL, &n,
	        NULL, sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
	return r == 0 ? n : 0;
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

/* Whether the base64 decodes to a name, a colon and a password. An ordinary word never does so
 * by chance. */
static bool is_password_pair(struct span base64)
{
	char text[BASIC_LIMIT];
	size_t n = read_base64(base64, text);
	bool colon = false;
	for (const char *p = text, *end = text + n; p < end;) {
		size_t taken = utf8_length(p, end);
		/* The only control character allowed is the line feed that echo appends. */
		if (is_control(*p) && *p != '\n') {
			return false;
		}
		if (!taken) { /* the last character may be truncated */
			return colon && base64.len > BASIC_LIMIT && end - p < 4;
		}
		colon = colon || *p == ':';
		p += taken;
	}
	return colon;
}

static bool find_basic(struct span t, size_t i, struct secret_match *m)
{
	size_t start = after_word(t, i, SPAN("basic")), end = start;
	while (start && (is_alnum(at(t, end)) || at(t, end) == '+' || at(t, end) == '/')) {
		end++;
	}
	size_t padding = 0;
	while (padding < 2 && at(t, end + padding) == '=') {
		padding++;
	}
	if (!start || end - start + padding < BASIC_MIN ||
	        !is_password_pair((struct span){t.data + start, end - start})) {
		return false;
	}
	*m = (struct secret_match){start, end + padding, SECRET_BEARER};
	return true;
}

bool secret_is_basic(struct span word)
{
	char text[BASIC_LIMIT];
	while (word.len && word.data[word.len - 1] == '=') {
		word.len--;
	}
	size_t n = read_base64(word, text);
	for (size_t i = 0; i < n; i++) {
		if (is_control(text[i]) && text[i] != '\n') {
			return false;
		}
	}
	return n > 1 && memchr(text + 1, ':', n - 1);
}

/* Finds a wanted secret that is recognized at byte i. Addresses and IBANs begin before that
 * byte. */
static bool find_at(struct span t, size_t from, size_t i, unsigned wanted, struct secret_match *m)
{
	char c = t.data[i], before = i > 0 ? t.data[i - 1] : '\0';
	bool begins_word = !is_alnum(before);
	if (c == '@') {
		return wanted & 1u << SECRET_EMAIL && find_email(t, from, i, m);
	}
	if (is_digit(c)) {
		bool decimal = before == '.' && i > 1 && is_digit(t.data[i - 2]);
		if (wanted & 1u << SECRET_CARD && !is_digit(before) && !decimal &&
		        find_card(t, i, m)) {
			return true;
		}
		return wanted & 1u << SECRET_IBAN && find_iban(t, from, i, m);
	}
	if (c == '+') {
		return wanted & 1u << SECRET_PHONE && begins_word && is_digit(at(t, i + 1)) &&
		       find_phone(t, i, m);
	}
	if (!begins_word && c != '-') {
		return false;
	}
	if (wanted & 1u << SECRET_KEY && (c == '-' ? find_pem(t, i, m) : find_prefixed(t, i, m))) {
		return true;
	}
	return wanted & 1u << SECRET_BEARER && (c == 'B' || c == 'b') &&
	       (find_bearer(t, i, m) || find_basic(t, i, m));
}

/* True if a form of secrets is recognized by this byte: the first of each prefix in KEYS, and those
 * that find_at() handles. Nearly all bytes of a text are skipped. */
static bool may_begin_secret(unsigned char c)
{
#define BIT(c) (1ULL << ((c)&63))
#define FIRST(prefix, min) | BIT((prefix)[0])
	static const uint64_t hot[4] = {
	        BIT('+') | BIT('-') | 0x3ffULL << '0',
	        BIT('@') | BIT('B') | BIT('b') KEYS(FIRST),
	};
	return hot[c >> 6] >> (c & 63) & 1;
#undef BIT
#undef FIRST
}

bool secret_scan_next(struct span text, size_t from, unsigned wanted, struct secret_match *ret)
{
	for (size_t i = from; i < text.len; i++) {
		if (may_begin_secret((unsigned char)text.data[i]) &&
		        find_at(text, from, i, wanted, ret)) {
			return true;
		}
	}
	return false;
}

const char *secret_scan_hide(const char *text)
{
	struct secret_match match;
	return secret_scan_next(span_of(text), 0, SECRETS_ALL, &match) ? "(hidden)" : text;
}
