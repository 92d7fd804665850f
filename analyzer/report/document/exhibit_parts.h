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

/* Makes the whole exhibit; a new reference. Reads the pick's answers from the capture. room:
 * working space of the comparison, for several calls; the caller finishes it. NULL: the answers
 * can't be read any more. */
json_t *exhibit_make(struct capture *c, const struct analysis_group *g, const struct pick *pick,
        struct meaning_room *room);

/*
 * A text of an engine or a client as a JSON string: at most limit bytes, cut at a character. NUL
 * and bytes that are not UTF-8 become \xNN, because many JSON readers refuse them. *ret_left, if
 * not NULL: the number of bytes that were cut off.
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
 * Sets "pieces" of both sides and "alignment" of to. tokens: pieces are tokens with their logprobs,
 * which both sides have; else words. first: index of the first differing token; of long lists of
 * tokens, only the part around it is shown. Of long lists of words, the beginning is shown.
 */
void exhibit_pieces(json_t *to, json_t *base_side, json_t *test_side, const struct choice *base,
        const struct choice *test, bool tokens, uint32_t first);
/*
 * Sets "scored" in the answer's pieces (tokens) if the capture has scores of that leg, preferably
 * by the backend `by`: the scorer's name, and a logprob for each piece. leg: index in e; answer:
 * its reading.
 */
void exhibit_scores(json_t *pieces, struct capture *c, const struct capture_exchange *e, size_t leg,
        const struct reading *answer, const char *by);
