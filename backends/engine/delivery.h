#pragma once
/*
 * delivery - answers as HTTP: heads, framing, events, and the faults of the wire. Loop thread only.
 *
 * Each function acts on the caller's present request. After delivery_whole(), delivery_error() and
 * delivery_end() the answer is complete and the request is gone.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/caller.h"

void delivery_whole(struct caller *c, int status, const char *type, struct span body);
void delivery_error(struct caller *c, int status, const char *message, const char *param);
/* A body in pieces. */
void delivery_begin(struct caller *c, const char *type);
/* As delivery_begin() with any status and fields ("name: value" CRLF lines), as recorded. length:
 * of the body, or -1 if it is not announced. */
void delivery_begin_again(struct caller *c, int status, struct span fields, int64_t length);
void delivery_piece(struct caller *c, struct span data);
void delivery_end(struct caller *c);
/* Ends the answer early: what was written is sent, then the connection ends. */
void delivery_break(struct caller *c, enum caller_after how);
