#include "backends/engine/prompt_scores.h"

#include <stdio.h>

#include "backends/engine/ranking.h"

static void put_item(struct json_writer *w, uint32_t id, double logprob, int64_t rank)
{
	char key[16];
	snprintf(key, sizeof(key), "%u", id);
	json_writer_open(w, key, '{');
	json_writer_number(w, "logprob", (double)(float)logprob);
	json_writer_integer(w, "rank", rank);
	json_writer_string(w, "decoded_token", vocabulary_name(id));
	json_writer_close(w, "}");
}

/* Writes the prompt's token at this position, whatever its rank, and the top tokens beside it. */
static void put_position(struct json_writer *w, const struct generation *g, uint32_t id,
        const struct language_spread *spread)
{
	double z = language_normaliser(g->language, spread);
	struct language_item item;
	struct ranking r;
	int64_t rank = 0;
	ranking_of_spread(&r, g->language, spread);
	json_writer_open(w, NULL, '{');
	while (ranking_next(&r, &item)) {
		rank++;
		if (item.id == id) {
			put_item(w, id, (double)item.logit - z, rank);
			break;
		}
	}
	ranking_rewind(&r);
	for (int i = 0; i < g->request->prompt_top && ranking_next(&r, &item); i++) {
		if (item.id != id) {
			put_item(w, item.id, (double)item.logit - z, i + 1);
		}
	}
	json_writer_close(w, "}");
}

void prompt_scores_put(struct json_writer *w, const char *key, const struct generation *g)
{
	const struct tokens *prompt = engine_request_prompt(g->request, g->index);
	struct language_state state;
	language_begin(g->language, &state);
	json_writer_open(w, key, '[');
	for (size_t i = 0; i < prompt->n; i++) {
		if (i == 0) {
			json_writer_null(w, NULL);
		} else {
			struct language_spread spread;
			language_spread(g->language, &state, &spread);
			language_disturb(&g->numerics, &state, &spread);
			put_position(w, g, prompt->items[i], &spread);
		}
		language_push(g->language, &state, prompt->items[i]);
	}
	json_writer_close(w, "]");
}
