#pragma once
/*
 * privacy_filter - how much of what passed a capture keeps: all of it, all but what is private, or figures alone.
 *
 * It lies over rows and bodies in the encoders, before anything is packed. Placeholders are made under a key of
 * the prompt, which is derived from a secret that each process draws anew and that is kept nowhere: answers
 * to the same prompt can be compared, two prompts can't, and nobody can look placeholders up. Any thread.
 */
#include <pthread.h>

#include "capture/record.h"
#include "capture/privacy/redact.h"

struct privacy_filter {
	enum content content;
	const struct redact_policy *policy; /* of metadata: for names and addresses */
	struct budget *budget;
	uint8_t secret[32];
	uint8_t hash_key[32]; /* the capture's */
	pthread_mutex_t lock;
	struct redact_counts counts;
};

/* policy: must outlive it; NULL for full content. budget: of what redaction holds beside the bodies, or NULL. */
void privacy_filter_init(struct privacy_filter *v, enum content content,
        const struct redact_policy *policy, const uint8_t hash_key[32], struct budget *budget);
void privacy_filter_finish(struct privacy_filter *v);
void privacy_filter_counts(struct privacy_filter *v, struct redact_counts *ret);

/* In place. Of body, whole and without content coding; false: it must not be kept. */
bool privacy_filter_request(
        struct privacy_filter *v, struct exchange_row *row, struct buf *body) MUST_CHECK;
bool privacy_filter_answer(
        struct privacy_filter *v, struct leg_row *row, struct buf *body) MUST_CHECK;
/* Of an answer that can't even be decoded: counted as one that must not be kept. code: -ENOMEM, or another. */
void privacy_filter_refuse(struct privacy_filter *v, int code);
void privacy_filter_head(struct privacy_filter *v, struct id owner, struct buf *head);

/* What rows say themselves, and how their content is marked. */
void privacy_filter_exchange_row(struct privacy_filter *v, struct exchange_row *row);
void privacy_filter_leg_row(struct privacy_filter *v, struct leg_row *row);

/* The insertions that make a request as sent: those that can't be looked into go, and all with them. */
void privacy_filter_edits(struct privacy_filter *v, struct leg_row *row);

/* What is kept of an answer that is not: a keyed hash and the length of its texts. */
void privacy_filter_note_answer(
        const struct privacy_filter *v, struct leg_row *row, const struct reading *reading);
/* The hash alone, of any reading: equal for answers that say the same to the byte. */
void privacy_filter_hash_answer(
        const uint8_t key[32], const struct reading *reading, uint8_t ret[16]);
