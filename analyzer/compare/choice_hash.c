#include "analyzer/compare/choice_hash.h"

#include <string.h>

#include <xxhash.h>

#include "base/check.h"

static void put(XXH3_state_t *to, struct span text)
{
	uint64_t length = text.len;
	XXH3_128bits_update(to, &length, sizeof(length));
	XXH3_128bits_update(to, text.data, text.len);
}

void choice_hash(const struct choice *c, uint8_t ret[CHOICE_HASH_SIZE])
{
	XXH3_state_t *state = XXH3_createState();
	expect(state && XXH3_128bits_reset(state) == XXH_OK);
	put(state, buf_span(&c->text));
	put(state, buf_span(&c->refusal));
	for (size_t i = 0; i < c->n_calls; i++) {
		put(state, span_of(c->calls[i].name));
		put(state, span_of(c->calls[i].arguments));
	}
	XXH128_hash_t hash = XXH3_128bits_digest(state);
	XXH3_freeState(state);
	memcpy(ret, &hash, sizeof(hash));
}
