#pragma once
/*
 * repro_script - writes a shell script that sends one exchange's request again to each backend.
 * Pure.
 *
 * Text of engines and clients occurs as data only: bodies in here-documents without expansion or as
 * base64, everything else in single quotes. Keys are names of variables, never values.
 */
#include "base/buf.h"
#include "capture/record.h"

struct repro_leg {
	const struct leg_row *row;
	struct span body;   /* as sent */
	bool recast;        /* a chat that was sent as a completion */
	struct span answer; /* the recorded answer; empty: unknown */
};

void repro_script_begin(struct buf *to, const struct exchange_row *row);
void repro_script_leg(struct buf *to, const struct exchange_row *row, const struct repro_leg *leg);
void repro_script_end(struct buf *to); /* the script exits 1 if a backend could not be asked */
/* The name of the variable that holds a backend's key: PRIMARY_API_KEY. */
void repro_script_key(struct buf *to, const char *backend);
