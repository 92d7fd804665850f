#include "analyzer/opinions/opinions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/compare/meaning/formula.h"
#include "analyzer/opinions/grade.h"
#include "analyzer/stats/proportion.h"
#include "base/enum_names.h"
#include "base/k_smallest.h"
#include "base/mem.h"

ENUM_NAMES(
        opinion_end_name, enum opinion_end, "same", "different", "cannot_tell", "order_dependent");

enum opinion_end opinion_end_of(enum opinion one, enum opinion other)
{
	static const enum opinion_end of[N_OPINIONS] = {
	        OPINION_END_SAME, OPINION_END_DIFFERENT, OPINION_END_CANNOT_TELL};
	return one == other ? of[one] : OPINION_END_ORDER_DEPENDENT;
}

/* Whether the leg counts and belongs to this pair, in either order. */
static bool is_of_pair(const struct leg_row *leg, struct id base, struct id test, int32_t choice)
{
	if (!(leg->marks & LEG_JUDGING) || (leg->marks & LEG_TRUNCATED) ||
	        leg->outcome != OUTCOME_COMPLETE || leg->score_at != (uint32_t)choice) {
		return false;
	}
	bool in_order =
	        id_compare(leg->score_of, base) == 0 && id_compare(leg->judged_against, test) == 0;
	bool reversed =
	        id_compare(leg->score_of, test) == 0 && id_compare(leg->judged_against, base) == 0;
	return in_order || reversed;
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

static int compare_names(const void *a, const void *b)
{
	const struct judge_opinions *x = a, *y = b;
	return strcmp(x->name, y->name);
}

static void finish_judge(struct judge_opinions *j)
{
	free(j->name);
	name_counts_finish(&j->models);
	clusters_destroy(j->clusters);
}

static void drop_judge(void *item, void *arg)
{
	struct opinions *o = arg;
	struct judge_opinions *j = item;
	o->beyond += j->unfinished;
	for (size_t i = 0; i < N_OPINION_ENDS; i++) {
		o->beyond += j->undecided[i] + j->checks[0][i] + j->checks[1][i];
	}
	finish_judge(j);
}

static const struct k_smallest JUDGES = {
        sizeof(struct judge_opinions), OPINIONS_JUDGES, compare_names, drop_judge};

/* NULL: it has no place. */
static struct judge_opinions *judge_named(struct opinions *o, const char *name)
{
	const struct judge_opinions like = {.name = (char *)(uintptr_t)name};
	bool is_new;
	struct judge_opinions *j = k_smallest_place(&JUDGES, &o->judges, &o->n, &like, o, &is_new);
	if (is_new) {
		j->name = xstrdup(name);
	}
	return j;
}

const char *judge_opinions_model(const struct judge_opinions *j)
{
	const struct name_count *most = name_counts_most(&j->models);
	return most ? most->name : NULL;
}

uint64_t judge_opinions_other_models(const struct judge_opinions *j)
{
	const struct name_count *most = name_counts_most(&j->models);
	return most ? j->models.total - most->n : 0;
}

bool opinion_of_reply(const struct reading *reply, enum opinion *ret)
{
	struct buf text = {0};
	*ret = OPINION_CANNOT_TELL;
	if (reply->n_choices > 0) {
		choice_answer(&reply->choices[0], &text);
	}
	bool is_opinion = opinion_read(buf_span(&text), ret);
	buf_finish(&text);
	return is_opinion;
}

static const struct reading *reply_of(const struct opinion_source *s, size_t leg)
{
	return leg < s->e->n_legs ? s->reading(s->arg, leg) : NULL;
}

static void read_replies(
        const struct opinion_source *s, const struct opinion_legs *legs, struct opinion_row *ret)
{
	const struct reading *one = reply_of(s, legs->base_first);
	const struct reading *other = reply_of(s, legs->test_first);
	enum opinion opinions[2];
	if (!one || !other) {
		ret->unfinished = true;
		return;
	}
	ret->models[0] = one->model;
	ret->models[1] = other->model;
	ret->unclear = !opinion_of_reply(one, &opinions[0]);
	ret->unclear += !opinion_of_reply(other, &opinions[1]);
	ret->end = opinion_end_of(opinions[0], opinions[1]);
}

size_t opinions_of_pair(const struct opinion_source *source, const struct pair *pair,
        int32_t choice, enum meaning_class ladder, struct opinion_row ret[OPINIONS_JUDGES])
{
	struct opinion_legs found[OPINIONS_JUDGES];
	size_t n = opinions_find(source->e, pair, choice, found);
	for (size_t i = 0; i < n; i++) {
		ret[i] = (struct opinion_row){.judge = found[i].judge, .ladder = ladder};
		read_replies(source, &found[i], &ret[i]);
	}
	return n;
}

void opinions_add(struct opinions *o, const struct opinion_row *row)
{
	struct judge_opinions *j = judge_named(o, row->judge);
	if (!j) {
		o->beyond++;
		return;
	}
	if (row->unfinished) {
		j->unfinished++;
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(row->models); i++) {
		if (row->models[i]) {
			name_counts_add(&j->models, row->models[i], 1);
		}
	}
	j->unclear += row->unclear;
	if (row->ladder != MEANING_UNDECIDED) {
		j->checks[row->ladder >= MEANING_ANSWER_CHANGED][row->end]++;
		return;
	}
	j->undecided[row->end]++;
	if (row->end == OPINION_END_SAME || row->end == OPINION_END_DIFFERENT) {
		/* In the ladder's sums the pair already counts as one that may have changed. */
		bool changed = row->end == OPINION_END_DIFFERENT;
		struct clusters *c = clusters_of(&j->clusters, N_OPINION_COLUMNS);
		uint32_t at = clusters_row(c, row->cluster);
		clusters_add(c, at, OPINION_CHANGED, changed, 0);
		clusters_add(c, at, OPINION_MAY_CHANGE, changed ? 0 : -1, 0);
	}
}

/*
 * The agreement by chance is taken as known (Cohen 1960). The rate of agreement has a mid-P
 * interval, which is informative even if all pairs agree.
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
	ret->ci = proportion_rate(ret->agree, ret->n);
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
	clusters_merge(&j->clusters, ladder);
	double n = clusters_total(j->clusters, OPINION_CHANGED).whole;
	if (n > 0) {
		clusters_estimate_rate(j->clusters, OPINION_CHANGED, &e);
		clusters_estimate_rate(j->clusters, OPINION_MAY_CHANGE, &most);
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
		finish_judge(&o->judges[i]);
	}
	free(o->judges);
	*o = (struct opinions){0};
}

enum grading grading_of(const struct exchange_labels *labels)
{
	struct span gold = span_of(labels->gold);
	struct buf formula = {0};
	enum grading grading = code_tests_are(gold)                ? GRADING_TESTS
	                       : formula_gold_read(gold, &formula) ? GRADING_LIBRARY
	                                                           : GRADING_NONE;
	buf_finish(&formula);
	return grading;
}

static bool read_grade(const struct reading *r, enum grade_verdict *ret)
{
	struct buf words = {0};
	if (r && r->n_choices > 0) {
		choice_answer(&r->choices[0], &words);
	}
	bool good = grade_read(buf_span(&words), ret);
	buf_finish(&words);
	return good;
}

enum meaning_gold grades_find(const struct opinion_source *source, struct id leg, int32_t choice)
{
	static const enum meaning_gold means[N_GRADES] = {GOLD_RIGHT, GOLD_WRONG, GOLD_UNDECIDED};
	enum meaning_gold newest_gold = GOLD_NONE;
	uint64_t newest = 0;
	for (size_t i = 0; i < source->e->n_legs; i++) {
		const struct leg_row *row = &source->e->legs[i].row;
		enum grade_verdict verdict;
		if ((row->marks & LEG_GRADING) && !(row->marks & LEG_TRUNCATED) &&
		        row->start_ns >= newest && row->score_at == (uint32_t)choice &&
		        id_compare(row->score_of, leg) == 0 &&
		        read_grade(source->reading(source->arg, i), &verdict)) {
			newest = row->start_ns;
			newest_gold = means[verdict];
		}
	}
	return newest_gold;
}
