#include "analyzer/strain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/testing.h"
#include "base/dice.h"
#include "base/mem.h"
#include "base/utf8.h"

#define LEAST_EVENTS 3
#define LEAST_JUMPS 2
#define LEAST_DRIFT 5
#define CHANGE_LEAST 30 /* answers */
#define PERMUTATIONS 1999
#define LOOP_PERIOD 64
#define LOOP_TIMES 6
#define LOOP_BYTES 48
#define SCRIPT_LEAST 3

static int by_start(const void *first, const void *second)
{
	const struct strain_answer *a = first, *b = second;
	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static void sum_up(struct strain *s, const struct strain_answer *answers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned m = answers[i].marks;
		struct strain_level *l = &s->levels[answers[i].level];
		if (m & STRAIN_FAILED) {
			l->failed++;
			continue;
		}
		l->answers++;
		l->differing += (m & STRAIN_DIFFERS) != 0;
		l->jumps += (m & STRAIN_JUMPS) != 0;
		l->loops += (m & STRAIN_LOOPS) != 0;
		l->empty += (m & STRAIN_EMPTY) != 0;
		l->foreign += (m & STRAIN_FOREIGN) != 0;
	}
	s->alone = s->levels[0].answers;
	s->differing_alone = s->levels[0].differing;
}

static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* P(at least `hits` of n are hits), where of all n + m in all `total` are: hypergeometric. */
static double fisher_above(uint64_t hits, uint64_t n, uint64_t others, uint64_t m)
{
	double total = (double)(hits + others), p = 0, all = log_choose((double)(n + m), total);
	for (uint64_t k = hits; k <= n && (double)k <= total; k++) {
		double rest = total - (double)k;
		if (rest <= (double)m) {
			p += exp(log_choose((double)n, (double)k) + log_choose((double)m, rest) -
			         all);
		}
	}
	return MIN(p, 1);
}

/* Do they grow with the level? One-sided; NaN: nothing to tell. */
static double trend(const struct strain *s, const uint64_t *hits, const uint64_t *n)
{
	double scores[STRAIN_LEVELS] = {0}, z = 0;
	for (size_t i = 0; i < s->n_levels; i++) {
		scores[i] = log2(s->levels[i].concurrency);
	}
	if (s->n_levels < 2) {
		return NAN;
	}
	double p = testing_trend(scores, hits, n, s->n_levels, &z);
	return z > 0 ? p / 2 : 1 - p / 2;
}

/* Events of one kind, by level: the smaller of two p values, twice. */
static struct strain_test judge_events(
        const struct strain *s, const uint64_t *hits, const uint64_t *n)
{
	struct strain_test t = {.p = NAN};
	uint64_t above = 0, n_above = 0;
	for (size_t i = 0; i < s->n_levels; i++) {
		t.hits += hits[i];
		t.n += n[i];
		above += i ? hits[i] : 0;
		n_above += i ? n[i] : 0;
	}
	if (t.hits == 0 || n_above == 0 || n[0] == 0) {
		return t;
	}
	double by_trend = trend(s, hits, n);
	double by_count = fisher_above(above, n_above, hits[0], n[0]);
	t.p = MIN(1, 2 * fmin(by_trend, by_count));
	t.found = above >= LEAST_EVENTS && t.p < STRAIN_ALPHA;
	return t;
}

static void judge_levels(struct strain *s)
{
	uint64_t n[STRAIN_LEVELS] = {0}, all[STRAIN_LEVELS] = {0}, failed[STRAIN_LEVELS] = {0},
	         loops[STRAIN_LEVELS] = {0}, empty[STRAIN_LEVELS] = {0},
	         foreign[STRAIN_LEVELS] = {0}, quiet[STRAIN_LEVELS] = {0};
	uint64_t differing = 0, jumps = 0;
	for (size_t i = 0; i < s->n_levels; i++) {
		const struct strain_level *l = &s->levels[i];
		n[i] = l->answers;
		all[i] = l->answers + l->failed;
		failed[i] = l->failed;
		loops[i] = l->loops;
		empty[i] = l->empty;
		foreign[i] = l->foreign;
		quiet[i] = l->differing - l->jumps;
		differing += l->differing;
		jumps += l->jumps;
	}
	s->failed = judge_events(s, failed, all);
	s->loops = judge_events(s, loops, n);
	s->empty = judge_events(s, empty, n);
	s->foreign = judge_events(s, foreign, n);
	s->drift = judge_events(s, quiet, n);
	/* Where most differences are jumps, the few that look quiet are of the same making. */
	s->drift.found =
	        s->drift.found && s->drift.hits >= LEAST_DRIFT && 2 * s->drift.hits > differing;
	s->jumps = (struct strain_test){.hits = jumps, .n = 0, .p = NAN};
	for (size_t i = 0; i < s->n_levels; i++) {
		s->jumps.n += n[i];
	}
	/* Strong noise makes a jump now and then, among many differences without. */
	s->jumps.found = jumps >= LEAST_JUMPS && 5 * jumps >= differing;
}

/* How far the sum of what is above each level's own rate rises, from the best place on. */
static double climb(const double *excess, size_t n, size_t *ret_at)
{
	double sum = 0, best = 0;
	for (size_t i = n; i-- > 0;) {
		sum += excess[i];
		double scale = sqrt((double)(n - i) * (double)i / (double)n);
		if (i > 0 && sum / scale > best) {
			best = sum / scale;
			*ret_at = i;
		}
	}
	return best;
}

/* Within each level, so that levels that came late are not taken for a time. */
static void shuffle(double *excess, const uint32_t *levels, size_t n, size_t n_levels,
        uint32_t *places, struct dice *d)
{
	for (size_t level = 0; level < n_levels; level++) {
		size_t k = 0;
		for (uint32_t i = 0; i < n; i++) {
			if (levels[i] == level) {
				places[k++] = i;
			}
		}
		for (size_t i = k; i > 1; i--) {
			size_t j = dice_below(d, i);
			double other = excess[places[j]];
			excess[places[j]] = excess[places[i - 1]];
			excess[places[i - 1]] = other;
		}
	}
}

static void judge_change(struct strain *s, const struct strain_answer *answers, size_t n_all)
{
	double *excess = xcalloc(n_all + 1, sizeof(*excess));
	uint32_t *levels = xcalloc(n_all + 1, sizeof(*levels)),
	         *places = xcalloc(n_all + 1, sizeof(*places));
	uint64_t *starts = xcalloc(n_all + 1, sizeof(*starts));
	size_t n = 0, at = 0, unused = 0;
	struct dice dice = {1};
	for (size_t i = 0; i < n_all; i++) {
		const struct strain_level *l = &s->levels[answers[i].level];
		if (answers[i].marks & STRAIN_FAILED) {
			continue;
		}
		bool differs = answers[i].marks & STRAIN_DIFFERS;
		s->change.hits += differs;
		starts[n] = answers[i].start_ns;
		levels[n] = answers[i].level;
		excess[n++] = differs - (double)l->differing / (double)l->answers;
	}
	s->change.n = n;
	s->change.p = NAN;
	if (n >= CHANGE_LEAST && s->change.hits >= LEAST_DRIFT && s->change.hits < n) {
		double seen = climb(excess, n, &at);
		unsigned as_much = 0;
		for (unsigned i = 0; i < PERMUTATIONS; i++) {
			shuffle(excess, levels, n, s->n_levels, places, &dice);
			as_much += climb(excess, n, &unused) >= seen - 1e-9;
		}
		s->change.p = (as_much + 1.0) / (PERMUTATIONS + 1.0);
		s->change.found = s->change.p < STRAIN_ALPHA;
		s->changed_ns = s->change.found ? starts[at] : 0;
	}
	free(excess);
	free(levels);
	free(places);
	free(starts);
}

void strain_judge(const unsigned *levels, size_t n_levels, struct strain_answer *answers, size_t n,
        struct strain *ret)
{
	*ret = (struct strain){.n_levels = n_levels};
	for (size_t i = 0; i < n_levels; i++) {
		ret->levels[i].concurrency = levels[i];
	}
	if (n) {
		qsort(answers, n, sizeof(*answers), by_start);
	}
	sum_up(ret, answers, n);
	judge_levels(ret);
	judge_change(ret, answers, n);
}

struct strain_test strain_poison(
        uint64_t hits, uint64_t n, uint64_t hits_before, uint64_t n_before, unsigned looks)
{
	struct strain_test t = {.hits = hits, .n = n, .p = NAN};
	if (hits > 0 && n_before > 0) {
		t.p = MIN(1, looks * fisher_above(hits, n, hits_before, n_before));
		t.found = t.p < STRAIN_ALPHA;
	}
	return t;
}

bool strain_loops(const char *text, size_t n)
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

unsigned strain_scripts(const char *text, size_t n)
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
