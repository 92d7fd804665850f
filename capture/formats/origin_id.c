#include "capture/formats/origin_id.h"

#include <string.h>

#define TIME_SIZE 6 /* bytes */

void origin_hash_begin(struct origin_hash *h, const char *what)
{
	crypto_generichash_init(&h->state, NULL, 0, ORIGIN_HASH_SIZE);
	crypto_generichash_update(&h->state, (const unsigned char *)what, strlen(what) + 1);
}

void origin_hash_span(struct origin_hash *h, struct span s)
{
	uint64_t len = s.len;
	crypto_generichash_update(&h->state, (const unsigned char *)&len, sizeof(len));
	if (s.len) {
		crypto_generichash_update(&h->state, (const unsigned char *)s.data, s.len);
	}
}

void origin_hash_id(struct origin_hash *h, struct id id)
{
	origin_hash_span(
	        h, (struct span){(const char *)id.bytes + TIME_SIZE, sizeof(id.bytes) - TIME_SIZE});
}

void origin_hash_end(struct origin_hash *h, uint8_t to[ORIGIN_HASH_SIZE])
{
	crypto_generichash_final(&h->state, to, ORIGIN_HASH_SIZE);
}

struct id origin_id(uint64_t ms, const uint8_t hash[ORIGIN_HASH_SIZE])
{
	struct id id;
	memcpy(id.bytes, hash, sizeof(id.bytes));
	for (int i = 0; i < TIME_SIZE; i++) {
		id.bytes[i] = (uint8_t)(ms >> (40 - 8 * i));
	}
	id.bytes[6] = (uint8_t)((id.bytes[6] & 0x0f) | 0x80);
	id.bytes[8] = (uint8_t)((id.bytes[8] & 0x3f) | 0x80);
	return id;
}

void origin_id_key(struct id id, uint8_t key[ORIGIN_HASH_SIZE])
{
	memset(key, 0, ORIGIN_HASH_SIZE);
	memcpy(key, id.bytes + sizeof(id.bytes) - 8, 8);
	memcpy(key + 8, id.bytes + TIME_SIZE, 2);
}
