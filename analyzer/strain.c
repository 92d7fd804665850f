#include "analyzer/strain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/testing.h"
#include "base/dice.h"
#include "base/mem.h"
#include "base/utf8.h"

#define LEAST_PROMPTS 3
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

/* Which answers are asked about, and which of them are hits. */
struct kind {
	unsigned all, none; /* marks of a hit: all of those, none of these */
	bool of_failed;     /* failed ones are answers, too */
};

/* What one prompt's answers tell. */
struct stratum {
	double n, hits;
	double scores, squares; /* of all of them */
	double scored;          /* of the hits */
};

struct strata {
	const struct strain *strain;
	const struct strain_answer *answers;
	size_t n_answers;
	struct stratum *all; /* by prompt */
	size_t n;
};

static bool is_hit(const struct strain_answer *a, const struct kind *k)
{
	return (a->marks & k->all) == k->all && !(a->marks & k->none);
}

static bool is_asked(const struct strain_answer *a, const struct kind *k)
{
	return k->of_failed || !(a->marks & STRAIN_FAILED);
}

/*
 * Do hits come at levels of higher scores than their prompts' answers do? One-sided. Prompts are as they are: only
 * where the hits of each stand among its own answers tells anything, so that no prompt counts for its nature.
 */
static double p_of_scores(const struct strata *s, const struct kind *k, const double *scores)
{
	double excess = 0, variance = 0;
	memset(s->all, 0, s->n * sizeof(*s->all));
	for (size_t i = 0; i < s->n_answers; i++) {
		const struct strain_answer *a = &s->answers[i];
		if (is_asked(a, k)) {
			struct stratum *t = &s->all[a->prompt];
			double score = scores[a->level];
			t->n++;
			t->scores += score;
			t->squares += score * score;
			t->hits += is_hit(a, k);
			t->scored += is_hit(a, k) ? score : 0;
		}
	}
	for (size_t i = 0; i < s->n; i++) {
		const struct stratum *t = &s->all[i];
		if (t->n > 1) {
			double mean = t->scores / t->n, spread = t->squares / t->n - mean * mean;
			excess += t->scored - t->hits * mean;
			variance += t->hits * (t->n - t->hits) / (t->n - 1) * MAX(spread, 0);
		}
	}
	return variance > 1e-9 ? testing_normal_below(-excess / sqrt(variance)) : 1;
}

/* Of how many prompts are the hits above the lowest level? */
static size_t prompts_of(const struct strata *s, const struct kind *k)
{
	size_t n = 0;
	memset(s->all, 0, s->n * sizeof(*s->all));
	for (size_t i = 0; i < s->n_answers; i++) {
		const struct strain_answer *a = &s->answers[i];
		struct stratum *t = &s->all[a->prompt];
		if (a->level > 0 && is_asked(a, k) && is_hit(a, k)) {
			n += t->hits++ == 0;
		}
	}
	return n;
}

/* Events of one kind: the smaller of two p values, twice. */
static struct strain_test judge_events(const struct strata *s, const struct kind *k, double alpha)
{
	struct strain_test t = {.p = NAN};
	double rising[STRAIN_LEVELS] = {0}, above[STRAIN_LEVELS] = {0};
	uint64_t n_alone = 0;
	for (size_t i = 0; i < s->strain->n_levels; i++) {
		rising[i] = log2(s->strain->levels[i].concurrency);
		above[i] = i > 0;
	}
	for (size_t i = 0; i < s->n_answers; i++) {
		const struct strain_answer *a = &s->answers[i];
		t.n += is_asked(a, k);
		t.hits += is_asked(a, k) && is_hit(a, k);
		n_alone += is_asked(a, k) && a->level == 0;
	}
	if (t.hits == 0 || n_alone == 0 || n_alone == t.n) {
		return t;
	}
	t.p = MIN(1, 2 * fmin(p_of_scores(s, k, rising), p_of_scores(s, k, above)));
	t.found = prompts_of(s, k) >= LEAST_PROMPTS && t.p < alpha;
	return t;
}

static void judge_levels(struct strain *s, const struct strain_answer *answers, size_t n)
{
	static const struct kind FAILED = {STRAIN_FAILED, 0, true},
	                         LOOPS = {STRAIN_LOOPS, 0, false}, EMPTY = {STRAIN_EMPTY, 0, false},
	                         FOREIGN = {STRAIN_FOREIGN, 0, false},
	                         JUMPS = {STRAIN_JUMPS, 0, false},
	                         QUIET = {STRAIN_DIFFERS, STRAIN_JUMPS, false};
	struct strata strata = {s, answers, n, NULL, 0};
	uint64_t differing = 0;
	bool still = s->differing_alone == 0;
	for (size_t i = 0; i < n; i++) {
		strata.n = MAX(strata.n, (size_t)answers[i].prompt + 1);
	}
	for (size_t i = 0; i < s->n_levels; i++) {
		differing += s->levels[i].differing;
	}
	strata.all = xcalloc(strata.n + 1, sizeof(*strata.all));
	s->failed = judge_events(&strata, &FAILED, STRAIN_ALPHA);
	s->loops = judge_events(&strata, &LOOPS, STRAIN_ALPHA);
	s->empty = judge_events(&strata, &EMPTY, STRAIN_ALPHA);
	s->foreign = judge_events(&strata, &FOREIGN, STRAIN_ALPHA);
	s->drift = judge_events(&strata, &QUIET, STRAIN_ALPHA);
	s->jumps = judge_events(&strata, &JUMPS, still ? STRAIN_ALPHA_STILL : STRAIN_ALPHA);
	/* Where most differences are jumps, the few that look quiet are of the same making. */
	s->drift.found =
	        s->drift.found && s->drift.hits >= LEAST_DRIFT && 2 * s->drift.hits > differing;
	/* Strong noise makes a jump now and then, among many differences without. */
	s->jumps.found = s->jumps.found && 5 * s->jumps.hits >= differing;
	free(strata.all);
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

/* An answer in time. */
struct moment {
	uint64_t start, cluster;
	double excess; /* whether it differs, less how often that is so at its level */
	uint32_t prompt, level;
};

static int by_stratum(const void *a, const void *b, void *arg)
{
	const struct moment *all = arg, *x = &all[*(const uint32_t *)a],
	                    *y = &all[*(const uint32_t *)b];
	if (x->prompt != y->prompt) {
		return x->prompt < y->prompt ? -1 : 1;
	}
	if (x->level != y->level) {
		return x->level < y->level ? -1 : 1;
	}
	return x < y ? -1 : x > y; /* by time */
}

/*
 * Answers to one prompt at one level change their times among each other, so that neither a level that came late nor a prompt that
 * always differs is taken for a time. What goes together is dealt alike: the turns of a session, whose differences follow from each other.
 */
static void shuffle(
        double *excess, const struct moment *all, const uint32_t *order, size_t n, uint64_t draw)
{
	for (size_t from = 0, to; from < n; from = to) {
		const struct moment *first = &all[order[from]];
		struct dice dice = {first->cluster + (draw * STRAIN_LEVELS + first->level) *
		                                             UINT64_C(0xd1342543de82ef95)};
		for (to = from; to < n && all[order[to]].prompt == first->prompt &&
		                all[order[to]].level == first->level;
		        to++) {
		}
		for (size_t i = to - from; i > 1; i--) {
			double *x = &excess[order[from + i - 1]];
			double *y = &excess[order[from + dice_below(&dice, i)]];
			double kept = *x;
			*x = *y;
			*y = kept;
		}
	}
}

/* How often as steep a rise comes out by chance. */
static double p_of_climb(const struct moment *all, size_t n, size_t *ret_at)
{
	double *excess = xcalloc(n, sizeof(*excess));
	uint32_t *order = xcalloc(n, sizeof(*order));
	unsigned as_much = 0;
	size_t unused = 0;
	for (uint32_t i = 0; i < n; i++) {
		order[i] = i;
		excess[i] = all[i].excess;
	}
	qsort_r(order, n, sizeof(*order), by_stratum, (void *)all);
	double seen = climb(excess, n, ret_at);
	for (unsigned i = 0; i < PERMUTATIONS; i++) {
		shuffle(excess, all, order, n, i);
		as_much += climb(excess, n, &unused) >= seen - 1e-9;
	}
	free(excess);
	free(order);
	return (as_much + 1.0) / (PERMUTATIONS + 1.0);
}

static void judge_change(struct strain *s, const struct strain_answer *answers, size_t n_all)
{
	struct moment *all = xcalloc(n_all + 1, sizeof(*all));
	size_t n = 0, at = 0;
	for (size_t i = 0; i < n_all; i++) {
		const struct strain_level *l = &s->levels[answers[i].level];
		if (answers[i].marks & STRAIN_FAILED) {
			continue;
		}
		bool differs = answers[i].marks & STRAIN_DIFFERS;
		s->change.hits += differs;
		all[n++] = (struct moment){
		        .start = answers[i].start_ns,
		        .cluster = answers[i].cluster,
		        .excess = differs - (double)l->differing / (double)l->answers,
		        .prompt = answers[i].prompt,
		        .level = answers[i].level,
		};
	}
	s->change.n = n;
	s->change.p = NAN;
	if (n >= CHANGE_LEAST && s->change.hits >= LEAST_DRIFT && s->change.hits < n) {
		s->change.p = p_of_climb(all, n, &at);
		s->change.found = s->change.p < STRAIN_ALPHA;
		s->changed_ns = s->change.found ? all[at].start : 0;
	}
	free(all);
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
	judge_levels(ret, answers, n);
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
