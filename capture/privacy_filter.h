#pragma once
/*
 * privacy_filter - removes from rows and bodies what a capture may not keep. A capture keeps
 * everything (CONTENT_FULL), everything except private text (CONTENT_REDACTED), or no texts
 * (CONTENT_METADATA).
 *
 * Encoders apply it before they compress anything. Placeholders depend on a key for each prompt,
 * which is derived from a secret that each process draws and never stores. So answers to the same
 * prompt can be compared, answers to different prompts cannot, and nobody can find the text behind
 * a placeholder by trying texts. Any thread.
 */
#include <pthread.h>

#include "capture/record.h"
#include "capture/privacy/redact.h"

struct privacy_filter {
	enum content content;
	const struct redact_policy *policy; /* what is private; NULL for CONTENT_FULL */
	struct budget *budget;
	uint8_t secret[32];
	uint8_t hash_key[32]; /* the capture's */
	pthread_mutex_t lock;
	struct redact_counts counts;
};

/* policy must outlive the filter. budget limits the memory that redaction needs in addition to the
 * bodies; NULL: no limit. */
void privacy_filter_init(struct privacy_filter *v, enum content content,
        const struct redact_policy *policy, const uint8_t hash_key[32], struct budget *budget);
void privacy_filter_finish(struct privacy_filter *v);
void privacy_filter_counts(struct privacy_filter *v, struct redact_counts *ret);

/* Filter a body in place, and add to the row's `redactions`. The body must be complete and without
 * content coding. False: the body must not be stored, and its bytes are undefined. */
bool privacy_filter_request(
        struct privacy_filter *v, struct exchange_row *row, struct buf *body) MUST_CHECK;
bool privacy_filter_answer(
        struct privacy_filter *v, struct leg_row *row, struct buf *body) MUST_CHECK;
/* Counts an answer that could not be decoded, and so must not be stored. code: -ENOMEM if the
 * budget had no room, or another error. */
void privacy_filter_refuse(struct privacy_filter *v, int code);
/* Filters a head in place. */
void privacy_filter_head(struct privacy_filter *v, struct id owner, struct buf *head);

/* Filter the texts in the row itself, and set the row's `content`. */
void privacy_filter_exchange_row(struct privacy_filter *v, struct exchange_row *row);
void privacy_filter_leg_row(struct privacy_filter *v, struct leg_row *row);

/* Filters the bytes that edits insert. With CONTENT_METADATA, or if one cannot be examined, removes
 * all edits. */
void privacy_filter_edits(struct privacy_filter *v, struct leg_row *row);

/* For answers whose texts are not stored: sets answer_hash, answer_bytes and reasoning_bytes in the
 * row. Does nothing if the reading has no answer, or members of unknown form. */
void privacy_filter_set_answer_hash(
        const struct privacy_filter *v, struct leg_row *row, const struct reading *reading);
