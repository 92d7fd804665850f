#pragma once
/*
 * exchange_record - what of an exchange goes to the recorder, and its entry in the ledger.
 *
 * Recorded: every accepted request except GET, HEAD and OPTIONS (excluded as endpoint); with
 * `record: mirrored` only those that were copied (else excluded as not_mirrored). Without a
 * capture all are excluded as not_mirrored, those that the client or a rule opts out as opted_out.
 * Part of exchange; loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "capture/record.h"

struct exchange;

struct exchange_record {
	bool opted_out;   /* neither recorded nor copied: the client or a rule on models says so */
	bool submitted;   /* the recorder has head and body */
	bool truncated;   /* for want of memory, or of room in the recorder's queue */
	uint32_t n_parts; /* of the body, so far */
};

/* By its head the client opts out, or not. First. */
void exchange_record_init(struct exchange *e);

/* By its head it may be recorded. */
bool exchange_record_wanted(const struct exchange *e);
/* It will be recorded, as far as is known; final after mirror_decide(). */
bool exchange_record_decided(const struct exchange *e);
/*
 * Applies `opt_out.models`, once the body was parsed or can't be. With such rules a request whose
 * model can't be read is opted out.
 */
void exchange_record_check_model(struct exchange *e);
/* Hands over the part of a body that has come, if it is not kept to its end. */
void exchange_record_body(struct exchange *e);
/* The request is complete: hands over head and the rest of the body. */
void exchange_record_request(struct exchange *e);
/* The exchange is complete: hands over its row, or counts it as excluded. */
void exchange_record_finish(struct exchange *e, enum outcome outcome);
