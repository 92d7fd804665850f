#pragma once
/*
 * sampler - decides by a hash which exchanges a reference gets, and which are injected.
 *
 * The keyed hash of the session (or exchange) is read as a number in [0, 1) and compared with the
 * share. So a smaller share is a subset of a larger one, all proxies of a fleet decide alike, and
 * all turns of a session get the same decision. max_rate adds a token bucket for the whole process
 * (burst: one second). Any thread.
 *
 * If the session's name is a string in a JSON body, the unescaped string is hashed. If the string
 * as written exceeds SAMPLER_NAME_LIMIT bytes, it is hashed as written.
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

/* The keyed hash of the session, or of the exchange's id. hashes NULL: the body is not JSON. */
uint64_t sampler_key(const struct sample *s, struct id exchange, const struct http_head *head,
        struct span body, const struct request_hashes *hashes);
enum sampled sampler_decide(
        struct sampler *s, const struct sample *sample, uint64_t key, uint64_t now_ns);
/* True if the key lies within the share (0 to 1). Ignores max_rate. */
bool sampler_within(double share, uint64_t key);
