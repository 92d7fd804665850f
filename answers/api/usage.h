#pragma once
/*
 * usage - the token counts that an answer states, under the names that engines use.
 */
#include "answers/draft.h"

/* Stores a count; anything else leaves *to unchanged. */
void usage_count(int64_t *to, const struct json_token *t);
/* Reads "usage", with the names of chat, completion and Responses. The last one counts: some
 * engines send one with every event. j is then after the value. */
void usage_read(struct usage *to, struct json *j, const struct json_token *first);
/* Reads an object that may contain a "usage", such as Groq's "x_groq". */
void usage_read_within(struct usage *to, struct json *j, const struct json_token *first);
/* Sets the reading's usage once its marks and tokens are known: the answer's counts, else its
 * choices'; marks READING_CONTRADICTORY_USAGE if they contradict each other. */
void usage_settle(const struct draft *d, struct reading *r);
/* llama.cpp's "timings": cache_n is the number of cached tokens. */
void usage_read_timings(struct draft *d, struct json *j, const struct json_token *first);
