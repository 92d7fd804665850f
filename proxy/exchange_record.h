#pragma once
/*
 * exchange_record - what an exchange passes to the recorder, and its entry in the ledger: recorded,
 * or excluded by the first reason that applies:
 *
 *	refused       the proxy refused the request
 *	opted_out     the client or `opt_out.models` opts it out
 *	not_mirrored  there is no capture
 *	endpoint      its method is GET, HEAD or OPTIONS
 *	not_mirrored  the settings say `record: mirrored`, and it was not copied
 *
 * Part of exchange; loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "capture/record.h"

struct exchange;

struct exchange_record {
	bool opted_out;   /* neither recorded nor copied */
	bool submitted;   /* exchange_record_request() was called */
	bool truncated;   /* the record was cut: memory or the recorder's queue was full */
	uint32_t n_parts; /* number of parts of the body that the recorder has */
};

/* Sets opted_out by the request's head. Call first. */
void exchange_record_init(struct exchange *e);

/* True if the exchange may be recorded, judged by what is known when its head came. */
bool exchange_record_wanted(const struct exchange *e);
/* True if the exchange will be recorded, by what is known now; final after mirror_decide(). */
bool exchange_record_decided(const struct exchange *e);
/* Applies `opt_out.models`. Call when the body was parsed, or can't be parsed. If there are such
 * rules, it opts out a request whose model is unknown. */
void exchange_record_check_model(struct exchange *e);
/* Passes the new part of the body to the recorder. Call while a body arrives that is not held to be
 * edited. */
void exchange_record_body(struct exchange *e);
/* Call when the request is complete. Passes its head and the rest of the body to the recorder. */
void exchange_record_request(struct exchange *e);
/* Call when the exchange is complete. Passes its row to the recorder, or counts it as excluded. */
void exchange_record_finish(struct exchange *e, enum outcome outcome);
