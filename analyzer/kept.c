#include "analyzer/kept.h"

#include <string.h>

static enum content content_of(const struct exchange_row *exchange, const struct leg_row *leg)
{
	return leg->content ? leg->content : exchange->content;
}

bool kept_is_metadata(const struct exchange_row *exchange, const struct leg_row *leg)
{
	return content_of(exchange, leg) == CONTENT_METADATA;
}

static bool is_hashed(const struct leg_row *leg)
{
	static const uint8_t none[sizeof(leg->answer_hash)];
	return memcmp(leg->answer_hash, none, sizeof(none)) != 0;
}

static void rate_add(struct kept_rate *r, bool differ)
{
	r->n++;
	r->differ += differ;
}

/* Answers that were cut say nothing by their hashes: that they were is counted elsewhere. */
static bool is_whole(const struct leg_row *leg)
{
	return leg->outcome == OUTCOME_COMPLETE && leg->status >= 200 && leg->status < 300;
}

void kept_add(struct kept *k, const struct exchange_row *exchange, const struct leg_row *base,
        const struct leg_row *test)
{
	bool metadata = kept_is_metadata(exchange, base) || kept_is_metadata(exchange, test);
	k->redacted += content_of(exchange, base) == CONTENT_REDACTED ||
	               content_of(exchange, test) == CONTENT_REDACTED ||
	               exchange->content == CONTENT_REDACTED;
	k->metadata += metadata;
	if (!metadata || !is_whole(base) || !is_whole(test)) {
		return;
	}
	if (!is_hashed(base) || !is_hashed(test)) {
		k->unhashed++;
		return;
	}
	bool greedy = exchange->facts.is_json && exchange->facts.temperature == 0;
	rate_add(greedy ? &k->greedy : &k->other,
	        memcmp(base->answer_hash, test->answer_hash, sizeof(base->answer_hash)) != 0);
	if (base->finish && test->finish) {
		rate_add(&k->finish, strcmp(base->finish, test->finish) != 0);
	}
	k->base_bytes += base->answer_bytes + base->reasoning_bytes;
	k->test_bytes += test->answer_bytes + test->reasoning_bytes;
}

static void rate_merge(struct kept_rate *r, const struct kept_rate *other)
{
	r->n += other->n;
	r->differ += other->differ;
}

void kept_merge(struct kept *k, const struct kept *other)
{
	k->redacted += other->redacted;
	k->metadata += other->metadata;
	k->unhashed += other->unhashed;
	rate_merge(&k->greedy, &other->greedy);
	rate_merge(&k->other, &other->other);
	rate_merge(&k->finish, &other->finish);
	k->base_bytes += other->base_bytes;
	k->test_bytes += other->test_bytes;
}
