#pragma once
/*
 * privacy_filter - how much of the traffic a capture keeps: all, all except private text, or
 * figures only.
 *
 * It applies to rows and bodies in the encoders, before anything is packed. Placeholders depend on
 * a key for each prompt. The key is derived from a secret that each process draws and never stores.
 * So answers to the same prompt can be compared, answers to different prompts cannot, and nobody
 * can find out by trying which text a placeholder stands for. Any thread.
 */
#include <pthread.h>

#include "capture/record.h"
#include "capture/privacy/redact.h"

struct privacy_filter {
	enum content content;
	const struct redact_policy *policy; /* for metadata: names and addresses */
	struct budget *budget;
	uint8_t secret[32];
	uint8_t hash_key[32]; /* the capture's */
	pthread_mutex_t lock;
	struct redact_counts counts;
};

/* policy: must outlive the filter; NULL for full content. budget: for the memory that redaction
 * needs in addition to the bodies, or NULL. */
void privacy_filter_init(struct privacy_filter *v, enum content content,
        const struct redact_policy *policy, const uint8_t hash_key[32], struct budget *budget);
void privacy_filter_finish(struct privacy_filter *v);
void privacy_filter_counts(struct privacy_filter *v, struct redact_counts *ret);

/* Filters in place. body: complete, without content coding. False: it must not be stored. */
bool privacy_filter_request(
        struct privacy_filter *v, struct exchange_row *row, struct buf *body) MUST_CHECK;
bool privacy_filter_answer(
        struct privacy_filter *v, struct leg_row *row, struct buf *body) MUST_CHECK;
/* For an answer that cannot be decoded: counts it as one that must not be stored. code: -ENOMEM, or
 * another. */
void privacy_filter_refuse(struct privacy_filter *v, int code);
void privacy_filter_head(struct privacy_filter *v, struct id owner, struct buf *head);

/* Filters the texts in the row itself, and sets the row's `content`. */
void privacy_filter_exchange_row(struct privacy_filter *v, struct exchange_row *row);
void privacy_filter_leg_row(struct privacy_filter *v, struct leg_row *row);

/* Filters the insertions of edits; if one cannot be examined, all edits are removed. */
void privacy_filter_edits(struct privacy_filter *v, struct leg_row *row);

/* Stores a keyed hash and the length of an answer's texts, which are not stored themselves. */
void privacy_filter_note_answer(
        const struct privacy_filter *v, struct leg_row *row, const struct reading *reading);
/* The hash alone, of any reading: equal for answers that are equal byte for byte. */
void privacy_filter_hash_answer(
        const uint8_t key[32], const struct reading *reading, uint8_t ret[16]);
