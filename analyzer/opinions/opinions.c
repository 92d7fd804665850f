#include "analyzer/opinions/opinions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const char *opinion_end_name(enum opinion_end e)
{
	static const char *const names[N_OPINION_ENDS] = {
	        "same", "different", "cannot_tell", "order_dependent"};
	return names[e];
}

enum opinion_end opinion_end_of(enum opinion one, enum opinion other)
{
	static const enum opinion_end of[N_OPINIONS] = {
	        OPINION_END_SAME, OPINION_END_DIFFERENT, OPINION_END_CANNOT_TELL};
	return one == other ? of[one] : OPINION_END_ORDER_DEPENDENT;
}

/* A leg that counts, of this pair, in either order. */
static bool is_of_pair(const struct leg_row *leg, struct id base, struct id test, int32_t choice)
{
	if (!(leg->marks & LEG_JUDGING) || (leg->marks & LEG_TRUNCATED) ||
	        leg->outcome != OUTCOME_COMPLETE || leg->score_at != (uint32_t)choice) {
		return false;
	}
	bool forth =
	        id_compare(leg->score_of, base) == 0 && id_compare(leg->judged_against, test) == 0;
	bool back =
	        id_compare(leg->score_of, test) == 0 && id_compare(leg->judged_against, base) == 0;
	return forth || back;
}

size_t opinions_find(const struct capture_exchange *e, const struct pair *pair, int32_t choice,
        struct opinion_legs ret[OPINIONS_JUDGES])
{
	struct id base = e->legs[pair->base].row.id, test = e->legs[pair->test].row.id;
	size_t n = 0;
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *leg = &e->legs[i].row;
		if (!is_of_pair(leg, base, test, choice)) {
			continue;
		}
		const char *name = leg->backend ? leg->backend : "?";
		size_t k = 0;
		while (k < n && strcmp(ret[k].judge, name) != 0) {
			k++;
		}
		if (k == OPINIONS_JUDGES) {
			continue;
		}
		if (k == n) {
			ret[n++] = (struct opinion_legs){name, e->n_legs, e->n_legs};
		}
		size_t *place = id_compare(leg->score_of, base) == 0 ? &ret[k].base_first
		                                                     : &ret[k].test_first;
		if (*place == e->n_legs || e->legs[*place].row.start_ns <= leg->start_ns) {
			*place = i;
		}
	}
	return n;
}

static struct judge_opinions *judge_named(struct opinions *o, const char *name)
{
	for (size_t i = 0; i < o->n; i++) {
		if (strcmp(o->judges[i].name, name) == 0) {
			return &o->judges[i];
		}
	}
	if (o->n == OPINIONS_JUDGES) {
		return NULL;
	}
	struct judge_opinions *j = &o->judges[o->n++];
	*j = (struct judge_opinions){.name = xstrdup(name)};
	return j;
}

static void note_model(struct judge_opinions *j, const char *model, uint64_t replies)
{
	size_t i = 0;
	while (i < OPINIONS_MODELS && j->models[i].name && strcmp(j->models[i].name, model) != 0) {
		i++;
	}
	if (i == OPINIONS_MODELS) {
		j->more_models += replies;
		return;
	}
	if (!j->models[i].name) {
		j->models[i].name = xstrdup(model);
	}
	j->models[i].replies += replies;
}

const char *judge_opinions_model(const struct judge_opinions *j)
{
	return j->models[0].name;
}

uint64_t judge_opinions_other_models(const struct judge_opinions *j)
{
	uint64_t others = j->more_models;
	for (size_t i = 1; i < OPINIONS_MODELS; i++) {
		others += j->models[i].replies;
	}
	return others;
}

bool opinion_of_reply(const struct reading *reply, enum opinion *ret)
{
	struct buf text = {0};
	*ret = OPINION_CANNOT_TELL;
	if (reply->n_choices > 0) {
		choice_answer(&reply->choices[0], &text);
	}
	bool said = opinion_read(buf_span(&text), ret);
	buf_finish(&text);
	return said;
}

static enum opinion read_reply(struct judge_opinions *j, const struct reading *r)
{
	enum opinion said;
	if (r->model) {
		note_model(j, r->model, 1);
	}
	j->unclear += !opinion_of_reply(r, &said);
	return said;
}

/*
 * The figures have a column each, so that the ladder's sums can be put to these: it has counted the
 * pair, as one that may have changed.
 */
static void add_decision(struct judge_opinions *j, const uint8_t *cluster, bool changed)
{
	if (!j->clusters) {
		j->clusters = clusters_create(N_FIGURE_COLUMNS);
	}
	uint32_t row = clusters_row(j->clusters, cluster);
	clusters_add(j->clusters, row, FIGURE_ANSWER_CHANGED, changed, 0);
	clusters_add(j->clusters, row, FIGURE_MAY_CHANGE, changed ? 0 : -1, 0);
}

static void add(struct opinions *o, const uint8_t *cluster, const struct opinion_source *s,
        const struct opinion_legs *legs, const struct meaning *meaning)
{
	struct judge_opinions *j = judge_named(o, legs->judge);
	size_t none = s->e->n_legs;
	if (!j) {
		o->beyond++;
		return;
	}
	const struct reading *base_first =
	        legs->base_first < none ? s->reading(s->arg, legs->base_first) : NULL;
	const struct reading *test_first =
	        legs->test_first < none ? s->reading(s->arg, legs->test_first) : NULL;
	if (!base_first || !test_first) {
		j->unfinished++;
		return;
	}
	enum opinion one = read_reply(j, base_first);
	enum opinion other = read_reply(j, test_first);
	enum opinion_end end = opinion_end_of(one, other);
	if (meaning->class != MEANING_UNDECIDED) {
		j->checks[meaning->class >= MEANING_ANSWER_CHANGED][end]++;
		return;
	}
	j->undecided[end]++;
	if (end == OPINION_END_SAME || end == OPINION_END_DIFFERENT) {
		add_decision(j, cluster, end == OPINION_END_DIFFERENT);
	}
}

void opinions_note(struct opinions *o, const uint8_t *cluster, const struct opinion_source *source,
        const struct pair *pair, int32_t choice, const struct meaning *meaning)
{
	struct opinion_legs found[OPINIONS_JUDGES];
	size_t n = opinions_find(source->e, pair, choice, found);
	for (size_t i = 0; i < n; i++) {
		add(o, cluster, source, &found[i], meaning);
	}
}

void opinions_merge(struct opinions *to, const struct opinions *from)
{
	to->beyond += from->beyond;
	for (size_t i = 0; i < from->n; i++) {
		const struct judge_opinions *more = &from->judges[i];
		struct judge_opinions *j = judge_named(to, more->name);
		if (!j) {
			to->beyond++;
			continue;
		}
		for (size_t k = 0; k < OPINIONS_MODELS && more->models[k].name; k++) {
			note_model(j, more->models[k].name, more->models[k].replies);
		}
		j->more_models += more->more_models;
		for (size_t e = 0; e < N_OPINION_ENDS; e++) {
			j->undecided[e] += more->undecided[e];
			j->checks[0][e] += more->checks[0][e];
			j->checks[1][e] += more->checks[1][e];
		}
		j->unfinished += more->unfinished;
		j->unclear += more->unclear;
		if (more->clusters && !j->clusters) {
			j->clusters = clusters_create(N_FIGURE_COLUMNS);
		}
		if (more->clusters) {
			clusters_merge(j->clusters, more->clusters);
		}
	}
}

/*
 * Chance is held to be known (Cohen 1960), and the rate of agreement has Wilson's interval, which
 * says something where all agree.
 */
void opinion_agreement(const uint64_t table[2][2], struct opinion_agreement *ret)
{
	double same = (double)table[0][0], first = (double)table[0][1];
	double second = (double)table[1][0], changed = (double)table[1][1];
	double n = same + first + second + changed;
	*ret = (struct opinion_agreement){
	        .n = table[0][0] + table[0][1] + table[1][0] + table[1][1],
	        .agree = table[0][0] + table[1][1],
	        .kappa = NAN,
	        .kappa_ci = {NAN, NAN},
	};
	ret->ci = stats_wilson(ret->agree, ret->n);
	double chance =
	        ((same + first) * (same + second) + (second + changed) * (first + changed)) /
	        (n * n);
	if (ret->n > 0 && chance < 1) {
		ret->kappa = ((double)ret->agree / n - chance) / (1 - chance);
		ret->kappa_ci = (struct interval){(ret->ci.low - chance) / (1 - chance),
		        (ret->ci.high - chance) / (1 - chance)};
	}
}

static void settle(struct judge_opinions *j, const struct clusters *ladder)
{
	struct estimate e = {.value = NAN, .ci = {NAN, NAN}}, most = e;
	double changed, n = 0;
	if (!j->clusters) {
		j->clusters = clusters_create(N_FIGURE_COLUMNS);
	}
	if (ladder) {
		clusters_merge(j->clusters, ladder);
	}
	clusters_total(j->clusters, FIGURE_ANSWER_CHANGED, &changed, &n);
	if (n > 0) {
		clusters_estimate_rate(j->clusters, FIGURE_ANSWER_CHANGED, &e);
		clusters_estimate_rate(j->clusters, FIGURE_MAY_CHANGE, &most);
	}
	j->with_judge = (struct figure_value){n, e.value, e.ci, .clusters = e.clusters};
	figure_set_most(&j->with_judge, &(struct figure_value){n, most.value, most.ci});
	const uint64_t table[2][2] = {
	        {j->checks[0][OPINION_END_SAME], j->checks[0][OPINION_END_DIFFERENT]},
	        {j->checks[1][OPINION_END_SAME], j->checks[1][OPINION_END_DIFFERENT]},
	};
	opinion_agreement(table, &j->agreement);
}

void opinions_settle(struct opinions *o, const struct clusters *ladder)
{
	for (size_t i = 0; i < o->n; i++) {
		settle(&o->judges[i], ladder);
	}
}

void opinions_finish(struct opinions *o)
{
	for (size_t i = 0; i < o->n; i++) {
		free(o->judges[i].name);
		for (size_t k = 0; k < OPINIONS_MODELS; k++) {
			free(o->judges[i].models[k].name);
		}
		clusters_destroy(o->judges[i].clusters);
	}
	*o = (struct opinions){0};
}
