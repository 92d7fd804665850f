#include "analyzer/reruns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "analyzer/compare/choice_hash.h"
#include "base/mem.h"
#include "capture/leg_flaw.h"
#include "answers/first_difference.h"

#define ROWS 4096

/* One answer with the hashes by which it is compared. */
struct compared_answer {
	const struct rerun_answer *answer;
	uint8_t hash[CHOICE_HASH_SIZE];
	XXH128_hash_t reasoning_hash;
	size_t same_as; /* index of the first answer with the same text */
};

static struct compared_answer *find_equal(const struct rerun_answer *answers, size_t n)
{
	struct compared_answer *all = xcalloc(n, sizeof(*all));
	for (size_t i = 0; i < n; i++) {
		const struct choice *c = answers[i].choice;
		all[i] = (struct compared_answer){
		        .answer = &answers[i],
		        .reasoning_hash = XXH3_128bits(c->reasoning.data, c->reasoning.len),
		        .same_as = i,
		};
		choice_hash(c, all[i].hash);
		for (size_t k = 0; k < i && all[i].same_as == i; k++) {
			bool same = memcmp(all[k].hash, all[i].hash, CHOICE_HASH_SIZE) == 0;
			all[i].same_as = same ? k : i;
		}
	}
	return all;
}

/* The counts over the answers of one condition. */
struct sum {
	size_t n, distinct, mode, of_mode, as_first;
	double agree; /* share of pairs */
	bool any_reasoning, same_reasoning;
};

/* Counts the answers at `level`, or all answers (RERUNS_LEVELS). */
static struct sum sum_up(const struct compared_answer *all, size_t n, uint32_t level)
{
	struct sum s = {.same_reasoning = true};
	size_t *counts = xcalloc(n + 1, sizeof(*counts));
	size_t first = n;
	double same = 0;
	for (size_t i = 0; i < n; i++) {
		if (level < RERUNS_LEVELS && all[i].answer->level != level) {
			continue;
		}
		first = first == n ? i : first;
		same += (double)counts[all[i].same_as]++;
		s.n++;
		s.as_first += all[i].same_as == all[first].same_as;
		s.any_reasoning |= all[i].answer->choice->reasoning.len > 0;
		s.same_reasoning &=
		        XXH128_isEqual(all[i].reasoning_hash, all[first].reasoning_hash) != 0;
	}
	for (size_t i = 0; i < n; i++) {
		s.distinct += counts[i] > 0;
		if (counts[i] > s.of_mode) {
			s.of_mode = counts[i];
			s.mode = i;
		}
	}
	s.agree = s.n > 1 ? same / ((double)s.n * (double)(s.n - 1) / 2) : 0;
	free(counts);
	return s;
}

static void add_level(
        struct reruns_level *l, const uint8_t cluster[CLUSTERS_KEY_SIZE], const struct sum *s)
{
	if (s->n < 2) {
		return;
	}
	if (!l->clusters) {
		l->clusters = clusters_create_limited(N_RERUN_FIGURES, ROWS);
	}
	l->prompts++;
	l->answers += s->n;
	double n = (double)s->n;
	uint32_t row = clusters_row(l->clusters, cluster);
	clusters_add(l->clusters, row, RERUN_ALL_ALIKE, s->distinct == 1, 1);
	clusters_add(l->clusters, row, RERUN_MODE, (double)s->of_mode / n, 1);
	clusters_add(l->clusters, row, RERUN_AGREE, s->agree, 1);
	clusters_add(l->clusters, row, RERUN_FIRST, (double)s->as_first / n, 1);
	if (s->any_reasoning) {
		clusters_add(l->clusters, row, RERUN_REASONING, s->same_reasoning, 1);
	}
}

/* Pairs of answers to one prompt, and how many of them agree. */
struct agreement_count {
	double same, whole;
};

static void count(struct agreement_count *c, bool agree)
{
	c->same += agree;
	c->whole++;
}

/* Averages only over levels that have pairs of both kinds, so that a level's noise is not
 * mistaken for an effect of the cache. */
static void mean_by_cache(const struct agreement_count same[RERUNS_LEVELS],
        const struct agreement_count other[RERUNS_LEVELS], struct agreement_count ret[2])
{
	for (size_t i = 0; i < RERUNS_LEVELS; i++) {
		if (same[i].whole > 0 && other[i].whole > 0) {
			ret[0].same += same[i].same / same[i].whole;
			ret[1].same += other[i].same / other[i].whole;
			ret[0].whole++;
			ret[1].whole++;
		}
	}
}

/* Each prompt counts once, so that a prompt with many pairs gets no more weight. */
static void add_pairs(struct reruns *r, const uint8_t cluster[CLUSTERS_KEY_SIZE],
        const struct compared_answer *all, size_t n)
{
	struct agreement_count by[N_RERUN_PAIRS] = {0};
	struct agreement_count same[RERUNS_LEVELS] = {0}, other[RERUNS_LEVELS] = {0};
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++) {
			const struct rerun_answer *a = all[i].answer, *b = all[k].answer;
			bool agree = all[i].same_as == all[k].same_as, level = a->level == b->level;
			count(&by[level ? RERUN_SAME_LEVEL : RERUN_OTHER_LEVEL], agree);
			if (level && a->cached >= 0 && b->cached >= 0) {
				count(a->cached == b->cached ? &same[a->level] : &other[a->level],
				        agree);
			}
		}
	}
	mean_by_cache(same, other, &by[RERUN_SAME_CACHE]);
	if (!r->pairs) {
		r->pairs = clusters_create_limited(N_RERUN_PAIRS, ROWS);
	}
	uint32_t row = clusters_row(r->pairs, cluster);
	for (size_t i = 0; i < N_RERUN_PAIRS; i++) {
		if (by[i].whole > 0) {
			clusters_add(r->pairs, row, i, by[i].same / by[i].whole, 1);
		}
	}
}

static void copy_token(char to[RERUNS_TOKEN], const struct choice *c, uint32_t at)
{
	struct span token = at < c->columns.n ? columns_token(&c->columns, at) : (struct span){0};
	size_t n = MIN(token.len, (size_t)RERUNS_TOKEN - 1);
	if (n > 0) {
		memcpy(to, token.data, n);
	}
	to[n] = '\0';
}

/* Finds where each distinct answer departs from the most frequent one; the earliest place counts
 * for the prompt. */
static void find_first_differences(struct reruns *r, const struct compared_answer *all, size_t n,
        size_t mode, struct reruns_prompt *ret)
{
	uint32_t least = UINT32_MAX;
	const struct choice *usual = all[mode].answer->choice;
	for (size_t i = 0; i < n; i++) {
		struct first_difference p;
		const struct choice *other = all[i].answer->choice;
		if (all[i].same_as != i || i == mode) {
			continue;
		}
		first_difference_find(usual, other, &p);
		bool by_token = p.has_tokens && p.tokens_differ;
		uint32_t at = by_token ? p.first_token : (uint32_t)p.first_byte;
		histogram_add(by_token ? &r->first_token : &r->first_byte, at);
		/* A byte's offset and a token's index can't be compared: tokens come first. */
		if (by_token == ret->has_token ? at < least : by_token) {
			least = at;
			ret->has_token = by_token;
			ret->first = at;
			copy_token(ret->mode_token, usual, by_token ? at : UINT32_MAX);
			copy_token(ret->other_token, other, by_token ? at : UINT32_MAX);
		}
	}
}

static double share_unlike(const struct reruns_prompt *p)
{
	return 1 - (double)p->of_mode / p->answers;
}

static void keep_worst(struct reruns *r, const struct reruns_prompt *p)
{
	size_t at = r->n_worst;
	while (at > 0 && share_unlike(p) > share_unlike(&r->worst[at - 1])) {
		at--;
	}
	if (at == RERUNS_WORST) {
		return;
	}
	r->n_worst = MIN(r->n_worst + 1, (size_t)RERUNS_WORST);
	memmove(&r->worst[at + 1], &r->worst[at], (r->n_worst - at - 1) * sizeof(*p));
	r->worst[at] = *p;
}

void reruns_add(struct reruns *r, const uint8_t cluster[CLUSTERS_KEY_SIZE], struct id exchange,
        const char *item, const struct rerun_answer *answers, size_t n)
{
	if (n < 2) {
		return;
	}
	struct compared_answer *all = find_equal(answers, n);
	struct sum s = sum_up(all, n, RERUNS_LEVELS);
	add_level(&r->all, cluster, &s);
	for (uint32_t level = 0; level < RERUNS_LEVELS; level++) {
		struct sum one = sum_up(all, n, level);
		add_level(&r->levels[level], cluster, &one);
	}
	add_pairs(r, cluster, all, n);
	r->distinct += s.distinct;
	r->most_distinct = MAX(r->most_distinct, (uint64_t)s.distinct);
	if (s.distinct > 1) {
		struct reruns_prompt p = {
		        .exchange = exchange,
		        .answers = (uint32_t)n,
		        .distinct = (uint32_t)s.distinct,
		        .of_mode = (uint32_t)s.of_mode,
		};
		snprintf(p.item, sizeof(p.item), "%s", item ? item : "");
		find_first_differences(r, all, n, s.mode, &p);
		keep_worst(r, &p);
	}
	free(all);
}

static void read_exchange(struct reruns *r, struct capture *c, const struct capture_exchange *e,
        const char *backend, const struct id *runs, size_t n_runs)
{
	struct rerun_answer *answers = xcalloc(e->n_legs + 1, sizeof(*answers));
	struct reading **readings = xcalloc(e->n_legs + 1, sizeof(*readings));
	size_t n = 0, n_readings = 0;
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *leg = &e->legs[i].row;
		uint32_t level = 0;
		while (level < n_runs && id_compare(leg->run, runs[level]) != 0) {
			level++;
		}
		if (level == n_runs || (leg->marks & LEG_SCORED) || !leg->backend ||
		        strcmp(leg->backend, backend) != 0) {
			continue;
		}
		struct reading *reading = leg_whole_reading(c, e, i);
		const struct choice *choice =
		        reading && !reading->unknown ? reading_choice(reading, 0) : NULL;
		readings[n_readings++] = reading;
		r->all.failed += !choice;
		r->levels[level].failed += !choice;
		if (choice) {
			answers[n++] =
			        (struct rerun_answer){choice, level, leg->usage.cached_tokens};
		}
	}
	reruns_add(r, clusters_key_of(&e->row), e->row.id, e->row.labels.item, answers, n);
	for (size_t i = 0; i < n_readings; i++) {
		reading_destroy(readings[i]);
	}
	free(readings);
	free(answers);
}

void reruns_read(struct reruns *r, struct capture *c, const char *backend, const struct id *runs,
        size_t n_runs)
{
	struct capture_exchange e;
	expect(n_runs <= RERUNS_LEVELS);
	capture_rewind(c);
	while (capture_next(c, &e) == 1) {
		read_exchange(r, c, &e, backend, runs, n_runs);
		capture_exchange_finish(&e);
	}
}

void reruns_finish(struct reruns *r)
{
	clusters_destroy(r->all.clusters);
	histogram_finish(&r->first_token);
	histogram_finish(&r->first_byte);
	clusters_destroy(r->pairs);
	for (size_t i = 0; i < RERUNS_LEVELS; i++) {
		clusters_destroy(r->levels[i].clusters);
	}
	*r = (struct reruns){0};
}

void reruns_estimate(const struct reruns_level *l, struct estimate ret[N_RERUN_FIGURES])
{
	for (size_t i = 0; i < N_RERUN_FIGURES; i++) {
		if (i == RERUN_ALL_ALIKE || i == RERUN_REASONING) {
			clusters_estimate_rate(l->clusters, i, &ret[i]);
		} else {
			clusters_estimate_share(l->clusters, i, &ret[i]);
		}
	}
}

void reruns_estimate_pairs(const struct reruns *r, struct estimate ret[N_RERUN_PAIRS])
{
	for (size_t i = 0; i < N_RERUN_PAIRS; i++) {
		clusters_estimate_share(r->pairs, i, &ret[i]);
	}
}

static void gap(const struct reruns *r, size_t same, size_t other, struct estimate *ret)
{
	/* The interval of rates is used: shares vary no more than counts do, and if all agree, a
	 * bootstrap would show no uncertainty. */
	const struct rate_term terms[] = {{same, same, 1}, {other, other, -1}};
	clusters_estimate_rates(r->pairs, terms, ARRAY_LEN(terms), ret);
}

void reruns_estimate_gaps(const struct reruns *r, struct reruns_gaps *ret)
{
	gap(r, RERUN_SAME_LEVEL, RERUN_OTHER_LEVEL, &ret->level);
	gap(r, RERUN_SAME_CACHE, RERUN_OTHER_CACHE, &ret->cache);
}
