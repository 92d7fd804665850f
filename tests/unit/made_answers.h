#pragma once
/*
 * made_answers - makes pairs of answers of a toy model with known probabilities. At each position
 * there are seven tokens with normally distributed logits; the answer lists five of them. Each side
 * can have an engine's fault. Also makes the row of any two choices.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/rows/rows.h"
#include "base/mem.h"
#include "answers/tokens/columns.h"
#include "answers/reading.h"
#include "seeded.h"

#define MADE_CANDIDATES 7
#define MADE_LISTED 5
#define MADE_TOKENS 24
#define MADE_WORDS 60

struct made_side {
	double noise;       /* nats: standard deviation of the normal noise on each logit */
	double penalty;     /* nats, subtracted from tokens that the answer already has */
	bool processed;     /* the logprobs include the penalty */
	double temperature; /* of the logprobs; 0: 1 */
	double sampling;    /* temperature at which tokens are drawn; 0: greedy */
	double foreign;     /* probability that a position ignores the context */
	bool late;          /* each token has the list of the token before it */
};

struct made_answer {
	struct choice choice;
	struct columns_builder *builder;
	uint32_t seen[MADE_WORDS];
	uint32_t words[MADE_CANDIDATES], late_words[MADE_LISTED];
	double lps[MADE_CANDIDATES], late_lps[MADE_LISTED], late_lp;
	uint32_t chosen;
};

static inline double made_unit(void)
{
	return ((double)(rnd() >> 11) + 0.5) * 0x1p-53;
}

static inline double made_normal(void)
{
	return sqrt(-2 * log(made_unit())) * cos(2 * M_PI * made_unit());
}

static inline struct span made_word(uint32_t word, char text[16])
{
	snprintf(text, 16, " w%u", word);
	return span_of(text);
}

static inline void made_put(struct made_answer *a, bool first, bool late)
{
	char text[16];
	double lp = a->lps[a->chosen], lps[MADE_LISTED];
	uint32_t words[MADE_LISTED];
	for (size_t i = 0; i < MADE_LISTED; i++) {
		words[i] = a->words[i];
		lps[i] = a->lps[i];
	}
	bool put_off = late && !first;
	struct span word = made_word(a->words[a->chosen], text);
	for (size_t i = 0; i < MADE_LISTED; i++) {
		char top[16];
		columns_builder_row(a->builder,
		        made_word(put_off ? a->late_words[i] : words[i], top), -1,
		        (float)(put_off ? a->late_lps[i] : lps[i]));
	}
	columns_builder_commit(a->builder, word, -1, (float)(put_off ? a->late_lp : lp), 0);
	buf_append_span(&a->choice.text, word);
	memcpy(a->late_words, words, sizeof(words));
	memcpy(a->late_lps, lps, sizeof(lps));
	a->late_lp = lp;
	a->seen[a->words[a->chosen]]++;
}

/* Sorts by logit, the greatest first. */
static inline void made_sort(double *logits, uint32_t *words)
{
	for (size_t i = 1; i < MADE_CANDIDATES; i++) {
		for (size_t k = i; k > 0 && logits[k] > logits[k - 1]; k--) {
			double logit = logits[k];
			uint32_t word = words[k];
			logits[k] = logits[k - 1];
			words[k] = words[k - 1];
			logits[k - 1] = logit;
			words[k - 1] = word;
		}
	}
}

static inline void made_step(struct made_answer *a, const struct made_side *s, const double *exact,
        const uint32_t *words, bool first)
{
	double logits[MADE_CANDIDATES], told[MADE_CANDIDATES], sum = 0;
	bool foreign = made_unit() < s->foreign;
	for (size_t i = 0; i < MADE_CANDIDATES; i++) {
		a->words[i] = foreign ? (words[i] + MADE_WORDS / 2) % MADE_WORDS : words[i];
		logits[i] = foreign ? 2 * made_normal() : exact[i];
		logits[i] += s->noise > 0 ? s->noise * made_normal() : 0;
		logits[i] -= s->processed && a->seen[a->words[i]] ? s->penalty : 0;
	}
	made_sort(logits, a->words);
	for (size_t i = 0; i < MADE_CANDIDATES; i++) {
		told[i] = logits[i] / (s->temperature > 0 ? s->temperature : 1);
		sum += exp(told[i]);
	}
	a->chosen = 0;
	double best = -INFINITY;
	for (size_t i = 0; i < MADE_CANDIDATES; i++) {
		a->lps[i] = told[i] - log(sum);
		double score = logits[i];
		score -= !s->processed && a->seen[a->words[i]] ? s->penalty : 0;
		score -= s->sampling > 0 ? s->sampling * log(-log(made_unit())) : 0;
		if (score > best) {
			best = score;
			a->chosen = (uint32_t)i;
		}
	}
	made_put(a, first, s->late);
}

/* Makes a pair of answers that end at their first difference, or after MADE_TOKENS tokens. True:
 * they differ. Call made_finish() for both. */
static inline bool made_pair(const struct made_side *base, const struct made_side *test,
        struct choice *ret_base, struct choice *ret_test)
{
	struct made_answer b = {.builder = columns_builder_create()};
	struct made_answer t = {.builder = columns_builder_create()};
	bool parted = false;
	for (size_t i = 0; i < MADE_TOKENS && !parted; i++) {
		double logits[MADE_CANDIDATES];
		uint32_t words[MADE_CANDIDATES], word = (uint32_t)below(MADE_WORDS);
		for (size_t k = 0; k < MADE_CANDIDATES; k++) {
			logits[k] = 2 * made_normal();
			words[k] = word = (word + 1 + (uint32_t)below(4)) % MADE_WORDS;
		}
		made_step(&b, base, logits, words, i == 0);
		made_step(&t, test, logits, words, i == 0);
		parted = b.words[b.chosen] != t.words[t.chosen];
	}
	columns_builder_end(b.builder, &b.choice.columns);
	columns_builder_end(t.builder, &t.choice.columns);
	b.choice.has_columns = t.choice.has_columns = true;
	b.choice.finish = xstrdup("stop");
	t.choice.finish = xstrdup("stop");
	*ret_base = b.choice;
	*ret_test = t.choice;
	return parted;
}

static inline void made_finish(struct choice *c)
{
	columns_finish(&c->columns);
	buf_finish(&c->text);
	free(c->finish);
}

/* The row of two choices of which nothing else is known. request: a body, or empty. */
static inline void made_row(const struct choice *base, const struct choice *test,
        enum decoding decoding, struct span request, struct pair_row *ret)
{
	const struct reading uncounted = {.n_choices = 1, .usage = {-1, -1, -1, -1, -1}};
	const struct comparison_input in = {
	        .base = {&uncounted, base, GOLD_NONE},
	        .test = {&uncounted, test, GOLD_NONE},
	        .decoding = decoding,
	        .request = request,
	};
	struct comparison_room room = {0};
	*ret = (struct pair_row){
	        .base = {.prompt_tokens = -1, .cached_tokens = -1},
	        .test = {.prompt_tokens = -1, .cached_tokens = -1},
	        .is_first = true,
	        .has_choices = true,
	};
	compare_pair(&room, &in, &ret->c);
	comparison_room_finish(&room);
}
