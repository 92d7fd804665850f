#pragma once
/*
 * delivery - writes answers as HTTP: heads, framing, events, faults on the wire. Loop thread only.
 *
 *	delivery_whole()   a complete answer
 *	delivery_problem() an error object of OpenAI's form; delivery_error(): one without a param
 *	delivery_begin()   the head of an answer whose body comes in pieces; then delivery_piece()
 *	                   for each, then delivery_end()
 *	delivery_break()   after delivery_begin(): ends the answer early
 *
 * Each function acts on the client's current request. type: the Content-Type. After all functions
 * but delivery_begin(), delivery_begin_recorded() and delivery_piece() the answer is complete, and
 * c->request is no longer valid.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/engine_client.h"

void delivery_whole(struct engine_client *c, int status, const char *type, struct span body);
void delivery_problem(struct engine_client *c, const struct engine_problem *problem);
void delivery_error(struct engine_client *c, int status, const char *message);
void delivery_begin(struct engine_client *c, const char *type);
/* As delivery_begin(), with a recorded status and recorded fields ("name: value" CRLF lines).
 * length: of the body; -1: the head does not state it. The request must have no faults. */
void delivery_begin_recorded(
        struct engine_client *c, int status, struct span fields, int64_t length);
void delivery_piece(struct engine_client *c, struct span data);
void delivery_end(struct engine_client *c);
/* Sends what was written, then ends the connection. how: ENGINE_CLIENT_CLOSE, or
 * ENGINE_CLIENT_RESET for RST. */
void delivery_break(struct engine_client *c, enum engine_client_after how);
