#include "analyzer/rows/partial_content.h"

#include <string.h>

#include "capture/leg_flaw.h"
#include "answers/finish.h"

static enum content content_of(const struct exchange_row *exchange, const struct leg_row *leg)
{
	return leg->content ? leg->content : exchange->content;
}

bool partial_content_is_metadata(const struct exchange_row *exchange, const struct leg_row *leg)
{
	return content_of(exchange, leg) == CONTENT_METADATA;
}

static bool is_hashed(const struct leg_row *leg)
{
	static const uint8_t none[sizeof(leg->answer_hash)];
	return memcmp(leg->answer_hash, none, sizeof(none)) != 0;
}

bool partial_content_is_redacted(
        const struct exchange_row *exchange, const struct leg_row *base, const struct leg_row *test)
{
	return exchange->content == CONTENT_REDACTED ||
	       content_of(exchange, base) == CONTENT_REDACTED ||
	       content_of(exchange, test) == CONTENT_REDACTED;
}

/* Hashes of cut answers are meaningless; the cut itself is counted elsewhere. */
static bool is_whole(const struct leg_row *leg)
{
	return leg_flaw(leg, NULL) == FLAW_NONE;
}

void partial_content_compare(const struct exchange_row *exchange, const struct leg_row *base,
        const struct leg_row *test, struct metadata_pair *ret)
{
	*ret = (struct metadata_pair){
	        .is_whole = is_whole(base) && is_whole(test),
	        .is_hashed = is_hashed(base) && is_hashed(test),
	        .greedy = exchange->facts.is_json && exchange->facts.temperature == 0,
	        .differ = memcmp(base->answer_hash, test->answer_hash, sizeof(base->answer_hash)) !=
	                  0,
	        .has_finish = base->finish && test->finish,
	        .base_bytes = base->answer_bytes + base->reasoning_bytes,
	        .test_bytes = test->answer_bytes + test->reasoning_bytes,
	};
	ret->finish_differs = ret->has_finish && !finish_same(base->finish, test->finish);
}

static void add(struct partial_content *k, const uint8_t *cluster, enum partial_content_figure f,
        bool differ)
{
	struct clusters *rates = clusters_of(&k->rates, N_PARTIAL_CONTENT_FIGURES);
	clusters_add(rates, clusters_row(rates, cluster), f, differ, 1);
}

void partial_content_add_metadata(struct partial_content *k,
        const uint8_t cluster[CLUSTERS_KEY_SIZE], const struct metadata_pair *pair)
{
	k->metadata++;
	if (!pair->is_whole) {
		return;
	}
	if (!pair->is_hashed) {
		k->unhashed++;
		return;
	}
	add(k, cluster, pair->greedy ? PARTIAL_CONTENT_GREEDY : PARTIAL_CONTENT_OTHER,
	        pair->differ);
	if (pair->has_finish) {
		add(k, cluster, PARTIAL_CONTENT_FINISH, pair->finish_differs);
	}
	k->base_bytes += pair->base_bytes;
	k->test_bytes += pair->test_bytes;
}

void partial_content_finish(struct partial_content *k)
{
	clusters_destroy(k->rates);
	*k = (struct partial_content){0};
}

void partial_content_estimate(const struct partial_content *k, enum partial_content_figure f,
        struct partial_content_rate *ret)
{
	struct ratio r = clusters_total(k->rates, f);
	clusters_estimate_rate(k->rates, f, &ret->estimate);
	ret->n = (uint64_t)r.whole;
	ret->differ = (uint64_t)r.part;
}
