#pragma once
/*
 * exchange_record - what an exchange passes to the recorder, and its entry in the ledger.
 *
 * Recorded: every accepted request except GET, HEAD and OPTIONS (excluded as endpoint). With
 * `record: mirrored` only those that were copied are recorded (others are excluded as
 * not_mirrored). Without a capture all are excluded: as opted_out those that the client or a rule
 * opts out, the others as not_mirrored. Part of exchange; loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "capture/record.h"

struct exchange;

struct exchange_record {
	bool opted_out;   /* not recorded, not copied: by the client's wish or `opt_out.models` */
	bool submitted;   /* the recorder has the request's head and body */
	bool truncated;   /* the record was cut: memory or the recorder's queue was full */
	uint32_t n_parts; /* parts of the body that the recorder has so far */
};

/* Sets opted_out by the request's head. Call first. */
void exchange_record_init(struct exchange *e);

/* True if the exchange may be recorded, judged by its head alone. */
bool exchange_record_wanted(const struct exchange *e);
/* True if the exchange will be recorded, as far as is known; final after mirror_decide(). */
bool exchange_record_decided(const struct exchange *e);
/*
 * Applies `opt_out.models`. Call when the body was parsed, or can't be. With such rules, a request
 * without a readable model is opted out.
 */
void exchange_record_check_model(struct exchange *e);
/* Passes the part of the body that has come to the recorder, unless the upload keeps the whole
 * body. */
void exchange_record_body(struct exchange *e);
/* Call when the request is complete. Passes its head and the rest of the body to the recorder. */
void exchange_record_request(struct exchange *e);
/* Call when the exchange is complete. Passes its row to the recorder, or counts it as excluded. */
void exchange_record_finish(struct exchange *e, enum outcome outcome);
