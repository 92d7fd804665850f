#pragma once
/*
 * sampler - which exchanges a reference gets a copy of, and which are injected.
 *
 * By hash, so that a smaller share is always within a larger one, every proxy of a fleet decides
 * alike, and all turns of a session go together: the keyed hash of the session (or exchange) as a
 * number in [0, 1) is held against the share. max_rate is a token bucket on top (burst of one
 * second), process-wide. Any thread.
 *
 * A session named by a JSON string is its text, however it was escaped; one of more than SAMPLER_NAME_LIMIT
 * bytes is taken as it is spelt.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/http.h"
#include "proxy/settings/settings.h"
#include "answers/request.h"

#define SAMPLER_NAME_LIMIT ((size_t)64 << 10) /* of a session's spelling, in bytes */

enum sampled { SAMPLED, SAMPLED_OUT_SHARE, SAMPLED_OUT_RATE };

struct sampler;

struct sampler *sampler_create(void); /* the token bucket, full */
void sampler_destroy(struct sampler *s);

/* What a session (or, by exchange, its id) hashes to. hashes may be NULL (no JSON). */
uint64_t sampler_key(const struct sample *s, struct id exchange, const struct http_head *head,
        struct span body, const struct request_hashes *hashes);
enum sampled sampler_decide(
        struct sampler *s, const struct sample *sample, uint64_t key, uint64_t now_ns);
/* The share test alone: used for injection with the exchange's id as key. */
bool sampler_within(double share, uint64_t key);
