#include "tests/truth/setting.h"

#include <math.h>
#include <string.h>

#include "analyzer/fold/excess.h"
#include "base/rng.h"

#define TOGETHER 0.2    /* correlation within a session */
#define HEAVY_SHAPE 1.3 /* of the Pareto distribution of sizes */
#define HEAVY_MOST 40

const char *what_name(enum what w)
{
	static const char *const NAMES[] = {"differ", "changed", "hazard", "same top", "similar",
	        "index", "kl low", "score", "forced", "f.answers", "excess", "ex.chg", "ex.haz",
	        "ex.top"};
	return NAMES[w];
}

/* Gamma by Marsaglia and Tsang (2000), for any shape. */
static double gamma_of(struct rng *random, double shape)
{
	if (shape < 1) {
		double u = 1 - rng_unit(random);
		return gamma_of(random, shape + 1) * pow(u, 1 / shape);
	}
	double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
	for (;;) {
		double x = rng_normal(random), v = 1 + c * x;
		v = v * v * v;
		if (v > 0 && log(1 - rng_unit(random)) < x * x / 2 + d - d * v + d * log(v)) {
			return d * v;
		}
	}
}

static double chance_of(const struct setting *s, struct rng *random)
{
	if (!s->together) {
		return s->rate;
	}
	double scale = 1 / TOGETHER - 1;
	double a = gamma_of(random, scale * s->rate), b = gamma_of(random, scale * (1 - s->rate));
	return a + b > 0 ? a / (a + b) : 0;
}

static size_t size_of(const struct setting *s, struct rng *random)
{
	double u = 1 - rng_unit(random);
	return s->sizes == SIZES_ONE    ? 1
	       : s->sizes == SIZES_FIVE ? 5
	                                : MIN((size_t)pow(u, -1 / HEAVY_SHAPE), HEAVY_MOST);
}

/* The current session of a capture. */
struct session {
	uint8_t key[CLUSTERS_KEY_SIZE];
	double chance;
	size_t noise; /* POOL_NOISES: each exchange has its own */
};

static const struct pool_entry *pick(
        const struct pool *p, const struct session *s, double chance, struct rng *random)
{
	size_t noise = s->noise < POOL_NOISES ? s->noise : rng_below(random, POOL_NOISES);
	size_t differs = rng_unit(random) < chance;
	return &p->cells[differs][noise][rng_below(random, POOL_CELL)];
}

/* Sums over a capture. */
struct sums {
	struct pair_sums tally;
	struct excess excess;
	struct scores forced;
	struct first_differences floor_firsts;
	struct clusters *score;
};

static void add_floor(const struct setting *s, const struct pool *p, const struct session *session,
        enum excess_pair of, struct rng *random, struct sums *sums)
{
	const struct pool_entry *e = pick(p, session, session->chance * s->floor, random);
	excess_add(&sums->excess, session->key, of, &e->facts);
	if (e->facts.has_first) {
		first_differences_add(&sums->floor_firsts, &e->facts.first);
	}
}

static void add_exchange(const struct setting *s, const struct pool *p,
        const struct session *session, struct rng *random, struct sums *sums)
{
	const struct pool_entry *e = pick(p, session, session->chance, random);
	pool_tally(e, session->key, &sums->tally);
	pool_force(e, session->key, &sums->forced);
	excess_add(&sums->excess, session->key, EXCESS_BETWEEN, &e->facts);
	add_floor(s, p, session, EXCESS_OF_BASE, random, sums);
	add_floor(s, p, session, EXCESS_OF_TEST, random, sums);
	uint32_t row = clusters_row(sums->score, session->key);
	clusters_add(sums->score, row, 0, e->shift > 0, 1);
	clusters_add(sums->score, row, 1, e->shift < 0, 1);
}

static void draw(
        const struct setting *s, const struct pool *p, struct rng *random, struct sums *sums)
{
	for (size_t n = 0; n < s->n;) {
		struct session session = {.chance = chance_of(s, random), .noise = POOL_NOISES};
		uint64_t word = rng_next(random);
		memcpy(session.key + 8, &word, sizeof(word));
		if (s->together) {
			session.noise = rng_below(random, POOL_NOISES);
		}
		for (size_t left = MIN(size_of(s, random), s->n - n); left > 0; left--, n++) {
			add_exchange(s, p, &session, random, sums);
		}
	}
}

static void put(struct findings *o, enum what w, double value, struct interval ci)
{
	o->value[w] = value;
	o->ci[w] = ci;
}

/* The figures, in the order of the table's columns. */
static const struct {
	enum what what;
	enum figure figure;
} OF_FIGURES[] = {{WHAT_DIFFER, FIGURE_DIFFER}, {WHAT_CHANGED, FIGURE_ANSWER_CHANGED},
        {WHAT_HAZARD, FIGURE_HAZARD}, {WHAT_SAME_TOP, FIGURE_SAME_TOP},
        {WHAT_SIMILARITY, FIGURE_SIMILARITY}, {WHAT_INDEX, FIGURE_DIVERGENCE_INDEX},
        {WHAT_KL, FIGURE_KL_LOW}};

static void estimate(struct sums *sums, struct findings *ret)
{
	struct figure_value values[N_FIGURES];
	struct excess_verdict excesses[N_EXCESSES];
	struct first_differences_verdict firsts;
	struct estimate score;
	figures_estimate(sums->tally.clusters, &sums->tally.crossing, values);
	for (size_t i = 0; i < ARRAY_LEN(OF_FIGURES); i++) {
		const struct figure_value *v = &values[OF_FIGURES[i].figure];
		put(ret, OF_FIGURES[i].what, v->value, v->is_range ? v->least_ci : v->ci);
	}
	static const struct rate_term SHIFT[] = {{0, 0, 1}, {1, 1, -1}};
	clusters_estimate_rates(sums->score, SHIFT, 2, &score);
	put(ret, WHAT_SCORE, score.value, score.ci);
	scores_settle(&sums->forced);
	const struct estimate *forced = sums->forced.splits[DECODING_GREEDY].values;
	put(ret, WHAT_FORCED, forced[SCORE_LOGPROB].value, forced[SCORE_LOGPROB].ci);
	put(ret, WHAT_FORCED_ANSWERS, forced[SCORE_OF_ANSWERS].value, forced[SCORE_OF_ANSWERS].ci);
	excess_judge(&sums->excess, NULL, excesses);
	for (size_t f = 0; f < N_EXCESSES; f++) {
		put(ret, (enum what)(WHAT_EXCESS + f), excesses[f].excess.value,
		        excesses[f].excess.ci);
		ret->alarms += excesses[f].alarm;
	}
	first_differences_judge(
	        &sums->tally.firsts, first_sigma(&sums->tally.noise), &sums->floor_firsts, &firsts);
	ret->shifts = firsts.n[FIRST_SHIFT];
	ret->first_differences_judged = !isnan(firsts.threshold);
	ret->clusters = values[FIGURE_DIFFER].clusters;
}

void setting_draw(
        const struct setting *s, const struct pool *p, struct rng *random, struct findings *ret)
{
	struct sums sums = {.score = clusters_create(2)};
	*ret = (struct findings){.alarms = 0};
	draw(s, p, random, &sums);
	estimate(&sums, ret);
	pair_sums_finish(&sums.tally);
	excess_finish(&sums.excess);
	scores_finish(&sums.forced);
	first_differences_finish(&sums.floor_firsts);
	clusters_destroy(sums.score);
}

/* The mean of a sum over the pool, if answers differ at that rate. */
static double mean_at(const struct pool *p, double rate, size_t offset)
{
	double sum = 0;
	for (size_t noise = 0; noise < POOL_NOISES; noise++) {
		const char *same = (const char *)&p->sums[0][noise];
		const char *differing = (const char *)&p->sums[1][noise];
		double a, b;
		memcpy(&a, same + offset, sizeof(a));
		memcpy(&b, differing + offset, sizeof(b));
		sum += ((1 - rate) * a + rate * b) / POOL_NOISES / POOL_CELL;
	}
	return sum;
}

#define MEAN(member, rate) mean_at(p, (rate), offsetof(struct pool_sums, member))

static double excess_of(const struct setting *s, const struct pool *p, size_t part, size_t whole)
{
	double own = s->rate * s->floor;
	return mean_at(p, s->rate, part) / mean_at(p, s->rate, whole) -
	       mean_at(p, own, part) / mean_at(p, own, whole);
}

void setting_truth(const struct setting *s, const struct pool *p, double ret[N_WHAT])
{
	for (size_t i = 0; i < ARRAY_LEN(OF_FIGURES); i++) {
		enum figure f = OF_FIGURES[i].figure;
		size_t at = f * sizeof(double);
		double scale = figure_info(f)->kind == FIGURE_OF_EVENTS ? 1000 : 1;
		ret[OF_FIGURES[i].what] =
		        scale * mean_at(p, s->rate, offsetof(struct pool_sums, part) + at) /
		        mean_at(p, s->rate, offsetof(struct pool_sums, whole) + at);
	}
	ret[WHAT_SCORE] = MEAN(shift, s->rate);
	ret[WHAT_FORCED] = MEAN(forced_part[SCORE_LOGPROB], s->rate) /
	                   MEAN(forced_whole[SCORE_LOGPROB], s->rate);
	ret[WHAT_FORCED_ANSWERS] = MEAN(forced_part[SCORE_OF_ANSWERS], s->rate) /
	                           MEAN(forced_whole[SCORE_OF_ANSWERS], s->rate);
	ret[WHAT_EXCESS] = s->rate * (1 - s->floor);
	ret[WHAT_EXCESS_CHANGED] = MEAN(changed, s->rate) - MEAN(may_change, s->rate * s->floor);
	ret[WHAT_EXCESS_HAZARD] = excess_of(s, p, offsetof(struct pool_sums, tokens_differ),
	        offsetof(struct pool_sums, at_risk));
	ret[WHAT_EXCESS_TOPS] = excess_of(
	        s, p, offsetof(struct pool_sums, tops_differ), offsetof(struct pool_sums, tops));
}

double setting_events(const struct setting *s, const struct pool *p, enum what w)
{
	double n = (double)s->n;
	return w == WHAT_SCORE ? n * MEAN(scores_move, s->rate) : n * s->rate;
}
