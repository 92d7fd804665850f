#pragma once
/*
 * usage - how many tokens an answer says it took, under the names that engines give them.
 */
#include "answers/draft.h"

/* A number that is a count; anything else leaves *to as it is. */
void usage_count(int64_t *to, const struct json_token *t);
/* "usage": the names of chat, completion and Responses. The last one said counts: some engines send
 * one with every event. j is after the value then. */
void usage_read(struct usage *to, struct json *j, const struct json_token *first);
/* The same of an object that may have a "usage" in it, such as Groq's "x_groq". */
void usage_read_within(struct usage *to, struct json *j, const struct json_token *first);
/* The reading's usage, once its marks and tokens are known: what the answer counts, else what its
 * choices do; marked READING_CONTRADICTORY_USAGE if the counts can't all be true. */
void usage_settle(const struct draft *d, struct reading *r);
/* llama.cpp's "timings", of which cache_n counts the tokens that were cached. */
void usage_read_timings(struct draft *d, struct json *j, const struct json_token *first);
