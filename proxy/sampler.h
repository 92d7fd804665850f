#pragma once
/*
 * sampler - decides by a hash which exchanges a reference gets, and which get added members.
 *
 * The keyed hash of the session (or of the exchange's id) is read as a number in [0, 1) and
 * compared with the share. This has three effects: a smaller share is a subset of a larger one, all
 * proxies of a fleet decide alike, and all turns of a session get the same decision. max_rate adds
 * a token bucket for the whole process, which holds the copies of one second. Any thread.
 *
 * If the session's name is a string in a JSON body, its unescaped text is hashed. A string of more
 * than SAMPLER_NAME_LIMIT bytes is hashed as it is written.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/http.h"
#include "proxy/settings/settings.h"
#include "answers/request.h"

#define SAMPLER_NAME_LIMIT ((size_t)64 << 10) /* bytes */

enum sampled { SAMPLED, SAMPLED_OUT_SHARE, SAMPLED_OUT_RATE }; /* OUT: not sampled, and why */

struct sampler;

struct sampler *sampler_create(void); /* the token bucket is full */
void sampler_destroy(struct sampler *s);

/* The keyed hash of the session: of its name in the request, else of its first messages or its
 * prompt; or of the exchange's id. body: the request's, decoded; or empty. hashes NULL: the body is
 * not JSON, or was not hashed. */
uint64_t sampler_key(const struct sample *s, struct id exchange, const struct http_head *head,
        struct span body, const struct request_hashes *hashes);
/* If the key lies within the share and max_rate is set, takes a token from the bucket. now_ns:
 * clock_mono(). */
enum sampled sampler_decide(
        struct sampler *s, const struct sample *sample, uint64_t key, uint64_t now_ns);
/* True if the key lies within the share (0 to 1). Ignores max_rate. */
bool sampler_within(double share, uint64_t key);
