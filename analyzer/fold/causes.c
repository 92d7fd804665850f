#include "analyzer/fold/causes.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "analyzer/stats/proportion.h"

void crosstalk_side_add(struct crosstalk_side *s, const struct crosstalk_row *row)
{
	s->in_flight += row->under_way;
	s->greedy_in_flight += row->under_way && row->greedy;
	s->elsewhere += row->elsewhere;
	s->control += row->control;
	s->both += row->under_way && row->control;
	if (row->under_way || row->elsewhere) {
		exact_sum_add(&s->chance, row->chance);
	}
	if (row->under_way) {
		cause_exchanges_add(&s->exchanges, row->exchange);
	}
}

double crosstalk_side_p(const struct crosstalk_side *s)
{
	uint64_t n = s->in_flight + s->elsewhere;
	return n ? proportion_binomial_above(
	                   (double)s->in_flight, (double)n, exact_sum_value(&s->chance) / (double)n)
	         : NAN;
}

double crosstalk_side_control_p(const struct crosstalk_side *s)
{
	uint64_t only_this = s->in_flight - s->both, only_other = s->control - s->both;
	uint64_t n = only_this + only_other;
	return n ? proportion_binomial_above((double)only_this, (double)n, 0.5) : 1;
}

#define CLUSTERS 4096

static uint32_t cluster_of(struct causes *c, const uint8_t *key)
{
	if (!c->clusters) {
		c->clusters = clusters_create_limited(CAUSE_COLUMNS, CLUSTERS);
	}
	return clusters_row(c->clusters, key);
}

static void add(struct causes *c, uint32_t row, enum cause_column column, double part, double whole)
{
	if (whole > 0) {
		clusters_add(c->clusters, row, column, part, whole);
	}
}

/* Adds one level to the sums over tokens and to those over answers. */
static void add_level(struct causes *c, uint32_t row, enum cause_column first, double level,
        const struct pair_facts *f, const struct cause_signs *s)
{
	double events = f->tokens_differ, at_risk = (double)f->at_risk;
	add(c, row, first, level * events, events);
	add(c, row, (enum cause_column)(first + 1), level * at_risk, at_risk);
	add(c, row, (enum cause_column)(first + 2), f->differ ? level : 0, f->differ);
	add(c, row, (enum cause_column)(first + 3), level, 1);
	add(c, row, (enum cause_column)(first + 4), level * s->noise, s->noise);
	add(c, row, (enum cause_column)(first + 5), level * (double)s->noise_n, (double)s->noise_n);
}

/* The state for one row. */
struct row_state {
	struct causes *c;
	const struct pair_row *row;
	const struct pair_facts *facts;
	const struct row_side *legs[N_SIDES]; /* of `row`, as are the answers */
	const struct answer_facts *answers[N_SIDES];
	bool greedy;
	uint32_t cluster; /* row of the clusters */
	uint32_t traced;
};

static void leave(struct row_state *a, enum cause_trace t)
{
	a->traced |= UINT32_C(1) << t;
	cause_exchanges_add(&a->c->traces[t], a->row->exchange.id);
}

static void leave_if(struct row_state *a, bool shows, enum cause_trace t)
{
	if (shows) {
		leave(a, t);
	}
}

static void count_level(struct cause_level *l, bool hit, const struct cause_signs *s)
{
	l->n++;
	l->hits += hit;
	exact_sum_add(&l->noise, s->noise);
	l->positions += s->noise_n;
}

static void add_levels(struct row_state *a)
{
	struct causes *c = a->c;
	const struct cause_signs *s = &a->row->c.signs;
	const struct row_side *base = a->legs[SIDE_BASE], *test = a->legs[SIDE_TEST];
	bool differ = a->facts->differ;
	add(c, a->cluster, COLUMN_DIFFER, differ, 1);
	if (base->in_flight > 0 && test->in_flight > 0) {
		c->counts.loads++;
		c->of[SIDE_BASE].in_flight += base->in_flight;
		c->of[SIDE_TEST].in_flight += test->in_flight;
	}
	if (test->in_flight > 0) {
		size_t level = 31 - (size_t)__builtin_clz(test->in_flight);
		add_level(c, a->cluster, COLUMN_LOAD_FIRST, log2((double)test->in_flight), a->facts,
		        s);
		count_level(&c->load[MIN(level, (size_t)CAUSE_LEVELS - 1)], differ, s);
		leave_if(a, differ && test->in_flight > 1, TRACE_LOAD);
	}
	if (test->cached_tokens >= 0) {
		bool cached = test->cached_tokens > 0;
		add_level(c, a->cluster, COLUMN_CACHE_FIRST, cached, a->facts, s);
		count_level(&c->cache[cached], differ, s);
		leave_if(a, differ && cached, TRACE_CACHE);
	}
	if (test->start_ns > 0) {
		const struct timeline_answer answer = {
		        .time = test->start_ns >> CAUSE_TIME_SHIFT,
		        .exchange = a->row->exchange.id,
		        .differs = differ,
		};
		timeline_add(&c->timeline, CAUSE_TIME_BINS, &answer);
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
	c->passed = fmax(c->passed, other->passed);
}

/* What each side shows by its own lists, whatever its prompt was. */
static void add_choices_of_sides(struct row_state *a)
{
	for (enum side i = 0; i < N_SIDES; i++) {
		const struct cause_choices *own = &a->row->c.signs.choices[i];
		add_choices(&a->c->of[i].choices, own);
		add(a->c, a->cluster, (enum cause_column)(COLUMN_BASE_REPEATS + i),
		        (double)own->repeats, (double)own->not_top);
		leave_if(a, own->shifted > 0, TRACE_MISALIGNED);
		leave_if(a, own->over_one > 0, TRACE_OVER_ONE);
	}
}

/* What the lists of both sides show together. */
static void add_signs(struct row_state *a)
{
	struct causes *c = a->c;
	const struct cause_signs *s = &a->row->c.signs;
	c->counts.contrast_n += s->contrast_n;
	c->counts.gaps += s->gaps;
	exact_sum_add(&c->gap_test_squares, s->gap_test_squares);
	exact_sum_add(&c->gap_base_squares, s->gap_base_squares);
	exact_sum_add(&c->gap_products, s->gap_products);
	add(c, a->cluster, COLUMN_CONTRAST, s->contrast, (double)s->contrast_n);
	add(c, a->cluster, COLUMN_GAPS, s->gap_test_squares, s->gap_base_squares);
	add(c, a->cluster, COLUMN_NOISE, s->noise, (double)s->noise_n);
}

/* Choices against the own list, where greedy answers first differ. */
static void add_against(struct row_state *a)
{
	const struct cause_signs *s = &a->row->c.signs;
	bool both_against = true, both_penalised = true;
	for (enum side i = 0; i < N_SIDES; i++) {
		struct causes_of_side *own = &a->c->of[i];
		bool penalised = s->against[i] && s->occurred[!i];
		own->against += s->against[i];
		own->penalised += penalised;
		own->avoided_repeats += s->occurred[!i] && !s->occurred[i];
		both_against &= s->against[i];
		both_penalised &= penalised;
		leave_if(a, s->against[i], (enum cause_trace)(TRACE_BASE_AGAINST + i));
		leave_if(a, penalised, (enum cause_trace)(TRACE_BASE_PENALISED + i));
	}
	a->c->counts.both_against += both_against;
	a->c->counts.both_penalised += both_penalised;
}

/* Where greedy answers first differ. */
static void add_first(struct row_state *a)
{
	struct causes *c = a->c;
	const struct cause_signs *s = &a->row->c.signs;
	const struct first *first = &a->facts->first;
	add_against(a);
	c->counts.at_once += s->opening;
	c->counts.openings += s->foreign && s->opening;
	c->counts.lost += s->foreign && !s->opening;
	if (a->facts->has_first && !s->against[SIDE_BASE] && !s->against[SIDE_TEST] &&
	        !s->foreign) {
		double step = a->facts->first.shift / CAUSE_SHIFT_STEP;
		if (step < CAUSE_SHIFTS) { /* NaN is not */
			c->counts.shifts[(size_t)step]++;
		}
	}
	if (a->facts->has_first && !first->test_censored && !first->base_censored &&
	        !isnan(first->shift)) {
		cause_nearest_add(&c->nearest, first->shift, a->row->exchange.id);
	}
	leave(a, TRACE_FIRST);
	leave_if(a, s->occurred[SIDE_BASE] != s->occurred[SIDE_TEST], TRACE_SHUN);
	leave_if(a, s->foreign, s->opening ? TRACE_OPENING : TRACE_LOST);
}

static void count_decoding(struct row_state *a)
{
	bool dropped = a->row->unlike.what == DECODING_DROPPED;
	a->c->counts.by_decoding[a->row->c.decoding]++;
	switch (a->row->c.decoding) {
	case DECODING_UNLIKE:
		a->c->counts.refused += dropped;
		leave(a, dropped ? TRACE_REFUSED : TRACE_UNLIKE);
		break;
	case DECODING_UNKNOWN:
		leave(a, TRACE_UNSET);
		break;
	case DECODING_SAMPLED:
		leave(a, TRACE_SAMPLED);
		break;
	default:
		break;
	}
}

static void count_ends(struct row_state *a)
{
	const struct comparison *pair = &a->row->c; /* at most one side is cut, or has a stop */
	for (enum side i = 0; i < N_SIDES; i++) {
		a->c->of[i].cut += pair->cut[i];
		a->c->of[i].stop += pair->stop[i];
		a->c->counts.greedy_cut += a->greedy && pair->cut[i];
		a->c->counts.greedy_stop += a->greedy && pair->stop[i];
		leave_if(a, pair->cut[i], TRACE_CUT);
		leave_if(a, pair->stop[i], TRACE_STOP);
	}
}

static void count_answer(struct row_state *a)
{
	struct causes *c = a->c;
	bool differ = a->facts->differ, elsewhere = a->row->c.placement_differs && !differ;
	c->counts.pairs++;
	c->counts.unlike_answers += differ || elsewhere;
	c->counts.greedy_answers += a->greedy;
	c->counts.greedy_unlike += a->greedy && differ;
	c->counts.normalised += elsewhere;
	leave_if(a, a->row->c.placement_differs, TRACE_PLACE);
	if (differ) {
		count_decoding(a);
		count_ends(a);
	}
	c->counts.ungraded += a->row->c.ungraded;
	for (enum side i = 0; i < N_SIDES; i++) {
		struct cause_lacks *l = &c->of[i].lacks;
		const struct answer_facts *answer = a->answers[i];
		l->misspelt += a->legs[i]->misspelt;
		const struct row_side *leg = i == SIDE_BASE ? &a->row->base : &a->row->test;
		l->without += answer->without_tokens;
		l->plain += answer->without_tokens && leg->role == ROLE_PRIMARY && !leg->injected;
		l->positive += answer->positive_tokens > 0;
		l->positive_tokens += answer->positive_tokens;
		l->unusable += answer->unusable_tokens > 0;
		l->unusable_tokens += answer->unusable_tokens;
		leave_if(a, a->legs[i]->misspelt, TRACE_MISSPELT);
	}
}

static void count_prompt(struct row_state *a)
{
	const struct pair_row *row = a->row;
	const struct cause_prompt_pair pair = {
	        .base = row->base.prompt_tokens,
	        .test = row->test.prompt_tokens,
	        .messages = row->exchange.messages,
	        .system = row->exchange.system,
	        .differ = a->facts->differ,
	        .greedy = a->greedy,
	};
	if (pair.base >= 0 && pair.test >= 0) {
		enum cause_prompt_group group = cause_prompt_group_of(&pair);
		leave_if(a, cause_prompt_add(&a->c->prompts.of[group], &pair),
		        (enum cause_trace)(TRACE_PROMPT + group));
	}
}

uint32_t causes_add(struct causes *c, const struct pair_row *row, const struct pair_facts *facts)
{
	struct row_state a = {
	        .c = c,
	        .row = row,
	        .facts = facts,
	        .legs = {&row->base, &row->test},
	        .answers = {&row->c.base, &row->c.test},
	        .greedy = row->c.decoding == DECODING_GREEDY,
	};
	count_answer(&a);
	count_prompt(&a);
	a.cluster = cluster_of(c, row->exchange.cluster);
	add_choices_of_sides(&a);
	/* Answers to different prompts cannot be compared. */
	if (!pair_row_prompts_differ(row)) {
		add_signs(&a);
		if (a.greedy) {
			add_levels(&a);
		}
		if (a.greedy && row->c.signs.has_first) {
			add_first(&a);
		}
	}
	return a.traced;
}

void causes_add_legs(struct causes *c, const struct pair_row *row)
{
	const struct row_side *const legs[N_SIDES] = {&row->base, &row->test};
	for (enum side i = 0; i < N_SIDES; i++) {
		c->of[i].lacks.contradictory += legs[i]->contradictory;
		c->of[i].lacks.refused += legs[i]->injection_refused;
		c->of[i].penalty = fmax(c->of[i].penalty, legs[i]->default_penalty);
	}
}

void causes_add_floor(
        struct causes *c, const uint8_t *cluster, enum side of, double noise, uint64_t n)
{
	uint32_t row = cluster_of(c, cluster);
	add(c, row, (enum cause_column)(COLUMN_BASE_NOISE + of), noise, (double)n);
}

void causes_add_left_out(struct causes *c, struct id exchange, const bool failed[N_SIDES])
{
	c->counts.pairs++;
	if (failed[SIDE_BASE] == failed[SIDE_TEST]) {
		return; /* a request that both refuse is no difference */
	}
	c->of[failed[SIDE_TEST] ? SIDE_TEST : SIDE_BASE].failed++;
	c->counts.unlike_answers++;
	cause_exchanges_add(&c->traces[TRACE_FAILED], exchange);
}

bool causes_are_of_one_server(const struct causes *c)
{
	const struct advice_engine *base = &c->of[SIDE_BASE].engine,
	                           *test = &c->of[SIDE_TEST].engine;
	return base->url[0] && strcmp(base->url, test->url) == 0 &&
	       strcmp(base->name, test->name) == 0;
}

void causes_finish(struct causes *c)
{
	clusters_destroy(c->clusters);
	timeline_finish(&c->timeline);
	*c = (struct causes){0};
}
