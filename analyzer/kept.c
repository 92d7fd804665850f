#include "analyzer/kept.h"

#include <string.h>

#include "capture/leg_flaw.h"
#include "reading/finish.h"

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

static void add(struct kept *k, const struct exchange_row *e, enum kept_figure f, bool differ)
{
	if (!k->rates) {
		k->rates = clusters_create(N_KEPT_FIGURES);
	}
	clusters_add(k->rates, clusters_row(k->rates, clusters_key_of(e)), f, differ, 1);
}

/* Answers that were cut say nothing by their hashes: that they were is counted elsewhere. */
static bool is_whole(const struct leg_row *leg)
{
	return leg_flaw(leg, NULL) == FLAW_NONE;
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
	add(k, exchange, greedy ? KEPT_GREEDY : KEPT_OTHER,
	        memcmp(base->answer_hash, test->answer_hash, sizeof(base->answer_hash)) != 0);
	if (base->finish && test->finish) {
		add(k, exchange, KEPT_FINISH, !finish_same(base->finish, test->finish));
	}
	k->base_bytes += base->answer_bytes + base->reasoning_bytes;
	k->test_bytes += test->answer_bytes + test->reasoning_bytes;
}

void kept_merge(struct kept *k, const struct kept *other)
{
	k->redacted += other->redacted;
	k->metadata += other->metadata;
	k->unhashed += other->unhashed;
	if (other->rates) {
		k->rates = k->rates ? k->rates : clusters_create(N_KEPT_FIGURES);
		clusters_merge(k->rates, other->rates);
	}
	k->base_bytes += other->base_bytes;
	k->test_bytes += other->test_bytes;
}

void kept_finish(struct kept *k)
{
	clusters_destroy(k->rates);
	*k = (struct kept){0};
}

void kept_estimate(const struct kept *k, enum kept_figure f, struct kept_rate *ret)
{
	double differ = 0, n = 0;
	*ret = (struct kept_rate){0};
	if (k->rates) {
		clusters_total(k->rates, f, &differ, &n);
		clusters_estimate_rate(k->rates, f, &ret->estimate);
	}
	ret->n = (uint64_t)n;
	ret->differ = (uint64_t)differ;
}
