#pragma once
/*
 * repro_script - writes a shell script that sends one request again to each backend. Pure.
 *
 * Texts of engines and clients occur in the script as data only: bodies in here-documents without
 * expansion or as base64, other texts in single quotes or, sanitised, in comments. The script names
 * the variables that hold keys, and never contains a key.
 */
#include "base/buf.h"
#include "capture/record.h"

struct repro_leg {
	const struct leg_row *row;
	struct span body;   /* the request's body as it was sent to the backend */
	bool recast;        /* the client's chat was sent as a completion */
	bool elsewhere;     /* it was sent to another server than the path was recorded at */
	struct span answer; /* the recorded answer; empty: unknown */
};

void repro_script_begin(struct buf *to, const struct exchange_row *row);
void repro_script_leg(struct buf *to, const struct exchange_row *row, const struct repro_leg *leg);
/* Makes the script exit with 1 if a backend did not answer; an answer with any status will do. */
void repro_script_end(struct buf *to);
/* Appends the name of the variable that holds a backend's key, such as PRIMARY_API_KEY. */
void repro_script_key(struct buf *to, const char *backend);
