#pragma once
/*
 * request_reader - reads a client's bytes while its state allows, parses them, and hands requests
 * to exchanges. Part of client; loop thread only.
 */
struct client;
struct http_parser;
struct http_problem;

/* Makes the parser of the client's requests; it calls request_reader's functions. */
struct http_parser *request_reader_create(struct client *c);
/* Starts or stops reading from the socket, depending on the states of client and exchange. May
 * disconnect the client. */
void request_reader_update(struct client *c);
/* Parses bytes that were read ahead, if the state allows. Never call it in a callback of the parser
 * or of a backend. */
void request_reader_continue(struct client *c);
/* Refuses the request that is being read. Sends an error unless an answer has begun. */
void request_reader_refuse(struct client *c, const struct http_problem *problem);
