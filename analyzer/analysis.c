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
	struct told *told; /* by the backends' manifests */
};

static struct analysis_group *group_for(
        struct analysis *a, struct work *w, const struct leg_row *base, const struct leg_row *test)
{
	const char *base_name = slices_name(&a->slices, w->capture, base);
	const char *test_name = slices_name(&a->slices, w->capture, test);
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

static struct decoding_side side_of(struct work *w, size_t leg)
{
	const struct leg_row *row = &w->e->legs[leg].row;
	const struct dialect *d = dialect_find(row->dialect);
	const struct request_facts *facts = facts_of(w, leg);
	const struct reading *r = reading_of(w, leg);
	/* A chat may have been sent as a completion. */
	bool recast = w->e->row.endpoint == ENDPOINT_CHAT && w->has_facts[leg] && facts->is_json &&
	              facts->n_messages == 0;
	return (struct decoding_side){
	        .facts = facts,
	        .endpoint = recast ? ENDPOINT_COMPLETION : w->e->row.endpoint,
	        .dialect = d ? d : &dialect_generic,
	        .told = told_get(w->told, w->capture, row->manifest),
	        .finish = r && r->n_choices ? r->choices[0].finish : NULL,
	        .dropped = (row->marks & LEG_DROPPED) != 0,
	};
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
	bool nothing = (b->n_choices == 0 && b->n_embeddings == 0) ||
	               (t->n_choices == 0 && t->n_embeddings == 0);
	if (((b->marks | t->marks) & bad) || nothing) {
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
	bool unlike = placement_differs(mine, other);
	struct choice base, test;
	if (unlike) {
		placement_even(mine, &base);
		placement_even(other, &test);
	}
	const struct choice *b = unlike ? &base : mine, *t = unlike ? &test : other;
	metrics_add(m, b, t, base_tokens, test_tokens);
	placement_count(&g->places, mine, other, unlike);
	add_choice_evidence(&g->evidence, mine, other, decoding);
	if (decoding == DECODING_GREEDY && m->equal == equal) {
		examples_consider(&g->examples, w->e->row.id, b, t);
	}
	if (unlike) {
		placement_finish(&base);
		placement_finish(&test);
	}
}

static void compare(struct work *w, const struct pair *p, struct analysis_group *g)
{
	const struct reading *b = reading_of(w, p->base), *t = reading_of(w, p->test);
	const struct leg_row *base = &w->e->legs[p->base].row, *test = &w->e->legs[p->test].row;
	struct decoding_side mine_side = side_of(w, p->base), other_side = side_of(w, p->test);
	struct decoding_reason reason;
	enum decoding decoding = decoding_judge(&mine_side, &other_side, &reason);
	if (decoding == DECODING_UNLIKE) {
		unlike_add(&g->unlikes, &reason, mine_side.dialect, other_side.dialect);
	}
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
	if (b->n_embeddings > 0 || t->n_embeddings > 0) {
		embedding_figures_add(&g->embeddings, b, t);
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
		        a, w, &w->e->legs[pairs[i].base].row, &w->e->legs[pairs[i].test].row);
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

/* What the scored legs of the exchange say of other legs. */
static void add_scores(struct analysis *a, struct work *w)
{
	for (size_t i = 0; i < w->e->n_legs; i++) {
		const struct leg_row *scorer = &w->e->legs[i].row;
		if (!(scorer->marks & LEG_SCORED)) {
			continue;
		}
		size_t of = forced_leg_of(w->e, scorer);
		if (of == w->e->n_legs) {
			a->forced.orphans++;
			continue;
		}
		const struct request_facts *facts = facts_of(w, of);
		forced_add(&a->forced, &w->e->legs[of].row, scorer, reading_of(w, of),
		        reading_of(w, i), decoding_of_pair(facts, facts));
	}
}

static bool has_scores(const struct capture_exchange *e)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		if (e->legs[i].row.marks & LEG_SCORED) {
			return true;
		}
	}
	return false;
}

static void add_exchange(struct analysis *a, struct capture *c, const struct capture_exchange *e,
        const struct analysis_options *options)
{
	a->exchanges++;
	a->absent += e->absent;
	for (size_t i = 0; i < e->n_legs; i++) {
		slices_note(&a->slices, &e->legs[i].row);
	}
	if (!e->absent && e->row.endpoint == ENDPOINT_MESSAGES) {
		a->not_read++;
		return;
	}
	if (!e->absent && e->row.endpoint == ENDPOINT_OTHER) {
		a->not_understood++;
		return;
	}
	struct pair pairs[PAIRS_LIMIT];
	size_t n = pair_find(e, options->base, options->test, pairs);
	a->unpaired += n == 0;
	if (n == 0 && !has_scores(e)) {
		return;
	}
	struct work w = {
	        .capture = c,
	        .e = e,
	        .readings = xcalloc(e->n_legs, sizeof(struct reading *)),
	        .tried = xcalloc(e->n_legs, sizeof(bool)),
	        .facts = xcalloc(e->n_legs, sizeof(struct request_facts)),
	        .has_facts = xcalloc(e->n_legs, sizeof(bool)),
	        .told = &a->told,
	};
	add_pairs(a, &w, pairs, n);
	add_scores(a, &w);
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
	*ret = (struct analysis){.slices.by = options->by};
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
	slices_finish(&a->slices);
	forced_finish(&a->forced);
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
