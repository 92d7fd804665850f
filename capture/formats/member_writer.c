#include "capture/formats/member_writer.h"

#include <inttypes.h>
#include <string.h>

#include <sodium.h>

#include "base/json.h"
#include "base/utf8.h"

/* Writes the comma that belongs before every member but the first. */
void member_key(struct buf *to, const char *key)
{
	if (to->len && to->data[to->len - 1] != '{' && to->data[to->len - 1] != '[') {
		buf_append_char(to, ',');
	}
	json_put_string(to, span_of(key));
	buf_append_char(to, ':');
}

void member_base64(struct buf *to, struct span s)
{
	size_t size = sodium_base64_encoded_len(s.len, sodium_base64_VARIANT_ORIGINAL);
	buf_append_char(to, '"');
	sodium_bin2base64(buf_reserve(to, size), size, (const unsigned char *)s.data, s.len,
	        sodium_base64_VARIANT_ORIGINAL);
	to->len += size - 1; /* without its NUL */
	buf_append_char(to, '"');
}

void member_bytes(struct buf *to, struct span s)
{
	if (utf8_valid(s)) {
		json_put_string(to, s);
	} else {
		buf_append_str(to, "{\"base64\":");
		member_base64(to, s);
		buf_append_char(to, '}');
	}
}

void member_text(struct buf *to, const char *key, const char *text)
{
	member_key(to, key);
	if (text) {
		member_bytes(to, span_of(text));
	} else {
		buf_append_str(to, "null");
	}
}

void member_string(struct buf *to, const char *key, struct span text)
{
	member_key(to, key);
	json_put_string(to, text);
}

void member_json(struct buf *to, const char *key, struct span json)
{
	if (json.len) {
		member_key(to, key);
		buf_append_span(to, json);
	}
}

void member_u64(struct buf *to, const char *key, uint64_t value)
{
	member_key(to, key);
	buf_printf(to, "%" PRIu64, value);
}

/* absent becomes null. */
void member_i64(struct buf *to, const char *key, int64_t value, int64_t absent)
{
	member_key(to, key);
	if (value == absent) {
		buf_append_str(to, "null");
	} else {
		buf_printf(to, "%" PRId64, value);
	}
}

void member_time(struct buf *to, const char *key, uint64_t us)
{
	member_key(to, key);
	if (us == UINT64_MAX) {
		buf_append_str(to, "null");
	} else {
		buf_printf(to, "%" PRIu64, us);
	}
}

void member_bool(struct buf *to, const char *key, bool value)
{
	member_key(to, key);
	buf_append_str(to, value ? "true" : "false");
}

void member_number(struct buf *to, const char *key, double value)
{
	member_key(to, key);
	json_put_number(to, value);
}

void member_id(struct buf *to, const char *key, struct id id)
{
	char text[ID_TEXT_SIZE];
	member_text(to, key, id_is_zero(id) ? NULL : id_format(id, text));
}

void member_hash(struct buf *to, const char *key, const uint8_t hash[REQUEST_HASH_SIZE])
{
	static const uint8_t zero[REQUEST_HASH_SIZE];
	member_key(to, key);
	if (memcmp(hash, zero, sizeof(zero)) == 0) {
		buf_append_str(to, "null");
		return;
	}
	buf_append_char(to, '"');
	buf_append_hex(to, hash, REQUEST_HASH_SIZE);
	buf_append_char(to, '"');
}

void member_marks(struct buf *to, const char *key, uint32_t marks, const char *(*name)(unsigned))
{
	member_key(to, key);
	buf_append_char(to, '[');
	bool first = true;
	for (unsigned bit = 0; bit < 32; bit++) {
		if (!(marks & 1u << bit)) {
			continue;
		}
		if (!first) {
			buf_append_char(to, ',');
		}
		first = false;
		if (name(bit)) {
			json_put_string(to, span_of(name(bit)));
		} else {
			buf_printf(to, "\"bit_%u\"", bit);
		}
	}
	buf_append_char(to, ']');
}
