#include "base/json.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/ascii.h"
#include "base/byte_order_mark.h"
#include "base/utf8.h"

enum expects {
	EXPECTS_VALUE,
	EXPECTS_VALUE_OR_END, /* right after [ */
	EXPECTS_KEY_OR_END,   /* right after { */
	EXPECTS_COMMA_OR_END,
	EXPECTS_NOTHING, /* the document is complete */
	EXPECTS_FAILED,
};

void json_init(struct json *j, const char *text, size_t len)
{
	*j = (struct json){
	        .text = text,
	        .p = text,
	        .end = text ? text + len : text,
	        .expects = EXPECTS_VALUE,
	};
}

void json_init_lenient(struct json *j, const char *text, size_t len)
{
	json_init(j, text, len);
	j->lenient = true;
	j->p = len ? text + byte_order_mark(text, len) : text;
}

static struct json_token fail(struct json *j, const char *at, const char *why)
{
	if (j->expects != EXPECTS_FAILED) {
		j->expects = EXPECTS_FAILED;
		j->error = why;
		j->error_at = (size_t)(at - j->text);
	}
	return (struct json_token){JSON_TOKEN_ERROR, false, NULL, 0};
}

static const char *skip_space(const char *p, const char *end)
{
	/* Compact text has none, the usual ", " has one: only longer runs are worth a vector. */
	if (p == end || !is_layout(*p)) {
		return p;
	}
	p++;
	while (p < end && is_layout(*p)) {
		p++;
	}
	return p;
}

/* The first byte that a string can't take as it is: quote, backslash, control, or beyond ASCII. */
static const char *scan_plain(const char *p, const char *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
	const __m128i space = _mm_set1_epi8(' ');
	while (end - p >= 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i a = _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash));
		/* Signed: bytes from 0x80 are below space too. */
		unsigned stop =
		        (unsigned)_mm_movemask_epi8(_mm_or_si128(a, _mm_cmplt_epi8(v, space)));
		if (stop) {
			return p + __builtin_ctz(stop);
		}
		p += 16;
	}
#endif
	while (p < end && *p != '"' && *p != '\\' && (signed char)*p >= ' ') {
		p++;
	}
	return p;
}

/* The four digits of \uXXXX, or -1. */
static int32_t hex4(const char *p, const char *end)
{
	if (end - p < 4) {
		return -1;
	}
	int32_t value = 0;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(p[i]);
		if (digit < 0) {
			return -1;
		}
		value = value << 4 | digit;
	}
	return value;
}

/* Bytes of the escape at p, which is a backslash; 0 when it is none. */
static size_t escape_length(const char *p, const char *end)
{
	if (end - p < 2) {
		return 0;
	}
	switch (p[1]) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't':
		return 2;
	case 'u':
		return hex4(p + 2, end) >= 0 ? 6 : 0;
	default:
		return 0;
	}
}

static struct json_token read_string(struct json *j, enum json_token_type type)
{
	const char *start = j->p, *p = start + 1, *end = j->end;
	bool escaped = false;
	for (;;) {
		p = scan_plain(p, end);
		if (p == end) {
			return fail(j, start, "the string does not end");
		}
		size_t n;
		if (*p == '"') {
			break;
		} else if (*p == '\\') {
			escaped = true;
			n = escape_length(p, end);
			if (n == 0) {
				return fail(j, p, "not an escape");
			}
			p += n;
		} else if ((unsigned char)*p < ' ') {
			return fail(j, p, "a control character in a string");
		} else {
			/* Text in other scripts is one run of such bytes. */
			while (p < end && (*p & 0x80)) {
				n = utf8_length(p, end);
				if (n == 0) {
					return fail(j, p, "not UTF-8");
				}
				p += n;
			}
		}
	}
	j->p = p + 1;
	return (struct json_token){type, escaped, start, (size_t)(j->p - start)};
}

static const char *skip_digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9') {
		p++;
	}
	return p;
}

/* Logprobs have sixteen decimals: eight at once. */
static const char *skip_decimals(const char *p, const char *end)
{
	const uint64_t high = UINT64_C(0xf0f0f0f0f0f0f0f0), zeros = UINT64_C(0x3030303030303030);
	const uint64_t six = UINT64_C(0x0606060606060606);
	uint64_t v;
	while (end - p >= 8 && (memcpy(&v, p, 8), (v & high) == zeros) &&
	        ((v + six) & high) == zeros) {
		p += 8;
	}
	return skip_digits(p, end);
}

static struct json_token read_number(struct json *j)
{
	const char *start = j->p, *p = start, *end = j->end, *digits;
	if (*p == '-') {
		p++;
	}
	digits = p;
	p = p < end && *p == '0' ? p + 1 : skip_digits(p, end);
	if (p == digits) {
		return fail(j, p, "a number without digits");
	}
	if (p < end && *p == '.') {
		digits = ++p;
		p = skip_decimals(p, end);
		if (p == digits) {
			return fail(j, p, "no digits after the decimal point");
		}
	}
	if (p < end && (*p | 0x20) == 'e') {
		p++;
		if (p < end && (*p == '+' || *p == '-')) {
			p++;
		}
		digits = p;
		p = skip_digits(p, end);
		if (p == digits) {
			return fail(j, p, "an exponent without digits");
		}
	}
	j->p = p;
	return (struct json_token){JSON_TOKEN_NUMBER, false, start, (size_t)(p - start)};
}

static bool starts_with(const struct json *j, const char *word, size_t len)
{
	return (size_t)(j->end - j->p) >= len && memcmp(j->p, word, len) == 0;
}

static struct json_token read_word(struct json *j)
{
	static const struct {
		const char *word;
		uint8_t len;
		enum json_token_type type;
		bool lenient;
	} words[] = {
	        {"null", 4, JSON_TOKEN_NULL, false},
	        {"true", 4, JSON_TOKEN_TRUE, false},
	        {"false", 5, JSON_TOKEN_FALSE, false},
	        {"NaN", 3, JSON_TOKEN_NUMBER, true},
	        {"Infinity", 8, JSON_TOKEN_NUMBER, true},
	        {"-Infinity", 9, JSON_TOKEN_NUMBER, true},
	};
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (starts_with(j, words[i].word, words[i].len) &&
		        (!words[i].lenient || j->lenient)) {
			const char *start = j->p;
			j->p += words[i].len;
			return (struct json_token){words[i].type, false, start, words[i].len};
		}
	}
	return fail(j, j->p, "not a value");
}

static bool in_object(const struct json *j)
{
	uint32_t level = j->depth - 1;
	return j->objects[level / 64] >> (level % 64) & 1;
}

static void after_value(struct json *j)
{
	j->expects = j->depth ? EXPECTS_COMMA_OR_END : EXPECTS_NOTHING;
}

static struct json_token enter(struct json *j, bool object)
{
	if (j->depth == JSON_MAX_DEPTH) {
		return fail(j, j->p, "too deep");
	}
	uint32_t level = j->depth++;
	uint64_t bit = (uint64_t)1 << (level % 64);
	if (object) {
		j->objects[level / 64] |= bit;
	} else {
		j->objects[level / 64] &= ~bit;
	}
	j->expects = object ? EXPECTS_KEY_OR_END : EXPECTS_VALUE_OR_END;
	return (struct json_token){object ? JSON_TOKEN_OBJECT : JSON_TOKEN_ARRAY, false, j->p++, 1};
}

static struct json_token leave(struct json *j, bool object)
{
	if (object != in_object(j)) {
		return fail(j, j->p, "the wrong closing bracket");
	}
	j->depth--;
	after_value(j);
	return (struct json_token){
	        object ? JSON_TOKEN_OBJECT_END : JSON_TOKEN_ARRAY_END, false, j->p++, 1};
}

static struct json_token read_value(struct json *j)
{
	struct json_token t;
	switch (*j->p) {
	case '{':
		return enter(j, true);
	case '[':
		return enter(j, false);
	case '"':
		t = read_string(j, JSON_TOKEN_STRING);
		break;
	case '-':
		t = j->lenient && starts_with(j, "-I", 2) ? read_word(j) : read_number(j);
		break;
	default:
		t = *j->p >= '0' && *j->p <= '9' ? read_number(j) : read_word(j);
	}
	if (t.type != JSON_TOKEN_ERROR) {
		after_value(j);
	}
	return t;
}

/* The key and the colon after it: the next token is the value. */
static struct json_token read_key(struct json *j)
{
	if (*j->p != '"') {
		return fail(j, j->p, "a key was expected");
	}
	struct json_token t = read_string(j, JSON_TOKEN_KEY);
	if (t.type == JSON_TOKEN_ERROR) {
		return t;
	}
	j->p = skip_space(j->p, j->end);
	if (j->p == j->end || *j->p != ':') {
		return fail(j, j->p, "a colon was expected");
	}
	j->p++;
	j->expects = EXPECTS_VALUE;
	return t;
}

struct json_token json_next(struct json *j)
{
	j->p = skip_space(j->p, j->end);
	if (j->expects == EXPECTS_FAILED) {
		return fail(j, j->p, j->error);
	}
	if (j->p == j->end) {
		if (j->expects == EXPECTS_NOTHING) {
			return (struct json_token){JSON_TOKEN_END, false, j->end, 0};
		}
		return fail(j, j->p, "the text ends too early");
	}
	char c = *j->p;
	if (j->expects == EXPECTS_COMMA_OR_END) {
		if (c == ']' || c == '}') {
			return leave(j, c == '}');
		}
		if (c != ',') {
			return fail(j, j->p, "a comma was expected");
		}
		j->p = skip_space(j->p + 1, j->end);
		if (j->p == j->end) {
			return fail(j, j->p, "the text ends too early");
		}
		return in_object(j) ? read_key(j) : read_value(j);
	}
	switch ((enum expects)j->expects) {
	case EXPECTS_KEY_OR_END:
		return c == '}' ? leave(j, true) : read_key(j);
	case EXPECTS_VALUE_OR_END:
		return c == ']' ? leave(j, false) : read_value(j);
	case EXPECTS_VALUE:
		return read_value(j);
	default:
		return fail(j, j->p, "there is text after the document");
	}
}

struct json_token json_begin(struct json *j, struct span text)
{
	json_init(j, text.data, text.len);
	return json_next(j);
}

struct json_token json_begin_lenient(struct json *j, struct span text)
{
	json_init_lenient(j, text.data, text.len);
	return json_next(j);
}

/*
 * Lists of integers (bytes of tokens, ids) are most of what is skipped in an answer. Skips such a
 * list up to its end without making tokens. Leaves any other list untouched.
 */
static void skip_whole_numbers(struct json *j)
{
	const char *p = j->p, *end = j->end, *digits;
	do {
		p = skip_space(p, end);
		digits = p;
		p = p < end && *p == '0' ? p + 1 : skip_digits(p, end);
	} while (p > digits && p < end && *p++ == ',');
	if (p > digits && p[-1] == ']') {
		j->p = p - 1;
		j->expects = EXPECTS_COMMA_OR_END;
	}
}

/* flatten: the skipped tokens are not used, so the compiler need not materialize them. */
__attribute__((flatten)) struct span json_skip(struct json *j, const struct json_token *first)
{
	if (first->type == JSON_TOKEN_ERROR) {
		return (struct span){0};
	}
	if (first->type == JSON_TOKEN_OBJECT || first->type == JSON_TOKEN_ARRAY) {
		uint32_t outside = j->depth - 1;
		while (j->depth > outside) {
			if (j->expects == EXPECTS_VALUE_OR_END) {
				skip_whole_numbers(j);
			}
			if (json_next(j).type == JSON_TOKEN_ERROR) {
				return (struct span){0};
			}
		}
		return (struct span){first->start, (size_t)(j->p - first->start)};
	}
	return (struct span){first->start, first->len};
}

/* Returns the quote that ends the string whose first character is at `at`; NULL: there is none. */
static const char *find_quote(const char *at, const char *end)
{
	while ((at = memchr(at, '"', (size_t)(end - at)))) {
		/* An odd number of backslashes before a quote makes it part of the string. */
		const char *before = at;
		while (before[-1] == '\\') {
			before--;
		}
		if ((at - before) % 2 == 0) {
			return at;
		}
		at++;
	}
	return NULL;
}

/* Returns the place behind the bracket that closes the one before `at`; NULL: there is none. Both
 * kinds of bracket close each other, and the value need not be valid. */
static const char *find_end(const char *at, const char *end)
{
	size_t depth = 1;
	for (; at < end; at++) {
		if (*at == '"') {
			at = find_quote(at + 1, end);
			if (!at) {
				return NULL;
			}
		} else if (*at == '{' || *at == '[') {
			depth++;
		} else if ((*at == '}' || *at == ']') && --depth == 0) {
			return at + 1;
		}
	}
	return NULL;
}

struct span json_skip_unchecked(struct json *j, const struct json_token *first)
{
	if (first->type != JSON_TOKEN_OBJECT && first->type != JSON_TOKEN_ARRAY) {
		return json_skip(j, first);
	}
	const char *end = find_end(j->p, j->end);
	if (!end) {
		fail(j, j->end, "the text ends too early");
		return (struct span){0};
	}
	j->p = end;
	j->depth--;
	after_value(j);
	return (struct span){first->start, (size_t)(end - first->start)};
}

bool json_next_member(struct json *j, struct json_member *ret)
{
	ret->key = json_next(j);
	if (ret->key.type != JSON_TOKEN_KEY) {
		return false;
	}
	ret->first = json_next(j);
	ret->value = json_skip(j, &ret->first);
	return ret->value.len > 0;
}

bool json_next_element(struct json *j, struct json_token *ret_first, struct span *ret_value)
{
	*ret_first = json_next(j);
	if (ret_first->type == JSON_TOKEN_ARRAY_END) {
		return false;
	}
	*ret_value = json_skip(j, ret_first);
	return ret_value->len > 0;
}

bool json_is_one_object(struct span text)
{
	struct json j;
	json_init(&j, text.data, text.len);
	struct json_token t = json_next(&j);
	return t.type == JSON_TOKEN_OBJECT && json_skip(&j, &t).len &&
	       json_next(&j).type == JSON_TOKEN_END;
}
