#pragma once
/*
 * delivery - writes answers as HTTP: heads, framing, events, and faults on the wire. Loop thread
 * only.
 *
 * Each function acts on the caller's current request. After delivery_whole(), delivery_error() and
 * delivery_end() the answer is complete, and c->request is no longer valid.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/caller.h"

void delivery_whole(struct caller *c, int status, const char *type, struct span body);
void delivery_error(struct caller *c, int status, const char *message, const char *param);
/* Write an answer whose body comes in pieces. */
void delivery_begin(struct caller *c, const char *type);
/* As delivery_begin(), with a recorded status and recorded fields ("name: value" CRLF lines).
 * length: of the body; -1: the head does not state it. */
void delivery_begin_again(struct caller *c, int status, struct span fields, int64_t length);
void delivery_piece(struct caller *c, struct span data);
void delivery_end(struct caller *c);
/* Ends the answer early: sends what was written, then ends the connection. */
void delivery_break(struct caller *c, enum caller_after how);
