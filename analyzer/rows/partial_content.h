#pragma once
/*
 * partial_content - pairs of which a capture does not hold all: redacted ones, and ones of which only
 * metadata are there.
 *
 * Redacted answers are compared as any others: of one prompt equal texts have equal placeholders.
 * Of metadata nothing can be compared but the keyed hash of the answers, how they ended, and how
 * long they were. Whether the client asked for greedy decoding is all that is known of it.
 */
#include "analyzer/stats/clusters.h"
#include "capture/capture.h"

enum partial_content_figure {
	PARTIAL_CONTENT_GREEDY, /* answers differ by their hashes, asked for at temperature 0 */
	PARTIAL_CONTENT_OTHER,  /* the same of all others */
	PARTIAL_CONTENT_FINISH, /* they have a different finish reason */
	N_PARTIAL_CONTENT_FIGURES,
};

struct partial_content {   /* zero-initialised is empty */
	uint64_t redacted; /* pairs of which request or answers were redacted */
	uint64_t metadata; /* pairs of which an answer is metadata alone */
	uint64_t unhashed; /* of these: without an answer of a known form on a side */
	struct clusters
	        *rates; /* N_PARTIAL_CONTENT_FIGURES, of the rest; NULL while there is none */
	uint64_t base_bytes, test_bytes; /* of texts and reasoning */
};

struct partial_content_rate {
	uint64_t n, differ;
	struct estimate estimate; /* as of any rate, over clusters; nothing where n is 0 */
};

/* What a pair of answers shows of which one is metadata alone. */
struct metadata_pair {
	bool is_whole;  /* both answers came whole; else nothing below is known */
	bool is_hashed; /* both have a known form */
	bool greedy, differ;
	bool has_finish, finish_differs;
	uint64_t base_bytes, test_bytes;
};

/* Pure. */
void partial_content_compare(const struct exchange_row *exchange, const struct leg_row *base,
        const struct leg_row *test, struct metadata_pair *ret);
bool partial_content_is_redacted(const struct exchange_row *exchange, const struct leg_row *base,
        const struct leg_row *test);
void partial_content_add_metadata(struct partial_content *k,
        const uint8_t cluster[CLUSTERS_KEY_SIZE], const struct metadata_pair *pair);
void partial_content_finish(struct partial_content *k);
void partial_content_estimate(const struct partial_content *k, enum partial_content_figure f,
        struct partial_content_rate *ret);
bool partial_content_is_metadata(const struct exchange_row *exchange, const struct leg_row *leg);
