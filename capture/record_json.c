#include "capture/record_json.h"

#include <string.h>

#include <sodium.h>

#include "base/utf8.h"

void record_json_base64(struct json_writer *w, const char *key, struct span s)
{
	struct buf *to = w->to;
	size_t size = sodium_base64_encoded_len(s.len, sodium_base64_VARIANT_ORIGINAL);
	json_writer_begin(w, span_of(key));
	buf_append_char(to, '"');
	sodium_bin2base64(buf_reserve(to, size), size, (const unsigned char *)s.data, s.len,
	        sodium_base64_VARIANT_ORIGINAL);
	to->len += size - 1; /* without its NUL */
	buf_append_char(to, '"');
}

void record_json_bytes(struct json_writer *w, const char *key, struct span s)
{
	if (utf8_valid(s)) {
		json_writer_string(w, key, s);
	} else {
		json_writer_open(w, key, '{');
		record_json_base64(w, "base64", s);
		json_writer_close(w, "}");
	}
}

void record_json_text(struct json_writer *w, const char *key, const char *text)
{
	if (text) {
		record_json_bytes(w, key, span_of(text));
	} else {
		json_writer_null(w, key);
	}
}

void record_json_integer(struct json_writer *w, const char *key, int64_t value, int64_t absent)
{
	if (value == absent) {
		json_writer_null(w, key);
	} else {
		json_writer_integer(w, key, value);
	}
}

void record_json_time(struct json_writer *w, const char *key, uint64_t us)
{
	if (us == UINT64_MAX) {
		json_writer_null(w, key);
	} else {
		json_writer_count(w, key, us);
	}
}

void record_json_id(struct json_writer *w, const char *key, struct id id)
{
	char text[ID_TEXT_SIZE];
	json_writer_text(w, key, id_is_zero(id) ? NULL : id_format(id, text));
}

void record_json_hash(struct json_writer *w, const char *key, const uint8_t hash[REQUEST_HASH_SIZE])
{
	static const uint8_t zero[REQUEST_HASH_SIZE];
	if (memcmp(hash, zero, sizeof(zero)) == 0) {
		json_writer_null(w, key);
	} else {
		json_writer_hex(w, key, hash, REQUEST_HASH_SIZE);
	}
}

void record_json_marks(
        struct json_writer *w, const char *key, uint32_t marks, const char *(*name)(unsigned))
{
	json_writer_open(w, key, '[');
	for (unsigned bit = 0; bit < 32; bit++) {
		if (!(marks & 1u << bit)) {
			continue;
		}
		if (name(bit)) {
			json_writer_text(w, NULL, name(bit));
		} else {
			json_writer_printf(w, NULL, "\"bit_%u\"", bit);
		}
	}
	json_writer_close(w, "]");
}
