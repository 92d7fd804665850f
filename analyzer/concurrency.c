#include "analyzer/concurrency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stats/distribution.h"
#include "analyzer/stats/permutation.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/utf8.h"

#define LEAST_PROMPTS 3
#define LEAST_DRIFT 5
#define CHANGE_LEAST 30 /* answers */
#define PERMUTED_BELOW 0.05
#define LOOP_PERIOD 64
#define LOOP_TIMES 6
#define LOOP_BYTES 48
#define SCRIPT_LEAST 3

static const struct permutation NO_PERMUTATIONS = {.most = 19999, .enough = 20};

static int by_start(const void *first, const void *second)
{
	const struct concurrency_answer *a = first, *b = second;
	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static void sum_up(struct concurrency *s, const struct concurrency_answer *answers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned m = answers[i].marks;
		struct concurrency_level *l = &s->levels[answers[i].level];
		if (m & CONCURRENCY_FAILED) {
			l->failed++;
			continue;
		}
		l->answers++;
		l->differing += (m & CONCURRENCY_DIFFERS) != 0;
		l->jumps += (m & CONCURRENCY_JUMPS) != 0;
		l->loops += (m & CONCURRENCY_LOOPS) != 0;
		l->empty += (m & CONCURRENCY_EMPTY) != 0;
		l->foreign += (m & CONCURRENCY_FOREIGN) != 0;
	}
	s->alone = s->levels[0].answers;
	s->differing_alone = s->levels[0].differing;
	for (size_t i = 1; i < s->n_levels; i++) {
		s->loaded += s->levels[i].answers;
		s->differing_loaded += s->levels[i].differing;
	}
}

/* Which answers a test covers, and which of them are hits. */
struct kind {
	unsigned all, none; /* a hit has all marks of the first and none of the second */
	bool of_failed;     /* failed answers are covered, too */
};

static bool is_hit(const struct concurrency_answer *a, const struct kind *k)
{
	return (a->marks & k->all) == k->all && !(a->marks & k->none);
}

/* An answer in a permutation test, which permutes the values of the answers to one prompt. */
struct item {
	uint64_t cluster;
	uint32_t prompt, level, number; /* in time */
	/* 1 for a hit, else 0; in judge_change(): that, less the share of hits at the level */
	double value;
};

/* A contrast gives each level a score. The sum over the hits is compared with its distribution
 * by chance. */
struct contrast {
	double scores[CONCURRENCY_LEVELS];
	double mean,
	        /* mean and deviation of the sum of the hits' scores if each prompt's hits fall
	         * on any of its answers */
	        deviation;
};

static int by_prompt(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	if (x->prompt != y->prompt) {
		return x->prompt < y->prompt ? -1 : 1;
	}
	if (x->level != y->level) {
		return x->level < y->level ? -1 : 1;
	}
	return (x->number > y->number) - (x->number < y->number);
}

/* Returns the end of the answers to the prompt, or to the prompt at the level, of the first one. */
static size_t end_of_stratum(const struct item *items, size_t from, size_t n, bool by_level)
{
	size_t to = from;
	while (to < n && items[to].prompt == items[from].prompt &&
	        (!by_level || items[to].level == items[from].level)) {
		to++;
	}
	return to;
}

/* Permutes the values within each stratum. Turns of a session depend on each other, so the strata
 * of a cluster (by_level: those of one level) get the same permutation. */
static void shuffle(struct item *items, size_t n, bool by_level, uint64_t permutation)
{
	for (size_t from = 0, to; from < n; from = to) {
		uint32_t level = by_level ? items[from].level : 0;
		struct rng rng =
		        rng_of(items[from].cluster, permutation * CONCURRENCY_LEVELS + level);
		to = end_of_stratum(items, from, n, by_level);
		RNG_SHUFFLE(&rng, to - from, items[from + i].value);
	}
}

/* Keeps the answers to prompts that have both hits and other answers, because permutations change
 * nothing for other prompts. Returns how many are kept. */
static size_t keep_mixed_prompts(struct item *items, size_t n)
{
	size_t kept = 0;
	for (size_t from = 0, to; from < n; from = to) {
		double hits = 0;
		to = end_of_stratum(items, from, n, false);
		for (size_t i = from; i < to; i++) {
			hits += items[i].value;
		}
		if (hits > 0 && hits < (double)(to - from)) {
			memmove(&items[kept], &items[from], (to - from) * sizeof(*items));
			kept += to - from;
		}
	}
	return kept;
}

/* Computes the expected sum of scores and its deviation within each prompt, so that a prompt's
 * own rate of hits does not matter. */
static void expect_scores(struct contrast *c, const struct item *items, size_t n)
{
	double variance = 0;
	for (size_t from = 0, to; from < n; from = to) {
		double sum = 0, squares = 0, hits = 0;
		to = end_of_stratum(items, from, n, false);
		for (size_t i = from; i < to; i++) {
			double score = c->scores[items[i].level];
			sum += score;
			squares += score * score;
			hits += items[i].value;
		}
		double of = (double)(to - from), mean = sum / of;
		c->mean += hits * mean;
		if (of > 1) {
			double spread = fmax(0, squares / of - mean * mean);
			variance += hits * (of - hits) / (of - 1) * spread;
		}
	}
	c->deviation = variance > 1e-9 ? sqrt(variance) : 0;
}

/* How high the hits' levels are, in deviations from the mean, by the contrast with the largest
 * value. */
static double level_score(
        const struct contrast *c, size_t n_contrasts, const struct item *items, size_t n)
{
	double best = 0;
	double hits[CONCURRENCY_LEVELS] = {0};
	for (size_t i = 0; i < n; i++) {
		hits[items[i].level] += items[i].value;
	}
	for (size_t k = 0; k < n_contrasts; k++) {
		double sum = 0;
		for (size_t i = 0; i < CONCURRENCY_LEVELS; i++) {
			sum += hits[i] * c[k].scores[i];
		}
		best = c[k].deviation > 0 ? fmax(best, (sum - c[k].mean) / c[k].deviation) : best;
	}
	return best;
}

/*
 * Tests whether hits occur at higher levels than the other answers to their prompts. The p value
 * comes from the normal distribution if it is large. Far out in the tail that approximation is
 * wrong where few prompts have many hits each; there a permutation test replaces it.
 */
static double p_of_levels(struct contrast *c, size_t n_contrasts, struct item *items, size_t n)
{
	struct permutation t = NO_PERMUTATIONS;
	n = keep_mixed_prompts(items, n);
	for (size_t k = 0; k < n_contrasts; k++) {
		expect_scores(&c[k], items, n);
	}
	double observed = level_score(c, n_contrasts, items, n);
	double p = (double)n_contrasts * distribution_normal_below(-observed);
	if (p > PERMUTED_BELOW) {
		return fmin(1, p);
	}
	while (permutation_wanted(&t)) {
		shuffle(items, n, false, t.n);
		permutation_count(&t, level_score(c, n_contrasts, items, n), observed);
	}
	return permutation_p(&t);
}

/* Returns how many prompts have hits above the lowest level. */
static size_t prompts_with_hits(const struct item *items, size_t n)
{
	size_t prompts = 0;
	for (size_t from = 0, to; from < n; from = to) {
		bool hit = false;
		to = end_of_stratum(items, from, n, false);
		for (size_t i = from; i < to; i++) {
			hit |= items[i].level > 0 && items[i].value > 0;
		}
		prompts += hit;
	}
	return prompts;
}

/* Tests whether events of one kind become more frequent with the level, or occur more at any
 * level above the lowest. */
static struct concurrency_test judge_events(const struct concurrency *s,
        const struct concurrency_answer *answers, size_t n, const struct kind *k, double alpha)
{
	struct concurrency_test t = {.p = NAN};
	struct contrast contrasts[2] = {0};
	struct item *items = xcalloc(n + 1, sizeof(*items));
	uint64_t n_alone = 0;
	for (size_t i = 0; i < s->n_levels; i++) {
		contrasts[0].scores[i] = log2(s->levels[i].concurrency);
		contrasts[1].scores[i] = i > 0;
	}
	for (size_t i = 0; i < n; i++) {
		const struct concurrency_answer *a = &answers[i];
		if (k->of_failed || !(a->marks & CONCURRENCY_FAILED)) {
			items[t.n++] = (struct item){
			        a->cluster, a->prompt, a->level, (uint32_t)i, is_hit(a, k)};
			t.hits += is_hit(a, k);
			n_alone += a->level == 0;
		}
	}
	if (t.hits > 0 && n_alone > 0 && n_alone < t.n) {
		qsort(items, t.n, sizeof(*items), by_prompt);
		size_t prompts = prompts_with_hits(items, t.n);
		t.p = p_of_levels(contrasts, ARRAY_LEN(contrasts), items, t.n);
		t.found = prompts >= LEAST_PROMPTS && t.p < alpha;
	}
	free(items);
	return t;
}

static void judge_levels(struct concurrency *s, const struct concurrency_answer *answers, size_t n)
{
	static const struct kind FAILED = {CONCURRENCY_FAILED, 0, true},
	                         LOOPS = {CONCURRENCY_LOOPS, 0, false},
	                         EMPTY = {CONCURRENCY_EMPTY, 0, false},
	                         FOREIGN = {CONCURRENCY_FOREIGN, 0, false},
	                         JUMPS = {CONCURRENCY_JUMPS, 0, false},
	                         QUIET = {CONCURRENCY_DIFFERS, CONCURRENCY_JUMPS, false};
	uint64_t differing = s->differing_alone + s->differing_loaded;
	bool still = s->differing_alone == 0;
	double alpha_of_jumps = still ? CONCURRENCY_ALPHA_STILL : CONCURRENCY_ALPHA;
	s->failed = judge_events(s, answers, n, &FAILED, CONCURRENCY_ALPHA);
	s->loops = judge_events(s, answers, n, &LOOPS, CONCURRENCY_ALPHA);
	s->empty = judge_events(s, answers, n, &EMPTY, CONCURRENCY_ALPHA);
	s->foreign = judge_events(s, answers, n, &FOREIGN, CONCURRENCY_ALPHA);
	s->drift = judge_events(s, answers, n, &QUIET, CONCURRENCY_ALPHA);
	s->jumps = judge_events(s, answers, n, &JUMPS, alpha_of_jumps);
	/* If most differences are jumps, the few quiet ones have the same origin and are no
	 * drift. */
	s->drift.found =
	        s->drift.found && s->drift.hits >= LEAST_DRIFT && 2 * s->drift.hits > differing;
	/* Strong noise also causes an occasional jump among many differences that are none. */
	s->jumps.found = s->jumps.found && 5 * s->jumps.hits >= differing;
}

/* The largest weighted sum of excesses (over each level's own rate) from one place to the end;
 * *ret_at: that place. weights: of the sums from each place on. */
static double rise(const double *excess, const double *weights, size_t n, size_t *ret_at)
{
	double sum = 0, best = 0;
	for (size_t i = n; i-- > 1;) {
		sum += excess[i];
		if (sum * weights[i] > best) {
			best = sum * weights[i];
			*ret_at = i;
		}
	}
	return best;
}

/* Writes the items' values in the order of time. */
static void put_by_time(const struct item *items, size_t n, double *ret)
{
	for (size_t i = 0; i < n; i++) {
		ret[items[i].number] = items[i].value;
	}
}

/*
 * The p value of the rise: how often a permutation rises at least as much. Permutes values within
 * each prompt and level, so that neither a level that was run late nor a prompt that always differs
 * looks like a change in time.
 */
static double p_of_rise(struct item *items, size_t n, size_t *ret_at)
{
	double *excess = xcalloc(n, sizeof(*excess)), *weights = xcalloc(n, sizeof(*weights));
	struct permutation t = NO_PERMUTATIONS;
	size_t unused = 0;
	for (size_t i = 1; i < n; i++) {
		weights[i] = sqrt((double)n / ((double)(n - i) * (double)i));
	}
	qsort(items, n, sizeof(*items), by_prompt);
	put_by_time(items, n, excess);
	double observed = rise(excess, weights, n, ret_at);
	while (permutation_wanted(&t)) {
		shuffle(items, n, true, t.n);
		put_by_time(items, n, excess);
		permutation_count(&t, rise(excess, weights, n, &unused), observed);
	}
	free(excess);
	free(weights);
	return permutation_p(&t);
}

/* The start of the answer with this number, if those that failed are not counted. */
static uint64_t start_of(const struct concurrency_answer *answers, size_t number)
{
	const struct concurrency_answer *a = answers;
	for (; number > 0 || (a->marks & CONCURRENCY_FAILED); a++) {
		number -= !(a->marks & CONCURRENCY_FAILED);
	}
	return a->start_ns;
}

/* answers: in the order of their starts */
static void judge_change(
        struct concurrency *s, const struct concurrency_answer *answers, size_t n_all)
{
	struct item *items = xcalloc(n_all + 1, sizeof(*items));
	size_t n = 0, at = 0;
	for (size_t i = 0; i < n_all; i++) {
		const struct concurrency_answer *a = &answers[i];
		const struct concurrency_level *l = &s->levels[a->level];
		if (a->marks & CONCURRENCY_FAILED) {
			continue;
		}
		bool differs = a->marks & CONCURRENCY_DIFFERS;
		double excess = differs - (double)l->differing / (double)l->answers;
		s->change.hits += differs;
		items[n] = (struct item){a->cluster, a->prompt, a->level, (uint32_t)n, excess};
		n++;
	}
	s->change.n = n;
	s->change.p = NAN;
	if (n >= CHANGE_LEAST && s->change.hits >= LEAST_DRIFT && s->change.hits < n) {
		s->change.p = p_of_rise(items, n, &at);
		s->change.found = s->change.p < CONCURRENCY_ALPHA;
		s->changed_ns = s->change.found ? start_of(answers, at) : 0;
	}
	free(items);
}

void concurrency_judge(const unsigned *levels, size_t n_levels, struct concurrency_answer *answers,
        size_t n, struct concurrency *ret)
{
	*ret = (struct concurrency){.n_levels = n_levels};
	for (size_t i = 0; i < n_levels; i++) {
		ret->levels[i].concurrency = levels[i];
	}
	if (n) {
		qsort(answers, n, sizeof(*answers), by_start);
	}
	sum_up(ret, answers, n);
	judge_levels(ret, answers, n);
	judge_change(ret, answers, n);
}

enum { ALONE, LOADED, N_RATES };

void concurrency_effect(const struct concurrency_answer *answers, size_t n, struct estimate *ret)
{
	static const struct rate_term TERMS[] = {{LOADED, LOADED, 1}, {ALONE, ALONE, -1}};
	struct clusters *c = clusters_create(N_RATES);
	for (size_t i = 0; i < n; i++) {
		const struct concurrency_answer *a = &answers[i];
		uint8_t key[CLUSTERS_KEY_SIZE] = {0};
		if (a->marks & CONCURRENCY_FAILED) {
			continue;
		}
		memcpy(key, &a->cluster, sizeof(a->cluster));
		clusters_add(c, clusters_row(c, key), a->level > 0 ? LOADED : ALONE,
		        (a->marks & CONCURRENCY_DIFFERS) != 0, 1);
	}
	clusters_estimate_rates(c, TERMS, ARRAY_LEN(TERMS), ret);
	clusters_destroy(c);
}

/* sums: the probability of each number of hits after failures, so far; n: how many there are.
 * Convolves it with the distribution (hypergeometric) of one more probe and returns the new n. */
static size_t convolve(double **sums, size_t n, const struct concurrency_probe *p)
{
	uint64_t all = p->hits + p->hits_before;
	double *convolved = xcalloc(n + all, sizeof(*convolved));
	double ways = distribution_log_choose((double)(p->n + p->n_before), (double)all);
	for (uint64_t k = 0; k <= MIN(all, p->n); k++) {
		if (all - k > p->n_before) {
			continue;
		}
		double share = exp(distribution_log_choose((double)p->n, (double)k) +
		                   distribution_log_choose((double)p->n_before, (double)(all - k)) -
		                   ways);
		for (size_t i = 0; i < n; i++) {
			convolved[i + k] += (*sums)[i] * share;
		}
	}
	free(*sums);
	*sums = convolved;
	return n + all;
}

struct concurrency_test concurrency_poison(
        const struct concurrency_probe *probes, size_t n, unsigned looks)
{
	struct concurrency_test t = {.p = NAN};
	uint64_t n_before = 0;
	size_t n_sums = 1;
	double *sums = xcalloc(1, sizeof(*sums)), p = 0;
	sums[0] = 1;
	for (size_t i = 0; i < n; i++) {
		t.hits += probes[i].hits;
		t.n += probes[i].n;
		n_before += probes[i].n_before;
		n_sums = convolve(&sums, n_sums, &probes[i]);
	}
	for (size_t i = t.hits; i < n_sums; i++) {
		p += sums[i];
	}
	if (t.hits > 0 && n_before > 0) {
		t.p = fmin(1, looks * p);
		t.found = t.p < CONCURRENCY_ALPHA;
	}
	free(sums);
	return t;
}

bool concurrency_loops(const char *text, size_t n)
{
	for (size_t period = 1; period <= LOOP_PERIOD; period++) {
		size_t same = 0;
		while (same + period < n && text[n - 1 - same] == text[n - 1 - same - period]) {
			same++;
		}
		if (same + period >= LOOP_BYTES && same + period >= LOOP_TIMES * period) {
			return true;
		}
	}
	return false;
}

unsigned concurrency_scripts(const char *text, size_t n)
{
	static const struct {
		uint32_t from, to;
	} SCRIPTS[] = {{'A', 0x24f}, {0x370, 0x3ff}, {0x400, 0x52f}, {0x590, 0x5ff}, {0x600, 0x6ff},
	        {0x900, 0xdff}, {0xe00, 0xe7f}, {0x1100, 0x11ff}, {0x3040, 0x30ff},
	        {0x4e00, 0x9fff}, {0xac00, 0xd7af}};
	unsigned counts[ARRAY_LEN(SCRIPTS)] = {0}, found = 0;
	uint32_t code;
	for (const char *p = text, *end = text + n; p < end;) {
		size_t len = utf8_get(p, end, &code);
		for (size_t i = 0; len && i < ARRAY_LEN(SCRIPTS); i++) {
			counts[i] += code >= SCRIPTS[i].from && code <= SCRIPTS[i].to;
		}
		p += len ? len : 1;
	}
	for (size_t i = 0; i < ARRAY_LEN(SCRIPTS); i++) {
		found |= (counts[i] >= SCRIPT_LEAST) << i;
	}
	return found;
}
