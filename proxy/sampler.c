#include "proxy/sampler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/json.h"
#include "base/mem.h"

#define SECOND 1e9

struct sampler {
	pthread_mutex_t lock; /* of what follows: the token bucket */
	double tokens;
	uint64_t filled_ns;
	bool started;
};

struct sampler *sampler_create(void)
{
	struct sampler *sampler = xmalloc(sizeof(*sampler));
	*sampler = (struct sampler){0};
	pthread_mutex_init(&sampler->lock, NULL);
	return sampler;
}

void sampler_destroy(struct sampler *s)
{
	if (s) {
		pthread_mutex_destroy(&s->lock);
		free(s);
	}
}

/*
 * Keyed by the salt, so that references with different salts get independent samples. `what`
 * separates the kinds of keys, so that a header's value never equals a body's member.
 */
static uint64_t hash(const struct sample *s, char what, struct span value)
{
	crypto_generichash_state state;
	uint8_t key[crypto_generichash_KEYBYTES], digest[crypto_generichash_BYTES_MIN];
	const char *salt = s->salt ? s->salt : "";
	crypto_generichash(key, sizeof(key), (const unsigned char *)salt, strlen(salt), NULL, 0);
	crypto_generichash_init(&state, key, sizeof(key), sizeof(digest));
	crypto_generichash_update(&state, (const unsigned char *)&what, 1);
	if (value.len) {
		crypto_generichash_update(&state, (const unsigned char *)value.data, value.len);
	}
	crypto_generichash_final(&state, digest, sizeof(digest));
	uint64_t number = 0;
	for (size_t i = 0; i < sizeof(number); i++) {
		number = number << 8 | digest[i];
	}
	return number;
}

/*
 * *ret points into the request, or into scratch if the value must be unescaped. A value that is too
 * long for a session's name is used without unescaping, because the client chooses its length and
 * so would choose how much memory that takes. False: the request does not have the key.
 */
static bool find_key(const struct session_key *key, const struct http_head *head, struct span body,
        struct buf *scratch, struct span *ret)
{
	if (!key->body) {
		*ret = head ? http_field(head, key->name) : (struct span){0};
		return ret->len > 0;
	}
	struct json_token value;
	const char *path[] = {key->name};
	if (!json_find(body, path, 1, &value, ret) || value.type == JSON_TOKEN_NULL) {
		return false;
	}
	if (value.type != JSON_TOKEN_STRING) {
		return true;
	}
	*ret = json_token_raw(&value);
	if (value.escaped && ret->len <= SAMPLER_NAME_LIMIT) {
		buf_clear(scratch);
		json_token_unescape(&value, scratch);
		*ret = buf_span(scratch);
	}
	return ret->len > 0;
}

static bool is_zero(const uint8_t *hash, size_t n)
{
	uint8_t any = 0;
	for (size_t i = 0; i < n; i++) {
		any |= hash[i];
	}
	return any == 0;
}

uint64_t sampler_key(const struct sample *s, struct id exchange, const struct http_head *head,
        struct span body, const struct request_hashes *hashes)
{
	struct span id = {(const char *)exchange.bytes, sizeof(exchange.bytes)};
	if (s->by_exchange) {
		return hash(s, 'x', id);
	}
	struct buf scratch = {0};
	for (size_t i = 0; i < s->n_keys; i++) {
		struct span value;
		if (find_key(&s->keys[i], head, body, &scratch, &value)) {
			uint64_t key = hash(s, 'k', value);
			buf_finish(&scratch);
			return key;
		}
	}
	buf_finish(&scratch);
	/* The hash is keyed by the capture and not by the salt. It suffices that all turns have the
		 * same one. */
	if (hashes && !is_zero(hashes->session, sizeof(hashes->session))) {
		return hash(s, 's',
		        (struct span){(const char *)hashes->session, sizeof(hashes->session)});
	}
	if (hashes && !is_zero(hashes->prompt, sizeof(hashes->prompt))) {
		return hash(s, 'p',
		        (struct span){(const char *)hashes->prompt, sizeof(hashes->prompt)});
	}
	return hash(s, 'x', id);
}

bool sampler_within(double share, uint64_t key)
{
	/* 53 bits, exact as a double, in [0, 1): a share of 1 takes all and 0 none. */
	return (double)(key >> 11) * 0x1p-53 < share;
}

static bool take_token(struct sampler *s, double rate, uint64_t now_ns)
{
	double burst = MAX(rate, 1.0);
	pthread_mutex_lock(&s->lock);
	if (!s->started) {
		s->started = true;
		s->tokens = burst;
		s->filled_ns = now_ns;
	} else if (now_ns > s->filled_ns) {
		s->tokens += (double)(now_ns - s->filled_ns) / SECOND * rate;
		s->tokens = MIN(s->tokens, burst);
		s->filled_ns = now_ns;
	}
	bool taken = s->tokens >= 1;
	s->tokens -= taken ? 1 : 0;
	pthread_mutex_unlock(&s->lock);
	return taken;
}

enum sampled sampler_decide(
        struct sampler *s, const struct sample *sample, uint64_t key, uint64_t now_ns)
{
	if (!sampler_within(sample->share, key)) {
		return SAMPLED_OUT_SHARE;
	}
	if (sample->max_rate > 0 && !take_token(s, sample->max_rate, now_ns)) {
		return SAMPLED_OUT_RATE;
	}
	return SAMPLED;
}
