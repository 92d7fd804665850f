#pragma once
/*
 * exhibit_parts - the parts of an exhibit, which is one pair of answers as a document: what was asked, what both sides
 * said, how they differ, and their tokens beside each other. docs/analyze.schema.json describes it. Private to
 * exhibit*.c.
 */
#include <jansson.h>

#include "analyzer/fold/group.h"
#include "answers/reading.h"
#include "capture/capture.h"

/* The whole. Reads the pick's answers again. room: working space. NULL: they can't be read any more. */
json_t *exhibit_make(struct capture *c, const struct analysis_group *g, const struct pick *pick,
        struct meaning_room *room);

/*
 * What engines and clients wrote: at most limit bytes of it, cut at a character. Bytes that are no UTF-8, and NUL,
 * which many readers of JSON refuse, are written \xNN. *ret_left, if not NULL: how many bytes were cut off.
 */
json_t *exhibit_text(struct span s, size_t limit, size_t *ret_left);
/* NULL gives null. */
json_t *exhibit_name(const char *s);
/* Sets key to the text and key_left_out to what was cut, if any. */
void exhibit_set_text(json_t *to, const char *key, struct span s, size_t limit);

/* Sets prompt ([{role, text}]), parameters and request (the body as it came), cut to their limits. */
void exhibit_prompt(json_t *to, struct span body);
/*
 * Sets pieces in both sides and alignment in *to: tokens with what their engines thought of them where both have such
 * columns, else words. first: the first differing token; of long answers it is the surroundings of it that are shown.
 */
void exhibit_pieces(json_t *to, json_t *base_side, json_t *test_side, const struct choice *base,
        const struct choice *test, bool tokens, uint32_t first);
/*
 * Sets "scored" of the answer's pieces where the capture has scores of that leg, preferably by the
 * backend named by: its name, and a logprob for each piece. Pieces that are words have none.
 */
void exhibit_scores(json_t *pieces, struct capture *c, const struct capture_exchange *e, size_t leg,
        const struct reading *answer, const char *by);
