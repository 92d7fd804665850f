#include "backends/engine/language.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "backends/engine/words.h"

/* The class of the next word, drawn so that the text is readable. */

struct rule {
	uint8_t class;
	uint8_t percent;
};

#define RULES_MAX 8

struct row {
	struct rule without_verb[RULES_MAX];
	struct rule with_verb[RULES_MAX];
};

#define OBJECT                                                                                     \
	{WORD_DET, 56}, {WORD_PREPOSITION, 14}, {WORD_NAME, 8}, {WORD_PLURAL, 8},                  \
	        {WORD_NUMBER, 6},                                                                  \
	{                                                                                          \
		WORD_ADVERB, 8                                                                     \
	}
#define AFTER_OBJECT                                                                               \
	{WORD_STOP, 36}, {WORD_PREPOSITION, 32}, {WORD_CONJUNCTION, 14}, {WORD_COMMA, 12},         \
	{                                                                                          \
		WORD_ADVERB, 6                                                                     \
	}
#define AFTER_SUBJECT                                                                              \
	{WORD_VERB, 56}, {WORD_AUX, 20}, {WORD_PREPOSITION, 16}, {WORD_CONJUNCTION, 4},            \
	{                                                                                          \
		WORD_ADVERB, 4                                                                     \
	}

/* Percentages of a row add up to 100. */
static const struct row ROWS[WORD_CLASSES] = {
        [WORD_NONE] = {{{WORD_OPENER_BARE, 97}, {WORD_OPENER, 3}}, {{WORD_OPENER_BARE, 100}}},
        [WORD_SPECIAL] = {{{WORD_OPENER_BARE, 98}, {WORD_OPENER, 2}}, {{WORD_OPENER_BARE, 100}}},
        [WORD_BYTE] = {{AFTER_SUBJECT}, {AFTER_OBJECT}},
        [WORD_DET] = {{{WORD_NOUN, 52}, {WORD_ADJECTIVE, 38}, {WORD_PLURAL, 10}},
                {{WORD_NOUN, 52}, {WORD_ADJECTIVE, 38}, {WORD_PLURAL, 10}}},
        [WORD_ADJECTIVE] = {{{WORD_NOUN, 78}, {WORD_PLURAL, 14}, {WORD_ADJECTIVE, 8}},
                {{WORD_NOUN, 78}, {WORD_PLURAL, 14}, {WORD_ADJECTIVE, 8}}},
        [WORD_NOUN] = {{AFTER_SUBJECT}, {AFTER_OBJECT}},
        [WORD_PLURAL] = {{AFTER_SUBJECT}, {AFTER_OBJECT}},
        [WORD_PRONOUN] = {{{WORD_VERB, 64}, {WORD_AUX, 28}, {WORD_ADVERB, 8}}, {AFTER_OBJECT}},
        [WORD_NAME] = {{AFTER_SUBJECT}, {AFTER_OBJECT}},
        [WORD_VERB] = {{OBJECT}, {OBJECT}},
        [WORD_VERB_BASE] = {{OBJECT}, {OBJECT}},
        [WORD_AUX] = {{{WORD_VERB_BASE, 84}, {WORD_ADVERB, 16}}, {{WORD_VERB_BASE, 100}}},
        [WORD_ADVERB] = {{{WORD_VERB, 70}, {WORD_COMMA, 20}, {WORD_DET, 10}},
                {{WORD_PREPOSITION, 34}, {WORD_DET, 26}, {WORD_STOP, 30}, {WORD_COMMA, 10}}},
        [WORD_PREPOSITION] = {{{WORD_DET, 70}, {WORD_NAME, 14}, {WORD_PLURAL, 10},
                                      {WORD_NUMBER, 6}},
                {{WORD_DET, 70}, {WORD_NAME, 14}, {WORD_PLURAL, 10}, {WORD_NUMBER, 6}}},
        [WORD_CONJUNCTION] =
                {{{WORD_DET, 54}, {WORD_PRONOUN, 26}, {WORD_NAME, 12}, {WORD_PLURAL, 8}},
                        {{WORD_DET, 60}, {WORD_PRONOUN, 40}}},
        [WORD_NUMBER] = {{{WORD_PLURAL, 86}, {WORD_ADJECTIVE, 14}},
                {{WORD_PLURAL, 80}, {WORD_ADJECTIVE, 10}, {WORD_STOP, 10}}},
        [WORD_COMMA] = {{{WORD_CONJUNCTION, 46}, {WORD_DET, 30}, {WORD_PRONOUN, 12},
                                {WORD_PREPOSITION, 12}},
                {{WORD_CONJUNCTION, 100}}},
        [WORD_STOP] = {{{WORD_OPENER, 54}, {WORD_SUBJECT, 20}, {WORD_LEAD, 14}, {WORD_BREAK, 8},
                               {WORD_EMOJI, 4}},
                {{WORD_OPENER, 100}}},
        [WORD_BREAK] = {{{WORD_OPENER_BARE, 100}}, {{WORD_OPENER_BARE, 100}}},
        [WORD_MARK] = {{{WORD_DET, 40}, {WORD_PIECE, 30}, {WORD_NAME, 30}}, {AFTER_OBJECT}},
        [WORD_EMOJI] = {{{WORD_OPENER, 80}, {WORD_BREAK, 20}}, {{WORD_OPENER, 100}}},
        [WORD_PIECE] = {{AFTER_SUBJECT}, {AFTER_OBJECT}},
        [WORD_OPENER] = {{{WORD_NOUN, 50}, {WORD_ADJECTIVE, 36}, {WORD_PLURAL, 14}},
                {AFTER_OBJECT}},
        [WORD_SUBJECT] = {{{WORD_VERB, 64}, {WORD_AUX, 28}, {WORD_ADVERB, 8}}, {AFTER_OBJECT}},
        [WORD_LEAD] = {{{WORD_DET, 60}, {WORD_PRONOUN, 26}, {WORD_NAME, 14}}, {AFTER_OBJECT}},
        [WORD_OPENER_BARE] = {{{WORD_NOUN, 50}, {WORD_ADJECTIVE, 36}, {WORD_PLURAL, 14}},
                {AFTER_OBJECT}},
};

/* The class of the word after one of class `last`, drawn with the random number u (0 <= u < 1).
 * has_verb: the clause has its verb already. */
static enum word_class next_class(enum word_class last, bool has_verb, double u)
{
	const struct rule *rules = has_verb ? ROWS[last].with_verb : ROWS[last].without_verb;
	int percent = (int)(u * 100);
	for (int i = 0; i < RULES_MAX - 1; i++) {
		percent -= rules[i].percent;
		if (percent < 0) {
			return rules[i].class;
		}
	}
	return rules[0].class;
}

/* True if the clause has its verb once a word of class `added` follows. had: it had its verb
 * before. */
static bool has_verb(bool had, enum word_class added)
{
	switch (added) {
	case WORD_VERB:
	case WORD_VERB_BASE:
		return true;
	case WORD_CONJUNCTION:
	case WORD_COMMA:
	case WORD_STOP:
	case WORD_BREAK:
	case WORD_SPECIAL:
	case WORD_OPENER:
	case WORD_OPENER_BARE:
	case WORD_SUBJECT:
	case WORD_LEAD:
		return false;
	default:
		return had;
	}
}

/* The distribution of the next token. */

#define TAIL_DEPTH 8.0f /* nats between the tail's first and last token */
#define QUANTILES 1024

struct language {
	uint64_t seed;
	uint32_t size;
	float *tail;          /* by index */
	uint32_t *tail_order; /* places, most probable first */
	double tail_sum;
	double exponential[QUANTILES]; /* quantiles of the exponential distribution, mean 1 */
};

/* Makes the tail of the distribution: evenly spaced logits in random order. */
static void make_tail(struct language *l)
{
	l->tail = xmalloc(l->size * sizeof(*l->tail));
	l->tail_order = xmalloc(l->size * sizeof(*l->tail_order));
	for (uint32_t i = 0; i < l->size; i++) {
		l->tail_order[i] = i;
	}
	struct rng random = rng_of(l->seed, 0x7a11);
	for (uint32_t i = l->size - 1; i > 0; i--) {
		uint32_t j = rng_below(&random, i + 1);
		uint32_t swap = l->tail_order[i];
		l->tail_order[i] = l->tail_order[j];
		l->tail_order[j] = swap;
	}
	for (uint32_t rank = 0; rank < l->size; rank++) {
		float depth = -TAIL_DEPTH * (float)rank / (float)l->size;
		l->tail[l->tail_order[rank]] = depth;
		l->tail_sum += exp((double)depth);
	}
}

struct language *language_create(uint64_t seed)
{
	struct language *l = xcalloc(1, sizeof(*l));
	l->seed = rng_mix_pair(seed, 0x5eed);
	l->size = vocabulary_size();
	make_tail(l);
	for (int i = 0; i < QUANTILES; i++) {
		l->exponential[i] = -log(1 - (i + 0.5) / QUANTILES);
	}
	return l;
}

void language_destroy(struct language *l)
{
	if (l) {
		free(l->tail);
		free(l->tail_order);
		free(l);
	}
}

void language_begin(const struct language *l, struct language_state *s)
{
	*s = (struct language_state){
	        .hash = l->seed, .last = TOKEN_BOS, .last_class = WORD_SPECIAL};
}

/* Finds the first spelled character from *from on that begins with these bytes. Returns its next
 * byte, or -1. */
static int next_spelled_byte(const char *bytes, size_t n, uint32_t *from)
{
	while (WORDS_SPELLED[*from]) {
		const char *spelled = WORDS_SPELLED[(*from)++];
		if (strlen(spelled) > n && memcmp(spelled, bytes, n) == 0) {
			return (uint8_t)spelled[n];
		}
	}
	return -1;
}

static void push_spelling(struct language_state *s, uint32_t token)
{
	uint32_t from = 0;
	bool is_byte = token >= TOKEN_BYTE_0 && token < TOKEN_BYTE_0 + 256;
	if (!is_byte || s->spelled == sizeof(s->spelling)) {
		s->spelled = 0;
		return;
	}
	s->spelling[s->spelled++] = (char)(token - TOKEN_BYTE_0);
	if (next_spelled_byte(s->spelling, s->spelled, &from) < 0) {
		s->spelled = 0;
	}
}

void language_push(const struct language *l, struct language_state *s, uint32_t token)
{
	enum word_class class = vocabulary_class(token);
	s->hash = rng_mix_pair(s->hash, token);
	s->last = token;
	s->length++;
	s->answer = token == TOKEN_ASSISTANT || token == TOKEN_REASONER ? 0 : s->answer + 1;
	if (token == TOKEN_THINK) {
		s->thinking = 1;
	} else if (token == TOKEN_THINK_END) {
		s->thinking = 0;
		s->answer = 0;
	} else if (s->thinking) {
		s->thinking++;
	}
	if (class == WORD_NOUN || class == WORD_NAME || class == WORD_PLURAL) {
		s->topics[s->n_topics++ % LANGUAGE_TOPICS] = (uint16_t)token;
		s->n_topics = s->n_topics >= 2 * LANGUAGE_TOPICS ? LANGUAGE_TOPICS : s->n_topics;
	}
	s->has_verb = has_verb(s->has_verb, class);
	s->last_class = (uint8_t) class;
	push_spelling(s, token);
}

/* A set of the tokens already among the candidates. */
struct chosen {
	uint64_t bits[128];
};

static bool choose(struct chosen *set, struct language_spread *spread, uint32_t id)
{
	uint64_t bit = (uint64_t)1 << (id % 64);
	if (spread->n == LANGUAGE_CANDIDATES || (set->bits[id / 64] & bit)) {
		return false;
	}
	set->bits[id / 64] |= bit;
	spread->items[spread->n++].id = id;
	return true;
}

/* Adds tokens that the position requires, in order of priority: end tokens, reasoning marks,
 * bytes of a character. */
static void choose_forced(const struct language *l, const struct language_state *s,
        struct rng *random, struct chosen *set, struct language_spread *spread)
{
	bool at_end = s->last_class == WORD_STOP || s->last_class == WORD_EMOJI;
	if (s->last == TOKEN_REASONER) {
		choose(set, spread, TOKEN_THINK);
	}
	if (at_end && s->thinking > 8 && rng_unit(random) < 0.4) {
		choose(set, spread, TOKEN_THINK_END);
	}
	if (at_end && !s->thinking && s->answer > 6 &&
	        rng_unit(random) < 0.08 + 0.003 * s->answer) {
		choose(set, spread, TOKEN_EOS);
	}
	if (s->spelled > 0) {
		uint32_t from = 0;
		for (int b; (b = next_spelled_byte(s->spelling, s->spelled, &from)) >= 0;) {
			choose(set, spread, TOKEN_BYTE_0 + (uint32_t)b);
		}
	} else if (s->last_class == WORD_STOP && rng_unit(random) < 0.05) {
		choose(set, spread, TOKEN_BYTE_0 + ' ');
	}
}

static uint32_t draw_word(
        const struct language *l, const struct language_state *s, struct rng *random)
{
	enum word_class class =
	        next_class((enum word_class)s->last_class, s->has_verb, rng_unit(random));
	uint32_t n;
	const uint32_t *ids = vocabulary_of_class(class, &n);
	double u = rng_unit(random);
	return ids[(uint32_t)(u * u * n)];
}

static uint32_t draw_topic(
        const struct language *l, const struct language_state *s, struct rng *random)
{
	uint32_t n = MIN(s->n_topics, LANGUAGE_TOPICS);
	uint32_t id = s->topics[rng_below(random, n)];
	enum word_class class =
	        next_class((enum word_class)s->last_class, s->has_verb, rng_unit(random));
	return vocabulary_class(id) == class ? id : draw_word(l, s, random);
}

/*
 * Most candidates depend only on the last token, as in real text. A few of them, and the order of
 * the first ones, depend on the whole prefix.
 */
static void choose_words(const struct language *l, const struct language_state *s,
        struct rng *random, struct chosen *set, struct language_spread *spread)
{
	uint32_t forced = spread->n;
	struct rng local = rng_of(l->seed ^ s->last, (uint64_t)s->last_class << 1 | s->has_verb);
	if (s->n_topics > 0 && rng_unit(random) < 0.35) {
		choose(set, spread, draw_topic(l, s, random));
	}
	for (int tries = 0; spread->n < 28 && tries < 60; tries++) {
		choose(set, spread, draw_word(l, s, &local));
	}
	for (int tries = 0; spread->n < LANGUAGE_CANDIDATES - 2 && tries < 40; tries++) {
		choose(set, spread, draw_word(l, s, random));
	}
	choose(set, spread, TOKEN_EOS);
	while (spread->n < LANGUAGE_CANDIDATES) {
		choose(set, spread, TOKEN_CONTROLS + rng_below(random, l->size - TOKEN_CONTROLS));
	}
	for (uint32_t i = forced; i < forced + 6; i++) {
		double u = rng_unit(random);
		uint32_t j = i + (uint32_t)(u * u * 12);
		uint32_t swap = spread->items[i].id;
		spread->items[i].id = spread->items[j].id;
		spread->items[j].id = swap;
	}
}

static double draw_exponential(const struct language *l, struct rng *random)
{
	return l->exponential[rng_next(random) >> 54];
}

/* Draws the model's certainty at this position: the gap between the first two tokens, and from
 * each to the next. */
static void draw_gaps(const struct language *l, const struct language_state *s, bool forced,
        struct rng *random, double *ret_first, double *ret_step)
{
	double u = rng_unit(random), tie = rng_unit(random);
	if (forced || s->last == TOKEN_REASONER || s->spelled > 0) {
		*ret_first = 5 + draw_exponential(l, random);
		*ret_step = 0.3;
	} else if (u < 0.42) {
		*ret_first = 2.5 + 2 * draw_exponential(l, random);
		*ret_step = 0.34;
	} else if (u < 0.78) {
		*ret_first = 0.3 + 1.1 * draw_exponential(l, random);
		*ret_step = 0.30;
	} else {
		*ret_first = 0.1 + 0.45 * draw_exponential(l, random);
		*ret_step = 0.24;
	}
	if (!forced && tie < 0.002) {
		*ret_first = 0;
	} else if (!forced && tie < 0.03) {
		*ret_first = 0.1 * rng_unit(random);
	}
}

void language_spread(
        const struct language *l, const struct language_state *s, struct language_spread *ret)
{
	struct chosen set = {{0}};
	struct rng random = rng_of(s->hash, l->seed);
	ret->n = 0;
	ret->shift = (uint32_t)(rng_next(&random) % l->size);
	choose_forced(l, s, &random, &set, ret);
	bool forced = ret->n > 0;
	choose_words(l, s, &random, &set, ret);
	double first, step;
	draw_gaps(l, s, forced, &random, &first, &step);
	double logit = 12 + 10 * rng_unit(&random);
	for (uint32_t i = 0; i < ret->n; i++) {
		ret->items[i].logit = (float)logit;
		logit -= i == 0 ? first : step * draw_exponential(l, &random);
	}
	ret->base = (float)(logit - 0.3);
}

static float disturbed(const struct language_numerics *n, uint64_t hash, uint32_t id, double logit)
{
	if (n->noise > 0) {
		struct rng random = rng_of(rng_mix_pair(hash, n->noise_seed), id);
		logit += n->noise * rng_normal(&random);
	}
	if (n->step > 0) {
		logit = round(logit / n->step) * n->step;
	}
	return (float)logit;
}

void language_disturb(const struct language_numerics *n, const struct language_state *s,
        struct language_spread *spread)
{
	double top = spread->n ? (double)spread->items[0].logit : 0;
	for (uint32_t i = 0; i < spread->n && n->gain > 0; i++) {
		double below = top - (double)spread->items[i].logit;
		spread->items[i].logit = (float)(top - n->gain * below);
	}
	if (n->gain > 0) {
		spread->base = (float)(top - n->gain * (top - (double)spread->base));
	}
	if (n->noise <= 0 && n->step <= 0) {
		return;
	}
	for (uint32_t i = 0; i < spread->n; i++) {
		struct language_item *item = &spread->items[i];
		item->logit = disturbed(n, s->hash, item->id, (double)item->logit);
	}
	spread->base = disturbed(n, s->hash, UINT32_MAX, (double)spread->base);
}

uint32_t language_candidate(const struct language_spread *spread, uint32_t id)
{
	uint32_t i = 0;
	while (i < spread->n && spread->items[i].id != id) {
		i++;
	}
	return i;
}

float language_logit(const struct language *l, const struct language_spread *spread, uint32_t id)
{
	uint32_t i = language_candidate(spread, id);
	return i < spread->n ? spread->items[i].logit : language_tail_logit(l, spread, id);
}

float language_tail_logit(
        const struct language *l, const struct language_spread *spread, uint32_t id)
{
	return spread->base + l->tail[(id + spread->shift) % l->size];
}

uint32_t language_tail_token(
        const struct language *l, const struct language_spread *spread, uint32_t rank)
{
	return (l->tail_order[rank] + l->size - spread->shift) % l->size;
}

double language_tail_sum(const struct language *l, double temperature)
{
	if (temperature == 1) {
		return l->tail_sum;
	}
	double sum = 0;
	for (uint32_t i = 0; i < l->size; i++) {
		sum += exp((double)l->tail[i] / temperature);
	}
	return sum;
}

double language_normaliser(const struct language *l, const struct language_spread *spread)
{
	double top = (double)spread->base;
	for (uint32_t i = 0; i < spread->n; i++) {
		top = MAX(top, (double)spread->items[i].logit);
	}
	double sum = exp((double)spread->base - top) * l->tail_sum;
	for (uint32_t i = 0; i < spread->n; i++) {
		double tail = (double)language_tail_logit(l, spread, spread->items[i].id);
		sum += exp((double)spread->items[i].logit - top) - exp(tail - top);
	}
	return top + log(sum);
}
