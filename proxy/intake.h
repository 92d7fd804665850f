#pragma once
/*
 * intake - a client's bytes on their way in: read as its state wants them, parsed, handed to its
 * exchange.
 *
 * A part of client; loop thread only.
 */
struct client;
struct http_parser;
struct http_problem;

struct http_parser *intake_create(struct client *c);
/* Reads, or stops reading, as the state of client and exchange want it. May disconnect. */
void intake_update(struct client *c);
/*
 * Parses what was read ahead, as far as the state allows. Not from within the parser's or a
 * backend's callbacks.
 */
void intake_go_on(struct client *c);
/* Refuses what is coming in, as if the parser had; with an answer if there is none yet. */
void intake_refuse(struct client *c, const struct http_problem *problem);
