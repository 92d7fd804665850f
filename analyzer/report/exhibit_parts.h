#pragma once
/*
 * exhibit_parts - the parts of an exhibit. An exhibit is one pair of answers as JSON: the prompt,
 * both answers, their differences, and their tokens side by side. docs/analyze.schema.json
 * describes it. Private to exhibit*.c.
 */
#include <jansson.h>

#include "analyzer/fold/group.h"
#include "answers/reading.h"
#include "capture/capture.h"

/* The whole exhibit. Reads the pick's answers again. room: working space. NULL: not readable any
 * more. */
json_t *exhibit_make(struct capture *c, const struct analysis_group *g, const struct pick *pick,
        struct meaning_room *room);

/*
 * A text of an engine or a client as a JSON string: at most limit bytes, cut at a character. Bytes
 * that are not UTF-8, and NUL, which many JSON readers refuse, are written \xNN. *ret_left, if not
 * NULL: the number of bytes cut off.
 */
json_t *exhibit_text(struct span s, size_t limit, size_t *ret_left);
/* NULL gives null. */
json_t *exhibit_name(const char *s);
/* Sets key to the text, and key_left_out to the number of bytes cut off, if any. */
void exhibit_set_text(json_t *to, const char *key, struct span s, size_t limit);

/* Sets prompt ([{role, text}]), parameters and request (the body as received), cut to their
 * limits. */
void exhibit_prompt(json_t *to, struct span body);
/*
 * Sets pieces in both sides and alignment in *to: tokens with their logprobs if both sides have
 * them, else words. first: the first differing token; of long answers only the part around it is
 * shown.
 */
void exhibit_pieces(json_t *to, json_t *base_side, json_t *test_side, const struct choice *base,
        const struct choice *test, bool tokens, uint32_t first);
/*
 * Sets "scored" in the answer's pieces if the capture has scores of that leg, preferably by the
 * backend `by`: its name, and a logprob for each piece. Pieces that are words have none.
 */
void exhibit_scores(json_t *pieces, struct capture *c, const struct capture_exchange *e, size_t leg,
        const struct reading *answer, const char *by);
