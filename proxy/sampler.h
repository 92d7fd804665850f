#pragma once
/*
 * sampler - decides by a hash which exchanges a reference gets, and which are injected.
 *
 * The keyed hash of the session (or exchange) is read as a number in [0, 1) and compared with the
 * share. So a smaller share is a subset of a larger one, all proxies of a fleet decide alike, and
 * all turns of a session go together. max_rate adds a process-wide token bucket (burst: one
 * second). Any thread.
 *
 * The name of a session in a JSON body is the unescaped string; if its spelling exceeds
 * SAMPLER_NAME_LIMIT bytes, the spelling itself.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/http.h"
#include "proxy/settings/settings.h"
#include "answers/request.h"

#define SAMPLER_NAME_LIMIT ((size_t)64 << 10) /* bytes */

enum sampled { SAMPLED, SAMPLED_OUT_SHARE, SAMPLED_OUT_RATE };

struct sampler;

struct sampler *sampler_create(void); /* with a full token bucket */
void sampler_destroy(struct sampler *s);

/* The hash of the session, or of the exchange's id. hashes NULL: the body is not JSON. */
uint64_t sampler_key(const struct sample *s, struct id exchange, const struct http_head *head,
        struct span body, const struct request_hashes *hashes);
enum sampled sampler_decide(
        struct sampler *s, const struct sample *sample, uint64_t key, uint64_t now_ns);
/* The comparison with the share alone. */
bool sampler_within(double share, uint64_t key);
