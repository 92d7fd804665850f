#pragma once
/*
 * exhibit_parts - makes the parts of an exhibit. An exhibit is one pair of answers as JSON: the
 * prompt, both answers, their differences, and their tokens side by side. docs/analyze.schema.json
 * describes it. For exhibit*.c only.
 */
#include <jansson.h>

#include "analyzer/fold/group.h"
#include "answers/reading.h"
#include "capture/capture.h"

/* Reads the pick's answers from the capture, and makes the whole exhibit; a new reference. NULL:
 * the answers can't be read any more. room: working space of the comparison, for several calls; the
 * caller finishes it. */
json_t *exhibit_make(struct capture *c, const struct analysis_group *g, const struct pick *pick,
        struct meaning_room *room);

/*
 * A text of an engine or a client as a JSON string; a new reference. Keeps at most `limit` bytes,
 * and cuts no character in two. NUL and bytes that are not UTF-8 become \xNN, because many JSON
 * readers refuse them. *ret_left: the number of bytes that were cut off; ret_left may be NULL.
 */
json_t *exhibit_text(struct span s, size_t limit, size_t *ret_left);
/* The same for a short text, such as a name; NULL gives null. */
json_t *exhibit_name(const char *s);
/* Sets the member key to the text; if bytes were cut off, KEY_left_out to their number. */
void exhibit_set_text(json_t *to, const char *key, struct span s, size_t limit);

/* Sets "prompt" ([{role, text}]), "parameters" and "request" (the body), cut to their limits, and
 * the number of bytes that were cut off. body: of the client's request. */
void exhibit_prompt(json_t *to, struct span body);
/*
 * Sets "pieces" of both sides and "alignment" of `to`. tokens: true: pieces are tokens with their
 * logprobs, and both sides must have tokens; false: pieces are words. first: index of the first
 * differing token. Of a long list of tokens, only the part around `first` is shown; of a long list
 * of words, the beginning.
 */
void exhibit_pieces(json_t *to, json_t *base_side, json_t *test_side, const struct choice *base,
        const struct choice *test, bool tokens, uint32_t first);
/*
 * If the capture has scores of an answer, sets "scored" in the answer's pieces (tokens): the
 * scorer's name, and a logprob for each piece. Prefers scores by the backend `by`. leg: index in e
 * of the leg with the answer; answer: the reading of this leg.
 */
void exhibit_scores(json_t *pieces, struct capture *c, const struct capture_exchange *e, size_t leg,
        const struct reading *answer, const char *by);
