#pragma once
/*
 * request_reader - a client's bytes on their way in: read as its state wants them, parsed, handed to its
 * exchange.
 *
 * A part of client; loop thread only.
 */
struct client;
struct http_parser;
struct http_problem;

struct http_parser *request_reader_create(struct client *c);
/* Reads, or stops reading, as the state of client and exchange want it. May disconnect. */
void request_reader_update(struct client *c);
/*
 * Parses what was read ahead, as far as the state allows. Not from within the parser's or a
 * backend's callbacks.
 */
void request_reader_continue(struct client *c);
/* Refuses what is coming in, as if the parser had; with an answer if there is none yet. */
void request_reader_refuse(struct client *c, const struct http_problem *problem);
