#include "analyzer/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/pair.h"
#include "base/clock.h"
#include "base/mem.h"

#define PROGRESS_INTERVAL UINT64_C(500000000)
#define REPEAT_WINDOW 256 /* tokens; more than engines' penalties usually look back */

/* One exchange under way: what its legs share is read once. */
struct work {
	struct capture *capture;
	const struct capture_exchange *e;
	struct reading **readings; /* by leg; NULL until asked for, and when it can't be had */
	bool *tried;
	struct request_facts *facts;
	bool *has_facts;
};

/* Names come from a file and go to a terminal. */
static bool is_printable(const char *s)
{
	for (; *s; s++) {
		if (*s < ' ' || *s > '~') {
			return false;
		}
	}
	return true;
}

static const char *name_of(const struct leg_row *leg)
{
	return leg->backend && is_printable(leg->backend) ? leg->backend : "(unnamed)";
}

static struct analysis_group *group_for(
        struct analysis *a, const struct leg_row *base, const struct leg_row *test)
{
	const char *base_name = name_of(base), *test_name = name_of(test);
	for (size_t i = 0; i < a->n_groups; i++) {
		struct analysis_group *g = &a->groups[i];
		if (strcmp(g->base, base_name) == 0 && strcmp(g->test, test_name) == 0) {
			return g;
		}
	}
	if (a->n_groups == ANALYSIS_GROUPS_LIMIT) {
		return NULL;
	}
	a->groups = xrealloc(a->groups, (a->n_groups + 1) * sizeof(*a->groups));
	struct analysis_group *g = &a->groups[a->n_groups++];
	memset(g, 0, sizeof(*g));
	g->base = xstrdup(base_name);
	g->test = xstrdup(test_name);
	g->base_role = base->role;
	g->test_role = test->role;
	return g;
}

static const struct reading *reading_of(struct work *w, size_t leg)
{
	if (!w->tried[leg]) {
		w->tried[leg] = true;
		if (capture_reading(w->capture, w->e, leg, &w->readings[leg]) < 0) {
			w->readings[leg] = NULL;
		}
	}
	return w->readings[leg];
}

static const struct request_facts *facts_of(struct work *w, size_t leg)
{
	if (!decoding_may_differ(&w->e->legs[leg].row)) {
		return &w->e->row.facts;
	}
	if (!w->has_facts[leg]) {
		struct buf body = {0};
		w->has_facts[leg] = true;
		w->facts[leg] = (struct request_facts){.is_json = false};
		if (capture_sent_body(w->capture, w->e, leg, &body) == 0) {
			request_read(w->e->row.endpoint, buf_span(&body), &w->facts[leg]);
		}
		buf_finish(&body);
	}
	return &w->facts[leg];
}

static bool is_error(const struct leg_row *leg, const struct reading *r)
{
	return leg->status < 200 || leg->status > 299 || (r->marks & READING_ERROR_BODY);
}

static bool is_unfinished(const struct reading *r)
{
	for (size_t i = 0; i < r->n_choices; i++) {
		if (!r->choices[i].finish) {
			return true;
		}
	}
	return false;
}

static bool count_cut(const struct leg_row *leg, uint64_t counts[N_OUTCOMES])
{
	if (leg->outcome == OUTCOME_COMPLETE) {
		return false;
	}
	counts[leg->outcome < N_OUTCOMES ? leg->outcome : 0]++;
	return true;
}

/* Counts why the pair says nothing about how the engines answer. False: it may be compared. */
static bool leave_out(struct work *w, const struct pair *p, struct left_out *out)
{
	const struct leg_row *base = &w->e->legs[p->base].row, *test = &w->e->legs[p->test].row;
	if (count_cut(base, out->base_cut) || count_cut(test, out->test_cut)) {
		return true;
	}
	const struct reading *b = reading_of(w, p->base), *t = reading_of(w, p->test);
	if (!b || !t) {
		bool let_go =
		        (!b && base->marks & LEG_TRUNCATED) || (!t && test->marks & LEG_TRUNCATED);
		out->unrecorded += let_go;
		out->unreadable += !let_go;
		return true;
	}
	if (is_error(base, b) || is_error(test, t)) {
		out->base_error += is_error(base, b);
		out->test_error += !is_error(base, b);
		return true;
	}
	uint32_t bad = READING_NOT_JSON | READING_TOO_LARGE | READING_ENCODED;
	if (((b->marks | t->marks) & bad) || b->n_choices == 0 || t->n_choices == 0) {
		out->unreadable++;
		return true;
	}
	if (is_unfinished(b) || is_unfinished(t)) {
		out->unfinished++;
		return true;
	}
	return false;
}

/* Was the token that the engine passed over in the answer before? What a repetition penalty shuns.
 */
static bool avoids_repeat(const struct columns *c, uint32_t token)
{
	uint32_t best = token ? c->top_end[token - 1] : 0;
	for (uint32_t row = best + 1; row < c->top_end[token]; row++) {
		best = c->top_lp[row] > c->top_lp[best] ? row : best;
	}
	struct span passed = columns_top_token(c, best);
	for (uint32_t n = 0; n < REPEAT_WINDOW && n < token; n++) {
		if (span_equal(columns_token(c, token - 1 - n), passed)) {
			return true;
		}
	}
	return false;
}

static void count_not_top(
        const struct choice *choice, uint64_t *tokens, uint64_t *not_top, uint64_t *repeats)
{
	const struct columns *c = &choice->columns;
	for (uint32_t i = 0; choice->has_columns && i < c->n; i++) {
		uint32_t from = i ? c->top_end[i - 1] : 0;
		if (c->top_end[i] == from || (c->flags[i] & TOKEN_MISSING)) {
			continue;
		}
		(*tokens)++;
		if (c->flags[i] & TOKEN_NOT_TOP) {
			(*not_top)++;
			*repeats += avoids_repeat(c, i);
		}
	}
}

static void add_prompt_evidence(
        struct evidence *v, const struct usage *base, const struct usage *test)
{
	if (base->prompt_tokens < 0 || test->prompt_tokens < 0) {
		return;
	}
	int64_t delta = test->prompt_tokens - base->prompt_tokens;
	v->prompt_n++;
	if (delta == 0) {
		return;
	}
	v->prompt_low = v->prompt_differ ? MIN(v->prompt_low, delta) : delta;
	v->prompt_high = v->prompt_differ ? MAX(v->prompt_high, delta) : delta;
	v->prompt_differ++;
}

static void add_choice_evidence(struct evidence *v, const struct choice *base,
        const struct choice *test, enum decoding decoding)
{
	v->base_without += !base->has_columns;
	v->test_without += !test->has_columns;
	if (decoding == DECODING_GREEDY) {
		count_not_top(base, &v->base_greedy_tokens, &v->base_not_top, &v->base_repeats);
		count_not_top(test, &v->test_greedy_tokens, &v->test_not_top, &v->test_repeats);
	}
}

static const struct choice *choice_at(const struct reading *r, int32_t index)
{
	for (size_t i = 0; i < r->n_choices; i++) {
		if (r->choices[i].index == index) {
			return &r->choices[i];
		}
	}
	return NULL;
}

/*
 * Tokens of two choices: the engines' own counts, which include tokens without text, or else the
 * columns'; both of one kind.
 */
static void count_tokens(const struct reading *b, const struct choice *mine,
        const struct reading *t, const struct choice *other, int64_t *ret_base, int64_t *ret_test)
{
	bool counted = b->n_choices == 1 && t->n_choices == 1 && b->usage.completion_tokens >= 0 &&
	               t->usage.completion_tokens >= 0;
	bool columns = mine->has_columns && other->has_columns;
	*ret_base = counted ? b->usage.completion_tokens : columns ? (int64_t)mine->columns.n : -1;
	*ret_test = counted ? t->usage.completion_tokens : columns ? (int64_t)other->columns.n : -1;
}

static void compare_choices(struct work *w, const struct pair *p, const struct choice *mine,
        const struct choice *other, enum decoding decoding, struct analysis_group *g)
{
	struct metrics *m = &g->by[decoding];
	uint64_t equal = m->equal;
	int64_t base_tokens, test_tokens;
	count_tokens(reading_of(w, p->base), mine, reading_of(w, p->test), other, &base_tokens,
	        &test_tokens);
	metrics_add(m, mine, other, base_tokens, test_tokens);
	add_choice_evidence(&g->evidence, mine, other, decoding);
	if (decoding == DECODING_GREEDY && m->equal == equal) {
		examples_consider(&g->examples, w->e->row.id, mine, other);
	}
}

static void compare(struct work *w, const struct pair *p, struct analysis_group *g)
{
	const struct reading *b = reading_of(w, p->base), *t = reading_of(w, p->test);
	const struct leg_row *base = &w->e->legs[p->base].row, *test = &w->e->legs[p->test].row;
	enum decoding decoding = decoding_of_pair(facts_of(w, p->base), facts_of(w, p->test));
	size_t matched = 0;
	for (size_t i = 0; i < b->n_choices; i++) {
		const struct choice *mine = &b->choices[i];
		const struct choice *other = choice_at(t, mine->index);
		if (!other) {
			continue;
		}
		matched++;
		compare_choices(w, p, mine, other, decoding, g);
	}
	g->left_out.unlike_choices +=
	        b->n_choices - matched + (t->n_choices - MIN(matched, t->n_choices));
	add_prompt_evidence(&g->evidence, &b->usage, &t->usage);
	g->evidence.base_misspelt += (b->marks & READING_TOKENS_MISSPELL) != 0;
	g->evidence.test_misspelt += (t->marks & READING_TOKENS_MISSPELL) != 0;
	g->evidence.base_refused += (base->marks & LEG_INJECTION_REFUSED) != 0;
	g->evidence.test_refused += (test->marks & LEG_INJECTION_REFUSED) != 0;
}

static void add_pairs(struct analysis *a, struct work *w, const struct pair *pairs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct analysis_group *g = group_for(
		        a, &w->e->legs[pairs[i].base].row, &w->e->legs[pairs[i].test].row);
		if (!g) {
			a->ungrouped++;
			continue;
		}
		g->legs++;
		if (!leave_out(w, &pairs[i], &g->left_out)) {
			compare(w, &pairs[i], g);
		}
	}
}

static void add_exchange(struct analysis *a, struct capture *c, const struct capture_exchange *e,
        const struct analysis_options *options)
{
	a->exchanges++;
	a->absent += e->absent;
	if (!e->absent && !endpoint_is_openai(e->row.endpoint)) {
		a->not_understood++;
		return;
	}
	struct pair pairs[PAIRS_LIMIT];
	size_t n = pair_find(e, options->base, options->test, pairs);
	if (n == 0) {
		a->unpaired++;
		return;
	}
	struct work w = {
	        .capture = c,
	        .e = e,
	        .readings = xcalloc(e->n_legs, sizeof(struct reading *)),
	        .tried = xcalloc(e->n_legs, sizeof(bool)),
	        .facts = xcalloc(e->n_legs, sizeof(struct request_facts)),
	        .has_facts = xcalloc(e->n_legs, sizeof(bool)),
	};
	add_pairs(a, &w, pairs, n);
	for (size_t i = 0; i < e->n_legs; i++) {
		reading_destroy(w.readings[i]);
	}
	free(w.readings);
	free(w.tried);
	free(w.facts);
	free(w.has_facts);
}

static void show_progress(FILE *to, const struct analysis *a, uint64_t *ret_shown, uint64_t began)
{
	uint64_t now = to && a->exchanges % 256 == 0 ? clock_mono() : 0;
	if (now > began + 2 * PROGRESS_INTERVAL && now > *ret_shown + PROGRESS_INTERVAL) {
		*ret_shown = now;
		fprintf(to, "\r%llu exchanges read ", (unsigned long long)a->exchanges);
		fflush(to);
	}
}

void analysis_run(struct capture *c, const struct analysis_options *options, struct analysis *ret)
{
	*ret = (struct analysis){0};
	uint64_t began = clock_mono(), shown = 0;
	struct capture_exchange e;
	while (capture_next(c, &e) == 1) {
		add_exchange(ret, c, &e, options);
		capture_exchange_finish(&e);
		show_progress(options->progress, ret, &shown, began);
	}
	if (shown) {
		fputs("\r\033[K", options->progress);
	}
	capture_figures(c, &ret->figures);
}

void analysis_finish(struct analysis *a)
{
	for (size_t i = 0; i < a->n_groups; i++) {
		free(a->groups[i].base);
		free(a->groups[i].test);
	}
	free(a->groups);
	*a = (struct analysis){0};
}

uint64_t analysis_compared(const struct analysis *a)
{
	uint64_t n = 0;
	for (size_t i = 0; i < a->n_groups; i++) {
		n += a->groups[i].by[DECODING_GREEDY].pairs;
	}
	return n;
}

uint64_t analysis_differing(const struct analysis *a)
{
	uint64_t n = 0;
	for (size_t i = 0; i < a->n_groups; i++) {
		const struct metrics *m = &a->groups[i].by[DECODING_GREEDY];
		n += m->pairs - m->equal;
	}
	return n;
}

uint64_t left_out_total(const struct left_out *l)
{
	uint64_t n = l->unfinished + l->base_error + l->test_error + l->unreadable + l->unrecorded;
	for (size_t i = 0; i < N_OUTCOMES; i++) {
		n += l->base_cut[i] + l->test_cut[i];
	}
	return n;
}
