#pragma once
/*
 * exchange_record - an exchange's place in the capture and in the ledger: its head and body as parts, its
 * row, or the reason why there is none.
 *
 * Recorded is every accepted request but GET, HEAD and OPTIONS (lists of models, health checks:
 * excluded, endpoint), with `record: mirrored` only those of which a copy was made (else excluded,
 * not_mirrored). Without a capture all are excluded as not_mirrored. What was opted out, by a header of
 * the client or by its model, is excluded as that. Loop thread only.
 */
#include <stdbool.h>

#include "capture/record.h"

struct exchange;

/* It may be recorded, as far as its head tells. */
bool exchange_record_wanted(const struct exchange *e);
/* It is to be recorded, as far as is known now; final once copies were decided. */
bool exchange_record_decided(const struct exchange *e);
/*
 * What is to be known of the model is known: opts the exchange out by the rules on models. Where there are
 * such rules and the model cannot be read, they are taken to hold.
 */
void exchange_record_check_model(struct exchange *e);
/* Body of an upload that is not kept whole, as it comes. */
void exchange_record_body(struct exchange *e);
/* The request is whole: its head and what the recorder does not have of its body. */
void exchange_record_request(struct exchange *e);
/* The exchange is complete: the row, or the book alone. */
void exchange_record_finish(struct exchange *e, enum outcome outcome);
