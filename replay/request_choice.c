#include "replay/request_choice.h"

#include <string.h>

#include <xxhash.h>

/* A session is always in the sample or always out of it as a whole. A request without a session
 * is drawn on its own. */
static bool in_sample(const struct request_choice_rules *r, const struct filter_request *of)
{
	static const uint8_t NONE[REQUEST_HASH_SIZE];
	bool session = r->by_session && memcmp(of->session, NONE, sizeof(NONE)) != 0;
	const void *key = session ? (const void *)of->session : of->exchange.bytes;
	uint64_t hash = XXH3_64bits_withSeed(key, 16, r->seed);
	return (double)(hash >> 11) / 9007199254740992.0 < r->share;
}

bool request_choice_selects(const struct request_choice_rules *r, const struct filter_request *f)
{
	return filters_match(&r->filters, f) && (r->share >= 1 || in_sample(r, f));
}
