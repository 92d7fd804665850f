#include "backends/probe/probe_sightings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sanitize_text.h"

#define CLEARLY 0.01f /* nats: less may be a tie, told in another precision */

static bool has(struct span body, const char *text)
{
	return body.data && memmem(body.data, body.len, text, strlen(text));
}

/* How token strings are written shows in the raw text alone: readings mend them. */
static void see_strings(struct sightings *s, struct span body)
{
	s->pieces |= has(body, "\xe2\x96\x81") || has(body, "\\u2581") || has(body, "\xc4\xa0") ||
	             has(body, "\\u0120");
	s->keyless |= has(body, "token_id:");
	s->bytes |= has(body, "\"bytes\":[") || has(body, "\"bytes\": [");
	s->bytes_null |= has(body, "\"bytes\":null") || has(body, "\"bytes\": null");
}

/* The most probable row of a token's list, and the row of the token itself; n: none. */
static uint32_t row_best(const struct columns *c, uint32_t i, uint32_t *ret_own)
{
	uint32_t from = i ? c->top_end[i - 1] : 0, best = c->top_end[i];
	struct span token = columns_token(c, i);
	bool lossy = token.len == 0 || memmem(token.data, token.len, "\xef\xbf\xbd", 3);
	*ret_own = c->top_end[i];
	for (uint32_t r = from; r < c->top_end[i]; r++) {
		if (best == c->top_end[i] || c->top_lp[r] > c->top_lp[best]) {
			best = r;
		}
		/* Broken bytes of several tokens are called the same. */
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

/* Notes a chosen token that was not the most probable one, and whether the more probable one had
 * occurred before. */
static void see_passed(struct sightings *s, struct arena *texts, const struct columns *c,
        uint32_t i, uint32_t best, struct span prompt)
{
	struct span passed = columns_top_token(c, best);
	bool before = passed.len && prompt.len &&
	              memmem(prompt.data, prompt.len, passed.data, passed.len);
	for (uint32_t k = 0; k < i && !before; k++) {
		before = span_equal(columns_token(c, k), passed);
	}
	s->not_top++;
	s->passed_before += before;
	const char **slot = before ? &s->passed_example : &s->other_example;
	double gap = (double)c->top_lp[best] - (double)c->lp[i];
	if (before) {
		s->passed_most = fmax(s->passed_most, gap);
	}
	if (!*slot) {
		*slot = example(texts, c, i, best, "chose", "though", " was more probable");
	}
}

static void see_tokens(
        struct sightings *s, struct arena *texts, const struct columns *c, struct span prompt)
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
			s->unlike++;
		}
		if (best < end && best != own && (c->flags[i] & TOKEN_NOT_TOP) &&
		        c->top_lp[best] - c->lp[i] > CLEARLY) {
			see_passed(s, texts, c, i, best, prompt);
		}
	}
}

void sightings_add(struct sightings *s, struct span prompt, const struct reply *t)
{
	const struct columns *c = reply_columns(t);
	if (!c) {
		return;
	}
	s->answers++;
	see_strings(s, buf_span(&t->answer.body));
	if (t->reading->marks & READING_TOKENS_MISSPELL) {
		s->misspelt++;
		s->misspelt_example = s->misspelt_example ? s->misspelt_example : t->sent;
	}
	see_tokens(s, t->texts, c, prompt);
}
