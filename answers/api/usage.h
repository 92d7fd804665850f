#pragma once
/*
 * usage - reads the token counts that an answer states, under the names that engines use. pulse.c,
 * which only measures a passing answer, reads the top-level "usage" by itself.
 */
#include "answers/draft.h"

/* Sets *to to a count; *to is -1 before the first one. Ignores a value that is no count, and a 0
 * after another count. */
void usage_count(int64_t *to, const struct json_token *t);
/* Reads the value of "usage", with the names of chat, completion and Responses. If several come,
 * the last one counts: some engines send one with every event. j is then after the value. */
void usage_read(struct usage *to, struct json *j, const struct json_token *first);
/* Reads a member that is a "usage", or an unknown object that may contain one, such as Groq's
 * "x_groq". j: after the value's first token. */
void usage_find(struct usage *to, struct json j, const struct json_token *key,
        const struct json_token *first);
/* Sets the reading's usage from the answer's counts, or else from its choices' counts. r must have
 * its marks and choices already. May mark it READING_CONTRADICTORY_USAGE. */
void usage_decide(const struct draft *d, struct reading *r);
/* Reads llama.cpp's "timings", which have the counts of prompt, cached and generated tokens. j is
 * then after the value. */
void usage_read_timings(struct usage *to, struct json *j, const struct json_token *first);
