#include "analyzer/causes/causes.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "capture/leg_flaw.h"
#include "reading/finish.h"

#define CLUSTERS 4096

static struct clusters *clusters_of(struct causes *c)
{
	if (!c->clusters) {
		c->clusters = clusters_create_limited(CAUSE_COLUMNS, CLUSTERS);
	}
	return c->clusters;
}

static void add(struct causes *c, uint32_t row, enum cause_column column, double part, double whole)
{
	if (whole > 0) {
		clusters_add(clusters_of(c), row, column, part, whole);
	}
}

/* By tokens and by answers. */
static void add_level(struct causes *c, uint32_t row, enum cause_column first, double level,
        const struct tally_facts *f, const struct cause_signs *s)
{
	double parted = f->parted, at_risk = (double)f->at_risk;
	add(c, row, first, level * parted, parted);
	add(c, row, (enum cause_column)(first + 1), level * at_risk, at_risk);
	add(c, row, (enum cause_column)(first + 2), f->differ ? level : 0, f->differ);
	add(c, row, (enum cause_column)(first + 3), level, 1);
	add(c, row, (enum cause_column)(first + 4), level * s->noise, s->noise);
	add(c, row, (enum cause_column)(first + 5), level * (double)s->noise_n, (double)s->noise_n);
}

static void leave(struct causes *c, enum cause_trace t, struct id exchange)
{
	c->traced |= UINT32_C(1) << t;
	cause_exchanges_add(&c->traces[t], exchange);
}

static void count_level(struct cause_level *l, bool hit, const struct cause_signs *s)
{
	l->n++;
	l->hits += hit;
	l->noise += s->noise;
	l->positions += s->noise_n;
}

static void add_levels(
        struct causes *c, uint32_t row, const struct cause_facts *f, const struct cause_signs *s)
{
	bool differ = f->facts->differ;
	uint32_t load = f->test_leg->in_flight;
	int64_t cached = f->test_reading->usage.cached_tokens;
	add(c, row, COLUMN_DIFFER, differ, 1);
	if (load > 0) {
		size_t level = 31 - (size_t)__builtin_clz(load);
		add_level(c, row, COLUMN_LOAD_PARTED, log2((double)load), f->facts, s);
		count_level(&c->load[MIN(level, (size_t)CAUSE_LEVELS - 1)], differ, s);
		if (differ && load > 1) {
			leave(c, TRACE_LOAD, f->exchange);
		}
	}
	if (cached >= 0) {
		add_level(c, row, COLUMN_CACHE_PARTED, cached > 0, f->facts, s);
		count_level(&c->cache[cached > 0], differ, s);
		if (differ && cached > 0) {
			leave(c, TRACE_CACHE, f->exchange);
		}
	}
	if (f->test_leg->start_ns > 0) {
		cause_timeline_add(&c->timeline, f->test_leg->start_ns, differ, f->exchange);
	}
}

static void add_choices(struct cause_choices *c, const struct cause_choices *other)
{
	c->tokens += other->tokens;
	c->unlisted += other->unlisted;
	c->shifted += other->shifted;
	c->not_top += other->not_top;
	c->repeats += other->repeats;
	c->strange += other->strange;
	c->best += other->best;
	c->best_seen += other->best_seen;
	c->lists += other->lists;
	c->over_one += other->over_one;
}

static void add_signs(
        struct causes *c, uint32_t row, const struct cause_facts *f, const struct cause_signs *s)
{
	add_choices(&c->base, &s->base);
	add_choices(&c->test, &s->test);
	c->contrast_n += s->contrast_n;
	c->gaps += s->gaps;
	c->gap_test += s->gap_test;
	c->gap_base += s->gap_base;
	c->gap_both += s->gap_both;
	add(c, row, COLUMN_CONTRAST, s->contrast, (double)s->contrast_n);
	add(c, row, COLUMN_GAPS, s->gap_test, s->gap_base);
	add(c, row, COLUMN_NOISE, s->noise, (double)s->noise_n);
	add(c, row, COLUMN_BASE_REPEATS, (double)s->base.repeats, (double)s->base.not_top);
	add(c, row, COLUMN_TEST_REPEATS, (double)s->test.repeats, (double)s->test.not_top);
	if (s->base.shifted + s->test.shifted > 0) {
		leave(c, TRACE_MISALIGNED, f->exchange);
	}
	if (s->base.over_one + s->test.over_one > 0) {
		leave(c, TRACE_OVER_ONE, f->exchange);
	}
	if (s->base.not_top > 0) {
		leave(c, TRACE_BASE_AGAINST, f->exchange);
	}
	if (s->test.not_top > 0) {
		leave(c, TRACE_TEST_AGAINST, f->exchange);
	}
}

/* Where greedy answers part. */
static void add_first(struct causes *c, const struct cause_facts *f, const struct cause_signs *s)
{
	c->base_against += s->base_against;
	c->test_against += s->test_against;
	c->base_penalised += s->base_against && s->test_repeats;
	c->test_penalised += s->test_against && s->base_repeats;
	c->base_shuns += s->test_repeats && !s->base_repeats;
	c->test_shuns += s->base_repeats && !s->test_repeats;
	c->at_once += s->opening;
	c->openings += s->foreign && s->opening;
	c->lost += s->foreign && !s->opening;
	if (f->facts->has_first && !s->base_against && !s->test_against && !s->foreign) {
		double step = f->facts->first.shift / CAUSE_SHIFT_STEP;
		if (step < CAUSE_SHIFTS) { /* NaN is not */
			c->shifts[(size_t)step]++;
		}
	}
	leave(c, TRACE_FIRST, f->exchange);
	if (s->base_repeats != s->test_repeats) {
		leave(c, TRACE_SHUN, f->exchange);
	}
	if (s->foreign) {
		leave(c, s->opening ? TRACE_OPENING : TRACE_LOST, f->exchange);
	}
}

static void count_decoding(struct causes *c, const struct cause_facts *f)
{
	c->by_decoding[f->decoding]++;
	switch (f->decoding) {
	case DECODING_UNLIKE:
		c->refused += f->dropped;
		leave(c, f->dropped ? TRACE_REFUSED : TRACE_UNLIKE, f->exchange);
		break;
	case DECODING_UNKNOWN:
		leave(c, TRACE_UNSET, f->exchange);
		break;
	case DECODING_SAMPLED:
		leave(c, TRACE_SAMPLED, f->exchange);
		break;
	default:
		break;
	}
}

static bool is_length(const struct choice *c)
{
	return finish_of(c->finish) == FINISH_LENGTH;
}

/* One ends at its limit, the other goes on; until there they are the same. */
static void count_cut(struct causes *c, const struct cause_facts *f)
{
	bool base = is_length(f->base), test = is_length(f->test);
	const struct choice *shorter = base ? f->base : f->test;
	if (base == test || f->parting->first_byte < shorter->text.len) {
		return;
	}
	c->cut_base += base;
	c->cut_test += test;
	c->greedy_cut += f->decoding == DECODING_GREEDY;
	leave(c, TRACE_CUT, f->exchange);
}

/* One is the other and a stop sequence that the request asks for. */
static void count_stop(struct causes *c, const struct cause_facts *f)
{
	struct span base = buf_span(&f->base->text), test = buf_span(&f->test->text);
	bool of_test = test.len > base.len;
	struct span shorter = of_test ? base : test, longer = of_test ? test : base;
	struct span rest = {longer.data + shorter.len, longer.len - shorter.len};
	if (rest.len == 0 || f->parting->first_byte < shorter.len ||
	        !cause_request_stops_at(f->request, rest)) {
		return;
	}
	c->stop_base += !of_test;
	c->stop_test += of_test;
	c->greedy_stop += f->decoding == DECODING_GREEDY;
	leave(c, TRACE_STOP, f->exchange);
}

static void count_spelling(struct causes *c, const struct cause_facts *f)
{
	bool base = f->base_reading->marks & READING_TOKENS_MISSPELL;
	bool test = f->test_reading->marks & READING_TOKENS_MISSPELL;
	c->base_misspelt += base;
	c->test_misspelt += test;
	c->spelt += f->base->has_columns && f->test->has_columns;
	if (base || test) {
		leave(c, TRACE_MISSPELT, f->exchange);
	}
}

static void count_answer(struct causes *c, const struct cause_facts *f)
{
	bool differ = f->facts->differ, greedy = f->decoding == DECODING_GREEDY;
	bool elsewhere = f->evened && !differ;
	c->pairs++;
	c->unlike_answers += differ || elsewhere;
	c->greedy_answers += greedy;
	c->greedy_unlike += greedy && differ;
	c->evened += elsewhere;
	if (f->evened) {
		leave(c, TRACE_PLACE, f->exchange);
	}
	if (differ) {
		count_decoding(c, f);
		count_cut(c, f);
		count_stop(c, f);
	}
	count_spelling(c, f);
}

static bool time_of(const struct leg_row *leg, struct cause_talk_time *ret)
{
	if (leg->start_ns == 0 || leg->end_us > UINT64_MAX / 2000) {
		return false;
	}
	*ret = (struct cause_talk_time){leg->start_ns, leg->start_ns + leg->end_us * 1000};
	return true;
}

static void add_talk(struct causes *c, const struct cause_facts *f)
{
	bool alone = f->base_leg->in_flight == 1 && f->test_leg->in_flight == 1;
	struct cause_talk_pair pair = {
	        .exchange = f->exchange,
	        .request = f->request,
	        .base = buf_span(&f->base->text),
	        .test = buf_span(&f->test->text),
	        .differ = f->facts->differ,
	        .greedy = f->decoding == DECODING_GREEDY,
	};
	if (!alone && time_of(f->base_leg, &pair.base_time) &&
	        time_of(f->test_leg, &pair.test_time)) {
		cause_talk_add(&c->talk, &pair);
	}
}

/* Prompts that no engine's template has touched are no chat, as what is told from their tokens goes. */
static bool is_written_out(const struct cause_facts *f)
{
	return f->base_leg->marks & f->test_leg->marks & LEG_WRITTEN_OUT;
}

/* Prompts that are not the same are evidence of nothing else. */
static bool has_own_prompt(struct causes *c, const struct cause_facts *f)
{
	struct cause_prompt_pair pair = {
	        .base = f->base_reading->usage.prompt_tokens,
	        .test = f->test_reading->usage.prompt_tokens,
	        .messages = is_written_out(f) ? 0 : f->messages,
	        .differ = f->facts->differ,
	        .greedy = f->decoding == DECODING_GREEDY,
	};
	if (pair.base < 0 || pair.test < 0) {
		return false;
	}
	cause_request_system(f->request, &pair.system);
	enum cause_prompt_group group = cause_prompt_group_of(&pair);
	bool unlike = cause_prompt_add(&c->prompts.of[group], &pair);
	if (unlike) {
		leave(c, (enum cause_trace)(TRACE_PROMPT + group), f->exchange);
	}
	return unlike;
}

void causes_observe(struct causes *c, const struct cause_facts *f, struct cause_signs *signs)
{
	bool greedy = f->decoding == DECODING_GREEDY;
	c->traced = 0;
	advice_engine_note(&c->base_engine, f->base_leg);
	advice_engine_note(&c->test_engine, f->test_leg);
	count_answer(c, f);
	if (has_own_prompt(c, f)) {
		*signs = (struct cause_signs){0};
		return;
	}
	uint32_t row = clusters_row(clusters_of(c), f->cluster);
	add_signs(c, row, f, signs);
	add_talk(c, f);
	if (greedy) {
		add_levels(c, row, f, signs);
	}
	if (greedy && signs->has_first) {
		add_first(c, f, signs);
	}
}

void causes_floor(
        struct causes *c, const uint8_t *cluster, bool of_base, const struct cause_signs *signs)
{
	uint32_t row = clusters_row(clusters_of(c), cluster);
	add(c, row, of_base ? COLUMN_BASE_NOISE : COLUMN_TEST_NOISE, signs->noise,
	        (double)signs->noise_n);
}

/* By the engine's doing: not by a client's, nor by ours. */
static bool has_failed(const struct leg_row *leg, const struct reading *r)
{
	switch (leg->outcome) {
	case OUTCOME_REFUSED:
	case OUTCOME_TIMEOUT:
	case OUTCOME_BROKEN:
	case OUTCOME_BAD_ANSWER:
		return true;
	case OUTCOME_COMPLETE:
		return leg_flaw(leg, r) != FLAW_NONE;
	default:
		return false;
	}
}

void causes_left_out(struct causes *c, struct id exchange, const struct leg_row *base,
        const struct reading *base_reading, const struct leg_row *test,
        const struct reading *test_reading)
{
	bool of_base = has_failed(base, base_reading), of_test = has_failed(test, test_reading);
	advice_engine_note(&c->base_engine, base);
	advice_engine_note(&c->test_engine, test);
	c->pairs++;
	if (of_base == of_test) {
		return; /* a request that both refuse is no difference */
	}
	c->base_failed += of_base;
	c->test_failed += of_test;
	c->unlike_answers++;
	leave(c, TRACE_FAILED, exchange);
}

static void merge_counts(struct causes *c, const struct causes *other)
{
	c->unlike_answers += other->unlike_answers;
	c->greedy_answers += other->greedy_answers;
	c->greedy_unlike += other->greedy_unlike;
	for (size_t d = 0; d < N_DECODINGS; d++) {
		c->by_decoding[d] += other->by_decoding[d];
	}
	c->refused += other->refused;
	c->base_failed += other->base_failed;
	c->test_failed += other->test_failed;
	c->pairs += other->pairs;
	c->evened += other->evened;
	c->cut_base += other->cut_base;
	c->cut_test += other->cut_test;
	c->greedy_cut += other->greedy_cut;
	c->stop_base += other->stop_base;
	c->stop_test += other->stop_test;
	c->greedy_stop += other->greedy_stop;
	c->base_misspelt += other->base_misspelt;
	c->test_misspelt += other->test_misspelt;
	c->spelt += other->spelt;
	c->contrast_n += other->contrast_n;
	c->gaps += other->gaps;
	c->gap_test += other->gap_test;
	c->gap_base += other->gap_base;
	c->gap_both += other->gap_both;
	c->base_against += other->base_against;
	c->test_against += other->test_against;
	c->base_penalised += other->base_penalised;
	c->test_penalised += other->test_penalised;
	c->base_shuns += other->base_shuns;
	c->test_shuns += other->test_shuns;
	c->at_once += other->at_once;
	for (size_t i = 0; i < CAUSE_SHIFTS; i++) {
		c->shifts[i] += other->shifts[i];
	}
	c->openings += other->openings;
	c->lost += other->lost;
}

static void merge_levels(struct cause_level *to, const struct cause_level *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to[i].n += from[i].n;
		to[i].hits += from[i].hits;
		to[i].noise += from[i].noise;
		to[i].positions += from[i].positions;
	}
}

static void merge_exchanges(struct causes *c, const struct causes *other)
{
	for (size_t t = 0; t < N_TRACES; t++) {
		cause_exchanges_merge(&c->traces[t], &other->traces[t]);
	}
}

void causes_merge(struct causes *c, struct causes *other, struct cause_words *words)
{
	if (other->clusters) {
		clusters_merge(clusters_of(c), other->clusters);
	}
	advice_engine_merge(&c->base_engine, &other->base_engine);
	advice_engine_merge(&c->test_engine, &other->test_engine);
	merge_counts(c, other);
	merge_levels(c->load, other->load, CAUSE_LEVELS);
	merge_levels(c->cache, other->cache, ARRAY_LEN(c->cache));
	merge_exchanges(c, other);
	add_choices(&c->base, &other->base);
	add_choices(&c->test, &other->test);
	cause_prompts_merge(&c->prompts, &other->prompts);
	cause_timeline_merge(&c->timeline, &other->timeline);
	cause_talk_merge(&c->talk, &other->talk, words);
}

void causes_settle(struct causes *c, struct cause_words *words)
{
	cause_talk_settle(&c->talk, words);
}

void causes_finish(struct causes *c)
{
	clusters_destroy(c->clusters);
	cause_timeline_finish(&c->timeline);
	cause_talk_finish(&c->talk);
	*c = (struct causes){0};
}
