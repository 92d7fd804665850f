#pragma once
/*
 * partial_content - compares pairs whose content is only partly in the capture: redacted pairs, and
 * pairs with an answer of which only metadata was recorded.
 *
 * Redacted answers are compared like all others, because equal texts for one prompt have equal
 * placeholders. Of an answer with only metadata, the capture has a keyed hash, the finish reason
 * and the lengths; these are compared. How such an answer was decoded is known only from the
 * client's request.
 */
#include "analyzer/stats/clusters.h"
#include "capture/capture.h"

enum partial_content_figure {
	PARTIAL_CONTENT_GREEDY, /* share of differing hashes; requests at temperature 0 */
	PARTIAL_CONTENT_OTHER,  /* the same, all other requests */
	PARTIAL_CONTENT_FINISH, /* share of differing finish reasons */
	N_PARTIAL_CONTENT_FIGURES,
};

struct partial_content {   /* zero-initialised: empty */
	uint64_t redacted; /* partial_content_is_redacted() pairs; the caller counts them */
	uint64_t metadata; /* pairs with an answer that is only metadata */
	/* complete metadata pairs where a side has no hash, because plumbline could not parse
	 * the answer as one of a supported API */
	uint64_t unhashed;
	/* N_PARTIAL_CONTENT_FIGURES figures over the metadata pairs that are complete and have
	 * both hashes; NULL: no pair yet */
	struct clusters *rates;
	/* sums over the same pairs of the lengths of text and reasoning */
	uint64_t base_bytes, test_bytes;
};

struct partial_content_rate {
	uint64_t n, differ;       /* pairs that count; pairs that differ */
	struct estimate estimate; /* its value is NaN if n is 0 */
};

/* The facts of a pair in which an answer is only metadata. */
struct metadata_pair {
	bool is_whole;       /* both answers are complete; if not, ignore the other members */
	bool is_hashed;      /* both answers have a hash, since plumbline could parse them */
	bool greedy, differ; /* the request has temperature 0; the hashes differ */
	bool has_finish, finish_differs;
	uint64_t base_bytes, test_bytes;
};

/* Compares what the capture's rows have of two answers. Pure. */
void partial_content_compare(const struct exchange_row *exchange, const struct leg_row *base,
        const struct leg_row *test, struct metadata_pair *ret);
/* True if the request or an answer of the pair was redacted. */
bool partial_content_is_redacted(const struct exchange_row *exchange, const struct leg_row *base,
        const struct leg_row *test);
/* Counts a pair in `metadata`; if it is whole, also in `unhashed` or, if both answers have a hash,
 * in `rates` and the sums. cluster: clusters_key_of() the exchange. */
void partial_content_add_metadata(struct partial_content *k,
        const uint8_t cluster[CLUSTERS_KEY_SIZE], const struct metadata_pair *pair);
void partial_content_finish(struct partial_content *k);
/* Estimates one figure from all pairs that were added. */
void partial_content_estimate(const struct partial_content *k, enum partial_content_figure f,
        struct partial_content_rate *ret);
/* True if the recorder kept only metadata of the leg's answer. */
bool partial_content_is_metadata(const struct exchange_row *exchange, const struct leg_row *leg);
