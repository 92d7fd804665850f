#include "analyzer/report/document/exhibit_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/node.h"
#include "backends/scoring/score_match.h"
#include "base/mem.h"

/* Returns the leg with the scores of that answer; n_legs if there is none. */
static size_t find_scores(const struct capture_exchange *e, struct id answer, const char *by)
{
	size_t found = e->n_legs;
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		bool scores = leg_has_scores(row->marks) && !(row->marks & LEG_TRUNCATED) &&
		              id_compare(row->score_of, answer) == 0;
		bool wanted = row->backend && by && strcmp(row->backend, by) == 0;
		if (scores && (found == e->n_legs || wanted)) {
			found = i;
		}
	}
	return found;
}

static json_t *logprobs(
        const json_t *pieces, const struct columns *scored, const uint32_t *number, uint32_t n)
{
	size_t from = (size_t)json_integer_value(json_object_get(pieces, "from"));
	size_t count = json_array_size(json_object_get(pieces, "texts"));
	json_t *list = json_array();
	for (size_t i = from; i < from + count; i++) {
		bool known = i < n && number[i] != SCORE_NONE;
		double lp = known ? (double)scored->lp[number[i]] : NAN;
		json_array_append_new(list, node_real(round(lp * 1e4) / 1e4));
	}
	return list;
}

static void set_scores(json_t *pieces, const struct leg_row *scorer, const struct reading *scored,
        const struct reading *answer)
{
	const struct choice *choice = reading_choice(answer, 0);
	struct score_place place;
	if (!choice || !choice->has_columns || !score_columns(scored, &place)) {
		return;
	}
	uint32_t n = choice->columns.n;
	uint32_t *number = xmalloc((n + 1) * sizeof(*number));
	place.at = scorer->score_at;
	place.redacted = scorer->content == CONTENT_REDACTED;
	if (score_match(answer, choice, &place, number) > 0) {
		json_t *o = json_object();
		node_set_text(o, "by", scorer->backend);
		json_object_set_new(o, "logprobs", logprobs(pieces, place.columns, number, n));
		json_object_set_new(pieces, "scored", o);
	}
	free(number);
}

void exhibit_scores(json_t *pieces, struct capture *c, const struct capture_exchange *e, size_t leg,
        const struct reading *answer, const char *by)
{
	size_t scores = find_scores(e, e->legs[leg].row.id, by);
	struct reading *scored = NULL;
	if (scores < e->n_legs && json_object_get(pieces, "logprobs") &&
	        capture_reading(c, e, scores, &scored) == 0) {
		set_scores(pieces, &e->legs[scores].row, scored, answer);
	}
	reading_destroy(scored);
}
