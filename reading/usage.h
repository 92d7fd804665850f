#pragma once
/*
 * usage - how many tokens an answer says it took, under the names that engines give them.
 */
#include "reading/draft.h"

/* A number that is a count; anything else leaves *to as it is. */
void usage_count(int64_t *to, const struct json_token *t);
/* "usage": the names of chat, completion and Responses. The last one said counts: some engines send
 * one with every event. j is after the value then. */
void usage_read(struct draft *d, struct json *j, const struct json_token *first);
/* llama.cpp's "timings", of which cache_n counts the tokens that were cached. */
void usage_read_timings(struct draft *d, struct json *j, const struct json_token *first);
