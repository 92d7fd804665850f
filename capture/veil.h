#pragma once
/*
 * veil - how much of what passed a capture keeps: all of it, all but what is private, or figures alone.
 *
 * It lies over rows and bodies in the encoders, before anything is packed. Placeholders are made under a key of
 * the prompt, which is derived from a secret that each process draws anew and that is kept nowhere: answers
 * to the same prompt can be compared, two prompts can't, and nobody can look placeholders up. Any thread.
 */
#include <pthread.h>

#include "capture/record.h"
#include "capture/privacy/redact.h"

struct veil {
	enum content content;
	const struct redact_policy *policy; /* of metadata: for names and addresses */
	struct budget *budget;
	uint8_t secret[32];
	uint8_t hash_key[32]; /* the capture's */
	pthread_mutex_t lock;
	struct redact_counts counts;
};

/* policy: must outlive it; NULL for full content. budget: of what redaction holds beside the bodies, or NULL. */
void veil_init(struct veil *v, enum content content, const struct redact_policy *policy,
        const uint8_t hash_key[32], struct budget *budget);
void veil_finish(struct veil *v);
void veil_counts(struct veil *v, struct redact_counts *ret);

/* In place. Of body, whole and without content coding; false: it must not be kept. */
bool veil_request(struct veil *v, struct exchange_row *row, struct buf *body) MUST_CHECK;
bool veil_answer(struct veil *v, struct leg_row *row, struct buf *body) MUST_CHECK;
/* Of an answer that can't even be decoded: counted as one that must not be kept. code: -ENOMEM, or another. */
void veil_refuse(struct veil *v, int code);
void veil_head(struct veil *v, struct id owner, struct buf *head);

/* What rows say themselves, and how their content is marked. */
void veil_exchange_row(struct veil *v, struct exchange_row *row);
void veil_leg_row(struct veil *v, struct leg_row *row);

/* The insertions that make a request as sent: those that can't be looked into go, and all with them. */
void veil_edits(struct veil *v, struct leg_row *row);

/* What is kept of an answer that is not: a keyed hash and the length of its texts. */
void veil_note_answer(const struct veil *v, struct leg_row *row, const struct reading *reading);
/* The hash alone, of any reading: equal for answers that say the same to the byte. */
void veil_hash_answer(const uint8_t key[32], const struct reading *reading, uint8_t ret[16]);
