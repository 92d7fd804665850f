#pragma once
/*
 * usage - reads the token counts that an answer states, under the names that engines use. pulse.c,
 * which only measures a passing answer, reads the top-level "usage" by itself.
 */
#include "answers/draft.h"

/* Sets *to, which is -1 at first, to the count in t. *to stays if t is no count, or if t is 0 and
 * *to has a count. */
void usage_count(int64_t *to, const struct json_token *t);
/* Reads the value of "usage", with the names of chat, completion and Responses. Moves j past it. Of
 * several usages the last one counts, because some engines send one with every event. */
void usage_read(struct usage *to, struct json *j, const struct json_token *first);
/* Reads a member that is a "usage", or an unknown object that may contain one, such as Groq's
 * "x_groq". j: after the value's first token. */
void usage_find(struct usage *to, struct json j, const struct json_token *key,
        const struct json_token *first);
/*
 * Sets r->usage. Set r->choices and r->marks before. Each count comes from the usage of the whole
 * answer; if that lacks it, from the usages in the choices (prompt, cached: the largest;
 * completion, reasoning: the sum; total: only with one choice).
 *
 * If the counts contradict each other: marks r READING_CONTRADICTORY_USAGE, and completion_tokens
 * becomes the number of tokens with logprobs, if all choices have them.
 */
void usage_decide(const struct draft *d, struct reading *r);
/* Reads llama.cpp's "timings", which have the counts of prompt, cached and generated tokens, and
 * moves j past the value. */
void usage_read_timings(struct usage *to, struct json *j, const struct json_token *first);
