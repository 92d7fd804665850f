#include "cli/opinions/score_show.h"

#include <inttypes.h>
#include <math.h>

#include "backends/scoring/score_request.h"

/* The backend whose answer the leg is. */
static const char *backend_of(const struct capture_exchange *e, struct id leg)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		if (id_compare(row->id, leg) == 0) {
			return row->backend ? row->backend : "?";
		}
	}
	return "?";
}

const char *score_show_of(const struct capture_exchange *e, const struct leg_row *scored)
{
	return backend_of(e, scored->score_of);
}

const char *score_show_against(const struct capture_exchange *e, const struct leg_row *judging)
{
	return backend_of(e, judging->judged_against);
}

void score_show_put(struct buf *to, const struct leg_row *scored, const struct reading *reading)
{
	struct score_place place;
	if (!score_columns(reading, &place) || scored->score_at > place.columns->n - place.tail) {
		buf_append_str(to, "none that can be read");
		return;
	}
	double sum = 0;
	uint32_t n = 0, end = place.columns->n - place.tail;
	for (uint32_t i = scored->score_at; i < end; i++) {
		if (isfinite(place.columns->lp[i])) {
			sum += (double)place.columns->lp[i];
			n++;
		}
	}
	buf_printf(to, "of %" PRIu32 " tokens, from number %" PRIu32 " of %" PRIu32 " on",
	        end - scored->score_at, scored->score_at, end);
	if (n > 0) {
		buf_printf(to, "; perplexity %.3f", exp(-sum / n));
	}
}
