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
/* A body that comes in pieces. */
void delivery_begin(struct caller *c, const char *type);
/* The same with any status and fields ("name: value" CRLF lines), as they were recorded. length: of the body, -1 where
 * it is not told before the body. */
void delivery_begin_again(struct caller *c, int status, struct span fields, int64_t length);
void delivery_piece(struct caller *c, struct span data);
void delivery_end(struct caller *c);
/* Breaks the answer off: what was written goes out, then the connection ends. */
void delivery_break(struct caller *c, enum caller_after how);
