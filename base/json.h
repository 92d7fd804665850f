#pragma once
/*
 * json - a strict pull reader that keeps byte spans, for JSON on the traffic path.
 *
 * It allocates nothing and copies nothing: every token points into the text, so that a caller can
 * cut a member out of a document without touching any other byte. Strict as RFC 8259 (the tests
 * compare it with jansson). json_init_lenient() also accepts two things that engines and gateways
 * send: the bare words NaN, Infinity and -Infinity as numbers, and a byte order mark at the start.
 * UTF-8 is validated. Depth is limited to JSON_MAX_DEPTH. Duplicate keys are passed on as they
 * come: the caller decides (last wins, as in Python and Go). The text must outlive the reader. One
 * thread.
 *
 *	struct json j;
 *	json_init(&j, text, len);
 *	struct json_token t = json_next(&j);                  // JSON_TOKEN_OBJECT
 *	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
 *		struct json_token value = json_next(&j);
 *		if (json_token_is_key(&t, "model")) { ... } else { json_skip(&j, &value); }
 *	}
 *	if (t.type != JSON_TOKEN_OBJECT_END) -> malformed
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json_text.h"

#define JSON_MAX_DEPTH 128
_Static_assert(JSON_MAX_DEPTH % 64 == 0, "json.objects has whole words");

enum json_token_type {
	JSON_TOKEN_ERROR, /* every later call returns it again */
	JSON_TOKEN_END,   /* the document is complete, followed only by white space */
	JSON_TOKEN_OBJECT,
	JSON_TOKEN_OBJECT_END,
	JSON_TOKEN_ARRAY,
	JSON_TOKEN_ARRAY_END,
	JSON_TOKEN_KEY,
	JSON_TOKEN_STRING,
	JSON_TOKEN_NUMBER,
	JSON_TOKEN_TRUE,
	JSON_TOKEN_FALSE,
	JSON_TOKEN_NULL,
};

struct json_token {
	enum json_token_type type;
	bool escaped;      /* a key or string with a backslash */
	const char *start; /* first byte in the text, the opening quote of a string included */
	size_t len;        /* to the last byte, with the closing quote */
};

struct json {
	const char *text;
	const char *p;
	const char *end;
	const char *error; /* what was wrong: a static text, or NULL */
	size_t error_at;   /* where: offset in the text, bytes */
	uint32_t depth;
	uint8_t expects; /* internal */
	bool lenient;
	uint64_t objects[JSON_MAX_DEPTH / 64]; /* internal: one bit a level, object or array */
};

void json_init(struct json *j, const char *text, size_t len);
void json_init_lenient(struct json *j, const char *text, size_t len);
struct json_token json_next(struct json *j);
/* Begins to read a text: json_init() or json_init_lenient(), and the first json_next(). */
struct json_token json_begin(struct json *j, struct span text);
struct json_token json_begin_lenient(struct json *j, struct span text);

/* Skips the rest of a value. first: the value's first token, already read from j. Returns the bytes
 * of the whole value; empty on error. */
struct span json_skip(struct json *j, const struct json_token *first);
/* As json_skip(), but does not check the content of an object or array. */
struct span json_skip_unchecked(struct json *j, const struct json_token *first);

struct json_member {
	struct json_token key, first; /* first: of the value */
	struct span value;
};
/* Reads the next member of an open object completely. False: the object has ended
 * (ret->key.type is JSON_TOKEN_OBJECT_END), or is malformed. */
bool json_next_member(struct json *j, struct json_member *ret);
/* Reads the next element of an open array completely. False: the array has ended
 * (ret_first->type is JSON_TOKEN_ARRAY_END), or is malformed. */
bool json_next_element(struct json *j, struct json_token *ret_first, struct span *ret_value);

/* The content of a key or string, still escaped; data is NULL for other tokens. */
struct span json_token_raw(const struct json_token *t);
/* True if the token is a key (a string) with this text after unescaping. */
bool json_token_is_key(const struct json_token *t, const char *name);
bool json_token_is_string(const struct json_token *t, const char *s);
/* Appends the unescaped string as UTF-8; a lone surrogate becomes U+FFFD. */
void json_token_unescape(const struct json_token *t, struct buf *to);
/*
 * As json_token_unescape(), for a text that comes in several strings, because a surrogate pair may
 * be split between two of them. Set *half to 0 before the first string, and pass the same half and
 * `to` for all strings. If a string ends in a high surrogate, *half holds it, and `to` ends in
 * JSON_LONE_HALF. If the next non-empty string begins with the low surrogate, the character
 * replaces JSON_LONE_HALF. Returns true if a surrogate was found that stays without its other half.
 */
#define JSON_LONE_HALF "\xef\xbf\xbd" /* U+FFFD */
#define JSON_LONE_HALF_SIZE (sizeof(JSON_LONE_HALF) - 1)
bool json_token_unescape_piece(const struct json_token *t, uint16_t *half, struct buf *to);
char *json_token_dup(const struct json_token *t);     /* unescaped, NUL-terminated, caller frees */
double json_token_number(const struct json_token *t); /* correctly rounded; NaN if no number */
/* False: no number, one with a fraction or exponent, or out of range. */
bool json_token_integer(const struct json_token *t, int64_t *ret) MUST_CHECK;

/* Finds a member by a path of `depth` keys, such as {"a", "b"}; the last of duplicates wins. text:
 * one whole document. *ret_value: the value's first token. *ret_span: the whole value; the pointer
 * may be NULL. False: absent or malformed. */
bool json_find(struct span text, const char *const *path, size_t depth,
        struct json_token *ret_value, struct span *ret_span) MUST_CHECK;
/* As json_find() for a member of the object itself. */
static inline bool MUST_CHECK json_find_member(
        struct span object, const char *name, struct json_token *ret_value, struct span *ret_span)
{
	return json_find(object, &name, 1, ret_value, ret_span);
}
/* As json_find_member(), for an object that may contain NaN and Infinity. ret_span must not be
 * NULL. */
bool json_find_lenient(struct span object, const char *name, struct json_token *ret_value,
        struct span *ret_span) MUST_CHECK;
/* Finds a string and sets *to to its unescaped text. False: absent or not a string; *to is then
 * empty. */
bool json_find_text(
        struct span text, const char *const *path, size_t depth, struct buf *to) MUST_CHECK;

static inline bool MUST_CHECK json_find_member_text(
        struct span object, const char *name, struct buf *to)
{
	return json_find_text(object, &name, 1, to);
}

/* True for exactly one complete object, with only white space around it. */
bool json_is_one_object(struct span text) MUST_CHECK;
