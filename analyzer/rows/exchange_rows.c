#include "analyzer/rows/exchange_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "analyzer/rows/draws_request.h"
#include "analyzer/rows/examine_score.h"
#include "analyzer/rows/floor_rows.h"
#include "analyzer/stats/clusters.h"
#include "base/mem.h"

void row_maker_finish(struct row_maker *m)
{
	comparison_room_finish(&m->room);
	draws_maker_finish(&m->draws);
	free(m->pairs);
}

uint64_t pair_row_key(const struct pair_row *row)
{
	const struct {
		struct id base, test;
		int64_t choice;
	} name = {row->base.leg, row->test.leg, row->choice};
	return XXH3_64bits(&name, sizeof(name));
}

/* One exchange in progress. */
struct builder {
	struct row_maker *maker;
	const struct row_sink *sink;
	const struct capture_exchange *e;
	struct exchange_reader reader;
	struct floor_pairs floors;
};

static const struct leg_row *leg_of(const struct builder *m, size_t leg)
{
	return &m->e->legs[leg].row;
}

static const struct reading *read_leg(void *arg, size_t leg)
{
	struct builder *m = arg;
	return exchange_reader_reading(&m->reader, leg);
}

/* A scorer is selected by its name alone, because scores belong to no run of answers. */
static bool is_of_side(const struct leg_row *leg, const struct pair_side *side)
{
	return leg_has_scores(leg->marks)
	               ? side->name && leg->backend && strcmp(leg->backend, side->name) == 0
	               : pair_is_of_side(leg, side);
}

static const char *name_of(const struct builder *m, const struct leg_row *leg)
{
	const struct row_maker *by = m->maker;
	if (by->base_label && is_of_side(leg, &by->names->base)) {
		return by->base_label;
	}
	if (by->test_label && is_of_side(leg, &by->names->test)) {
		return by->test_label;
	}
	return slices_name(by->slices, by->capture, leg);
}

/* Describes the exchange as far as that needs no reading of its request. */
static void describe_exchange(const struct capture_exchange *e, struct row_exchange *ret)
{
	*ret = (struct row_exchange){
	        .id = e->row.id,
	        .absent = e->absent,
	        .endpoint = e->row.endpoint,
	        .streamed = e->row.streamed,
	        .model = e->row.model,
	        .suite = e->row.labels.suite,
	        .category = e->row.labels.category,
	};
	memcpy(ret->cluster, clusters_key_of(&e->row), sizeof(ret->cluster));
}

/* Returns NULL if the group has the same name as the backend. */
static const char *backend_beside(const char *name, const char *backend)
{
	if (!backend) {
		return "";
	}
	return strcmp(name, backend) == 0 ? NULL : backend;
}

static void describe_side(struct builder *m, const struct leg_row *leg, struct row_side *ret)
{
	const char *name = name_of(m, leg);
	bool of_client = leg->role == ROLE_PRIMARY;
	*ret = (struct row_side){
	        .leg = leg->id,
	        .name = name,
	        .backend = backend_beside(name, leg->backend),
	        .url = leg->url,
	        .role = leg->role,
	        .dialect = names_of_dialect(leg->dialect),
	        .stack = leg->manifest,
	        .replica = leg->replica ? leg->replica : leg->fingerprint,
	        .start_ns = leg->start_ns,
	        .in_flight = leg->in_flight,
	        .prompt_tokens = leg->usage.prompt_tokens,
	        .cached_tokens = leg->usage.cached_tokens,
	        .injected = of_client && leg->marks & (LEG_INJECTED_LOGPROBS | LEG_INJECTED_USAGE),
	        .injection_refused = leg->marks & LEG_INJECTION_REFUSED,
	};
}

/* Describes what only the answer itself shows. */
static void describe_answer(const struct reading *r, struct row_side *ret)
{
	ret->prompt_tokens = r->usage.prompt_tokens;
	ret->cached_tokens = r->usage.cached_tokens;
	ret->misspelt = r->marks & READING_TOKENS_MISSPELL;
	ret->contradictory = r->marks & READING_CONTRADICTORY_USAGE;
}

/* The repetition penalty that, by the engine's own statement, applies if the request sets none;
 * 0 if there is none. */
static double default_penalty(const struct decoding_side *side)
{
	double penalty = side->stated && isnan(side->facts->repetition_penalty)
	                         ? side->stated->repetition_penalty
	                         : NAN;
	return penalty > 0 && penalty != 1 ? penalty : 0;
}

static void describe_decoding(struct builder *m, const struct pair *p, struct pair_row *row)
{
	struct decoding_side base = exchange_reader_decoding(&m->reader, p->base);
	struct decoding_side test = exchange_reader_decoding(&m->reader, p->test);
	row->c.decoding = decoding_judge(&base, &test, &row->unlike);
	row->base.default_penalty = default_penalty(&base);
	row->test.default_penalty = default_penalty(&test);
	row->base.dialect = names_of_dialect(base.dialect->name);
	row->test.dialect = names_of_dialect(test.dialect->name);
	row->has_seed = row->c.decoding == DECODING_SAMPLED && base.facts->has_seed &&
	                test.facts->has_seed && base.facts->seed == test.facts->seed;
	row->seed = row->has_seed ? base.facts->seed : 0;
}

static void describe_request(struct builder *m, const struct pair *p, struct pair_row *row)
{
	/* A chat whose turns plumbline wrote out itself went through no chat template. */
	bool written_out = leg_of(m, p->base)->marks & leg_of(m, p->test)->marks & LEG_WRITTEN_OUT;
	row->exchange.messages = written_out ? 0 : m->e->row.facts.n_messages;
	row->exchange.question = question_name(exchange_reader_task(&m->reader)->question);
	request_system_text(exchange_reader_body(&m->reader), &row->exchange.system);
}

static struct answer_input answer_of(
        struct builder *m, const struct pair_row *row, size_t leg, const struct choice *c)
{
	struct answer_input in = {.reading = exchange_reader_reading(&m->reader, leg), .choice = c};
	if (grading_of(&m->e->row.labels) != GRADING_NONE) {
		const struct opinion_source source = {m->e, m, read_leg};
		in.graded = grades_find(&source, leg_of(m, leg)->id, row->choice);
	}
	return in;
}

/* Keeps the pair: floors can be computed only after all pairs of the exchange are known. */
static void keep_for_floors(struct builder *m, const struct pair *p, const struct pair_row *row)
{
	struct floor_pair pair = {
	        .legs = *p,
	        .base = row->base.name,
	        .test = row->test.name,
	        .choice = row->choice,
	        .is_floor = row->is_floor,
	};
	pair_facts_of(&row->c, &pair.facts);
	if (!pair_row_prompts_differ(row)) {
		pair.noise = row->c.signs.noise;
		pair.noise_n = row->c.signs.noise_n;
	}
	floor_pairs_add(&m->floors, &pair);
}

static bool time_of(const struct leg_row *leg, struct crosstalk_time *ret)
{
	if (leg->start_ns == 0 || leg->end_us > UINT64_MAX / 2000) {
		return false;
	}
	*ret = (struct crosstalk_time){leg->start_ns, leg->start_ns + leg->end_us * 1000};
	return true;
}

/* Answers to different prompts, and answers with no other request in flight, cannot show
 * cross-talk. */
static void add_to_crosstalk(
        struct builder *m, const struct pair_row *row, const struct pair_texts *t)
{
	const struct leg_row *base = leg_of(m, t->pair.base), *test = leg_of(m, t->pair.test);
	bool alone = base->in_flight == 1 && test->in_flight == 1;
	struct crosstalk_pair pair = {
	        .exchange = row->exchange.id,
	        .base_name = row->base.name,
	        .test_name = row->test.name,
	        .request = t->request,
	        .base = buf_span(&t->base->text),
	        .test = buf_span(&t->test->text),
	        .differ = row->c.differ,
	        .greedy = row->c.decoding == DECODING_GREEDY,
	};
	if (!alone && !pair_row_prompts_differ(row) && time_of(base, &pair.base_time) &&
	        time_of(test, &pair.test_time)) {
		crosstalk_add(m->maker->crosstalk, &pair);
	}
}

static void emit_opinions(struct builder *m, const struct pair *p, const struct pair_row *row)
{
	const struct opinion_source source = {m->e, m, read_leg};
	struct opinion_row opinions[OPINIONS_JUDGES];
	size_t n = opinions_of_pair(&source, p, row->choice, row->c.meaning.class, opinions);
	for (size_t i = 0; i < n; i++) {
		struct row out = {.type = OPINION_ROW, .opinion = opinions[i]};
		out.opinion.exchange = row->exchange.id;
		out.opinion.base = row->base.name;
		out.opinion.test = row->test.name;
		memcpy(out.opinion.cluster, row->exchange.cluster, sizeof(out.opinion.cluster));
		row_sink_put(m->sink, &out, NULL);
	}
}

static void emit_choices(struct builder *m, const struct pair *p, struct row *out,
        const struct choice *base, const struct choice *test)
{
	struct pair_row *row = &out->pair;
	row->has_choices = true;
	row->choice = base->index;
	const struct comparison_input in = {
	        .base = answer_of(m, row, p->base, base),
	        .test = answer_of(m, row, p->test, test),
	        .decoding = row->c.decoding,
	        .request = exchange_reader_body(&m->reader),
	        .task = exchange_reader_task(&m->reader),
	        .grading = grading_of(&m->e->row.labels),
	};
	if (m->maker->texts_only) {
		row->c.differ = choices_differ(base, test);
	} else {
		compare_pair(&m->maker->room, &in, &row->c);
	}
	if (row->c.decoding == DECODING_GREEDY && !m->maker->texts_only) {
		keep_for_floors(m, p, row);
	}
	const struct pair_texts texts = {m->e, *p, base, test, in.request};
	if (m->maker->crosstalk) {
		add_to_crosstalk(m, row, &texts);
	}
	row_sink_put(m->sink, out, &texts);
	if (row_sink_wants(m->sink, OPINION_ROW) && row->c.decoding == DECODING_GREEDY &&
	        !row->is_floor) {
		emit_opinions(m, p, row);
	}
	row->is_first = false;
}

static void emit_pair(struct builder *m, const struct pair *p, struct row *out)
{
	struct pair_row *row = &out->pair;
	const struct reading *b = exchange_reader_reading(&m->reader, p->base);
	const struct reading *t = exchange_reader_reading(&m->reader, p->test);
	describe_answer(b, &row->base);
	describe_answer(t, &row->test);
	describe_decoding(m, p, row);
	describe_request(m, p, row);
	row->has_embeddings = b->n_embeddings > 0 || t->n_embeddings > 0;
	if (row->has_embeddings) {
		embedding_figures_add(&row->embeddings, b, t);
	}
	size_t matched = 0;
	for (size_t i = 0; i < b->n_choices; i++) {
		matched += reading_choice(t, b->choices[i].index) != NULL;
	}
	row->unmatched_choices =
	        (uint32_t)(b->n_choices - matched + (t->n_choices - MIN(matched, t->n_choices)));
	for (size_t i = 0; i < b->n_choices; i++) {
		const struct choice *other = reading_choice(t, b->choices[i].index);
		if (other) {
			emit_choices(m, p, out, &b->choices[i], other);
		}
	}
	if (row->is_first) {
		row_sink_put(m->sink, out, NULL);
	}
}

/* False: the pair may be compared. */
static bool find_left_out(struct builder *m, const struct pair *p, struct left_out_row *row)
{
	const struct leg_row *base = leg_of(m, p->base), *test = leg_of(m, p->test);
	if (left_out_is_cut(base, test, &row->why)) {
		return true;
	}
	if (row->has_metadata) {
		row->why = (struct left_out_why){.reason = LEFT_OUT_METADATA};
		return true;
	}
	const struct left_out_leg b = {base, exchange_reader_reading(&m->reader, p->base)};
	const struct left_out_leg t = {test, exchange_reader_reading(&m->reader, p->test)};
	if (left_out_find(&b, &t, &row->why)) {
		return true;
	}
	/* Nobody knows how the answers to such a request were decoded. */
	if (m->e->row.content_encoding && !m->e->row.facts.is_json) {
		row->why = (struct left_out_why){.reason = LEFT_OUT_UNREADABLE,
		        .text = "their request has a content coding and was not read as JSON"};
		return true;
	}
	return false;
}

static void emit_legs(struct builder *m, const struct pair *p)
{
	const struct leg_row *base = leg_of(m, p->base), *test = leg_of(m, p->test);
	struct row out = {.type = LEFT_OUT_ROW};
	struct left_out_row *left_out = &out.left_out;
	*left_out = (struct left_out_row){
	        .is_floor = pair_is_floor(m->maker->names, base, test),
	        .redacted = partial_content_is_redacted(&m->e->row, base, test),
	        .has_metadata = partial_content_is_metadata(&m->e->row, base) ||
	                        partial_content_is_metadata(&m->e->row, test),
	};
	describe_exchange(m->e, &left_out->exchange);
	describe_side(m, base, &left_out->base);
	describe_side(m, test, &left_out->test);
	if (find_left_out(m, p, left_out)) {
		left_out->failed[SIDE_BASE] =
		        left_out_leg_has_failed(base, m->reader.legs[p->base].reading);
		left_out->failed[SIDE_TEST] =
		        left_out_leg_has_failed(test, m->reader.legs[p->test].reading);
		if (left_out->has_metadata) {
			partial_content_compare(&m->e->row, base, test, &left_out->metadata);
		}
		row_sink_put(m->sink, &out, NULL);
		return;
	}
	struct row row = {.type = PAIR_ROW};
	row.pair = (struct pair_row){
	        .exchange = left_out->exchange,
	        .base = left_out->base,
	        .test = left_out->test,
	        .is_floor = left_out->is_floor,
	        .is_first = true,
	        .redacted = left_out->redacted,
	};
	emit_pair(m, p, &row);
}

/* Whether the scores concern the backends that the user selected. */
static bool is_wanted_score(
        const struct builder *m, const struct leg_row *scorer, const struct leg_row *of)
{
	const struct pair_names *w = m->maker->names;
	bool by = is_of_side(scorer, &w->base) || is_of_side(scorer, &w->test);
	return !w->base.name ||
	       (by && (!of || is_of_side(of, &w->base) || is_of_side(of, &w->test)));
}

/* Emits the row of one scored leg. in: has the words, and whether the request is constrained.
 * of: index of the scored leg; n_legs: not in the capture. */
static void emit_score(struct builder *m, size_t scorer, size_t of, struct score_input in,
        const struct system_text *system)
{
	struct row out = {.type = SCORE_ROW};
	struct score_row *row = &out.score;
	in.scorer = leg_of(m, scorer);
	describe_exchange(m->e, &row->exchange);
	describe_side(m, in.scorer, &row->scorer);
	row->of.prompt_tokens = -1;
	if (of < m->e->n_legs) {
		in.of = leg_of(m, of);
		in.answer = exchange_reader_reading(&m->reader, of);
		in.scored = exchange_reader_reading(&m->reader, scorer);
		in.decoding = exchange_reader_decoding(&m->reader, of);
		describe_side(m, in.of, &row->of);
		bool written_out = in.of->marks & LEG_WRITTEN_OUT;
		row->exchange.messages = written_out ? 0 : in.decoding.facts->n_messages;
		row->exchange.system = *system;
		row->is_self = pair_is_of_one_engine(m->maker->names, in.scorer, in.of);
	}
	examine_score(&in, row);
	row_sink_put(m->sink, &out, NULL);
}

/* Emits the rows of the exchange's scored legs, each about another leg. */
static void emit_scores(struct builder *m)
{
	struct request_words words = {0};
	struct system_text system = {0};
	struct score_input in = {0};
	for (size_t i = 0; row_sink_wants(m->sink, SCORE_ROW) && i < m->e->n_legs; i++) {
		const struct leg_row *scorer = leg_of(m, i);
		/* Scores that were not stored whole are requested again and stored as another
		 * leg. */
		if (!leg_has_scores(scorer->marks) || (scorer->marks & LEG_TRUNCATED)) {
			continue;
		}
		size_t of = score_leg_of(m->e, scorer);
		if (is_wanted_score(m, scorer, of < m->e->n_legs ? leg_of(m, of) : NULL)) {
			if (!in.words) {
				struct span body = exchange_reader_body(&m->reader);
				request_words_read(&words, body);
				request_system_text(body, &system);
				in.words = &words;
				in.is_constrained = draws_request_read(body) != DRAWS_COUNTS;
			}
			emit_score(m, i, of, in, &system);
		}
	}
	request_words_finish(&words);
}

/* Emits the rows of the maker's first n pairs. */
static void emit(struct row_maker *maker, const struct capture_exchange *e, size_t n,
        bool of_repeats, const struct row_sink *sink)
{
	struct builder m = {.maker = maker, .sink = sink, .e = e};
	slices_trim(maker->slices);
	m.floors = (struct floor_pairs){.e = e, .names = maker->names, .of_repeats = of_repeats};
	memcpy(m.floors.cluster, clusters_key_of(&e->row), sizeof(m.floors.cluster));
	exchange_reader_init(&m.reader, maker->capture, &maker->stated, e);
	for (size_t i = 0; i < n; i++) {
		emit_legs(&m, &maker->pairs[i]);
	}
	floor_rows(&m.floors, sink);
	emit_scores(&m);
	for (size_t i = 0; i < e->n_legs; i++) {
		draws_rows(&maker->draws, &m.reader, i, name_of(&m, leg_of(&m, i)), sink);
	}
	floor_pairs_finish(&m.floors);
	exchange_reader_finish(&m.reader);
}

/* Writes the pairs of two engines and then the floors to m->pairs, and makes room there for
 * `more` further pairs. */
static size_t find_pairs(struct row_maker *m, const struct capture_exchange *e, size_t more)
{
	size_t most = 2 * e->n_legs + more;
	if (most > m->pairs_room) {
		m->pairs_room = MAX(most, 2 * m->pairs_room);
		m->pairs = xrealloc(m->pairs, m->pairs_room * sizeof(*m->pairs));
	}
	size_t n = pair_find(e, m->names, m->pairs);
	return n + pair_find_floors(e, m->names, m->pairs, n, m->pairs + n);
}

size_t exchange_rows(
        struct row_maker *m, const struct capture_exchange *e, const struct row_sink *sink)
{
	size_t n = find_pairs(m, e, 0);
	emit(m, e, n, false, sink);
	return n;
}

void exchange_rows_of_repeats(struct row_maker *m, struct capture_exchange *e, size_t own,
        const struct pair *repeats, size_t n_repeats, const struct row_sink *sink)
{
	size_t all = e->n_legs;
	expect(own <= all);
	e->n_legs = own;
	size_t n = find_pairs(m, e, n_repeats);
	e->n_legs = all;
	if (n_repeats > 0) {
		memcpy(m->pairs + n, repeats, n_repeats * sizeof(*repeats));
	}
	emit(m, e, n + n_repeats, true, sink);
}
