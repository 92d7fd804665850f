#include "backends/probe/probe_observations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize_text.h"

#define CLEARLY 0.01f /* nats; a smaller difference may be a tie that was rounded */

static bool has(struct span body, const char *text)
{
	return body.data && memmem(body.data, body.len, text, strlen(text));
}

/* Only the raw text shows how the engine writes token strings, since a reading converts them. */
static void observe_strings(struct observations *s, struct span body)
{
	s->pieces |= has(body, "\xe2\x96\x81") || has(body, "\\u2581") || has(body, "\xc4\xa0") ||
	             has(body, "\\u0120");
	s->by_id |= has(body, "token_id:");
	s->bytes |= has(body, "\"bytes\":[") || has(body, "\"bytes\": [");
	s->bytes_null |= has(body, "\"bytes\":null") || has(body, "\"bytes\": null");
}

/* Returns the most probable row of a token's list, and the row of the token itself; the list's end:
 * there is none. */
static uint32_t row_best(const struct columns *c, uint32_t i, uint32_t *ret_own)
{
	uint32_t from = i ? c->top_end[i - 1] : 0, best = c->top_end[i];
	struct span token = columns_token(c, i);
	bool lossy = token_is_lossy(token);
	*ret_own = c->top_end[i];
	for (uint32_t r = from; r < c->top_end[i]; r++) {
		if (best == c->top_end[i] || c->top_lp[r] > c->top_lp[best]) {
			best = r;
		}
		/* Several tokens of broken bytes have the same name. */
		if (!lossy && span_equal(columns_top_token(c, r), token)) {
			*ret_own = r;
		}
	}
	return best;
}

static const char *example(struct arena *texts, const struct columns *c, uint32_t i, uint32_t row,
        const char *verb, const char *between, const char *end)
{
	char *chosen = sanitize_text(columns_token(c, i), 24);
	char *other = sanitize_text(columns_top_token(c, row), 24);
	const char *text =
	        arena_printf(texts, "%s \"%s\" %s \"%s\"%s", verb, chosen, between, other, end);
	free(chosen);
	free(other);
	return text;
}

/* Records a chosen token that was not the most probable one, and whether the more probable one had
 * occurred before. */
static void observe_skipped(struct observations *s, struct arena *texts, const struct columns *c,
        uint32_t i, uint32_t best, struct span prompt)
{
	struct span skipped = columns_top_token(c, best);
	bool before = skipped.len && prompt.len &&
	              memmem(prompt.data, prompt.len, skipped.data, skipped.len);
	for (uint32_t k = 0; k < i && !before; k++) {
		before = span_equal(columns_token(c, k), skipped);
	}
	s->not_top++;
	s->skipped_before += before;
	const char **slot = before ? &s->skipped_example : &s->other_example;
	double gap = (double)c->top_lp[best] - (double)c->lp[i];
	if (before) {
		s->skipped_most = fmax(s->skipped_most, gap);
	}
	if (!*slot) {
		*slot = example(texts, c, i, best, "chose", "though", " was more probable");
	}
}

static void observe_tokens(
        struct observations *s, struct arena *texts, const struct columns *c, struct span prompt)
{
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t own, best = row_best(c, i, &own), end = c->top_end[i];
		s->tokens++;
		s->ids |= c->ids[i] >= 0;
		if (c->flags[i] & TOKEN_MISNAMED) {
			s->misnamed++;
			uint32_t first = i ? c->top_end[i - 1] : 0;
			if (!s->misnamed_example && first < end) {
				s->misnamed_example = example(texts, c, i, first, "the text has",
				        "where the logprobs name", "");
			}
			continue;
		}
		if (own < end && fabsf(c->top_lp[own] - c->lp[i]) > 1e-3f) {
			s->inconsistent++;
		}
		if (best < end && best != own && (c->flags[i] & TOKEN_NOT_TOP) &&
		        c->top_lp[best] - c->lp[i] > CLEARLY) {
			observe_skipped(s, texts, c, i, best, prompt);
		}
	}
}

void observations_add(struct observations *s, struct span prompt, const struct reply *t)
{
	const struct columns *c = reply_columns(t);
	if (!c) {
		return;
	}
	s->answers++;
	observe_strings(s, buf_span(&t->answer.body));
	if (t->reading->marks & READING_TOKENS_MISSPELL) {
		s->misspelt++;
		s->misspelt_example = s->misspelt_example ? s->misspelt_example : t->request;
	}
	observe_tokens(s, t->texts, c, prompt);
}
