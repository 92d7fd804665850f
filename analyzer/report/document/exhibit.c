#include "analyzer/report/document/exhibit_parts.h"

#include <math.h>

#include "analyzer/compare/meaning/placement.h"
#include "analyzer/report/node.h"
#include "analyzer/compare/meaning/task.h"
#include "analyzer/opinions/opinions.h"
#include "analyzer/greedy_differences.h"
#include "analyzer/rows/partial_content.h"
#include "answers/first_difference.h"
#include "base/moment.h"

#define TEXT_LIMIT 24576
#define CALLS_LIMIT 32
#define CALL_LIMIT 4096
#define EDITS_LIMIT 32
#define EDIT_LIMIT 1024

/* One side of the pair as it was recorded. */
struct exhibit_side {
	size_t leg;
	struct reading *reading;
	const struct choice *choice;
};

static bool find_side(struct capture *c, const struct capture_exchange *e, struct id leg,
        int32_t index, struct exhibit_side *ret)
{
	*ret = (struct exhibit_side){.leg = capture_leg_index(e, leg)};
	if (ret->leg == e->n_legs || capture_reading(c, e, ret->leg, &ret->reading) < 0) {
		return false;
	}
	ret->choice = reading_choice(ret->reading, index);
	return ret->choice != NULL;
}

static json_t *moment(uint64_t wall_ns)
{
	struct buf text = {0};
	moment_put(&text, wall_ns);
	json_t *o = wall_ns ? json_string(buf_cstr(&text)) : json_null();
	buf_finish(&text);
	return o;
}

static json_t *milliseconds(uint64_t us)
{
	return us == UINT64_MAX ? json_null() : json_real((double)us / 1000);
}

static json_t *count(int64_t n)
{
	return n < 0 ? json_null() : json_integer(n);
}

static json_t *usage(const struct usage *u)
{
	json_t *o = json_object();
	json_object_set_new(o, "prompt_tokens", count(u->prompt_tokens));
	json_object_set_new(o, "completion_tokens", count(u->completion_tokens));
	json_object_set_new(o, "cached_tokens", count(u->cached_tokens));
	json_object_set_new(o, "reasoning_tokens", count(u->reasoning_tokens));
	return o;
}

static json_t *calls(const struct choice *c)
{
	json_t *list = json_array();
	for (size_t i = 0; i < MIN(c->n_calls, (size_t)CALLS_LIMIT); i++) {
		const struct tool_call *call = &c->calls[i];
		json_t *o = json_object();
		json_object_set_new(o, "name", exhibit_name(call->name));
		exhibit_set_text(o, "arguments", span_of(call->arguments), CALL_LIMIT);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *edits(const struct leg_row *row)
{
	json_t *list = json_array();
	for (size_t i = 0; i < MIN(row->n_edits, (size_t)EDITS_LIMIT); i++) {
		const struct edit *edit = &row->edits[i];
		json_t *o = json_object();
		node_set_count(o, "at", edit->at);
		node_set_count(o, "removed", edit->removed);
		exhibit_set_text(o, "inserted", edit->inserted, EDIT_LIMIT);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *side(const struct leg_row *row, const struct exhibit_side *s)
{
	struct buf text = {0};
	json_t *o = json_object();
	json_object_set_new(o, "backend", exhibit_name(row->backend));
	json_object_set_new(o, "model", exhibit_name(row->model));
	json_object_set_new(o, "status", json_integer(row->status));
	choice_answer(s->choice, &text);
	exhibit_set_text(o, "text", buf_span(&text), TEXT_LIMIT);
	buf_clear(&text);
	choice_reasoning(s->choice, &text);
	exhibit_set_text(o, "reasoning", buf_span(&text), TEXT_LIMIT);
	buf_finish(&text);
	exhibit_set_text(o, "refusal", buf_span(&s->choice->refusal), TEXT_LIMIT);
	node_set_count(o, "redactions", row->redactions);
	node_set_text(o, "reasoning_place", reasoning_place_name(s->choice->place));
	json_object_set_new(o, "tool_calls", calls(s->choice));
	json_object_set_new(o, "finish", exhibit_name(s->choice->finish));
	node_set_flag(o, "is_cut", meaning_is_cut(s->choice));
	json_object_set_new(o, "usage", usage(&s->reading->usage));
	json_object_set_new(o, "first_content_ms", milliseconds(row->first_content_us));
	json_object_set_new(o, "end_ms", milliseconds(row->end_us));
	json_object_set_new(o, "edits", edits(row));
	return o;
}

static json_t *meaning(const struct meaning *m)
{
	json_t *o = json_object(), *marks = json_array();
	for (unsigned i = 0; i < N_MEANING_MARKS; i++) {
		if (m->marks & 1u << i) {
			json_array_append_new(marks, json_string(meaning_mark_name(i)));
		}
	}
	node_set_text(o, "class", meaning_class_name(m->class));
	node_set_text(o, "rung", rung_name(m->rung));
	node_set_text(o, "severity", meaning_severity_name(m->severity));
	node_set_text(o, "basis", meaning_basis_name(m->basis));
	node_set_number(o, "similarity", round((double)m->similarity * 1e4) / 1e4);
	json_object_set_new(o, "marks", marks);
	json_object_set_new(o, "base_value", exhibit_name(m->base_value));
	json_object_set_new(o, "test_value", exhibit_name(m->test_value));
	return o;
}

/* The first difference where a token begins on both sides. */
static bool find_first(const struct choice *base, const struct choice *test, struct first *ret)
{
	struct listing_walk w;
	bool found = false;
	listing_walk_begin(&w, &base->columns, &test->columns);
	while (!found && listing_walk_next(&w)) {
		found = !w.at.equal;
		if (found) {
			first_find(&w.base, &w.test, ret);
		}
	}
	return found;
}

static json_t *first(const struct analysis_group *g, const struct pick *pick,
        const struct choice *base, const struct choice *test,
        const struct first_difference *difference)
{
	const struct first_scale scale = {g->sigma, g->first_verdict.threshold};
	struct first f;
	if (!difference->has_tokens || !find_first(base, test, &f)) {
		return json_null();
	}
	/* Sampled answers differ anyway. */
	bool greedy = pick->decoding == DECODING_GREEDY;
	enum first_verdict verdict = greedy ? first_judge(&f, &scale) : FIRST_UNKNOWN;
	json_t *o = json_object();
	node_set_text(o, "verdict", first_verdict_name(verdict));
	json_object_set_new(o, "token", json_integer(difference->first_token));
	node_set_number(o, "shift", f.shift);
	node_set_number(o, "base_gap", f.base_gap);
	node_set_number(o, "test_gap", f.test_gap);
	node_set_flag(o, "base_censored", f.base_censored);
	node_set_flag(o, "test_censored", f.test_censored);
	return o;
}

/* Writes the result of comparing the two answers, with their reasoning in the same place. */
static void set_comparison(json_t *o, const struct analysis_group *g, const struct pick *pick,
        const struct exhibit_side *base, const struct exhibit_side *test, json_t *sides[2])
{
	struct choice normal_base, normal_test;
	const struct choice *a = base->choice, *b = test->choice;
	struct first_difference difference;
	bool normalised = placement_differs(a, b);
	if (normalised) {
		placement_normalise(base->choice, &normal_base);
		placement_normalise(test->choice, &normal_test);
		a = &normal_base;
		b = &normal_test;
	}
	first_difference_find(a, b, &difference);
	node_set_flag(o, "text_equal", difference.text_equal);
	json_object_set_new(o, "first_difference", first(g, pick, a, b, &difference));
	exhibit_pieces(o, sides[0], sides[1], base->choice, test->choice, difference.has_tokens,
	        difference.first_token);
	if (normalised) {
		placement_finish(&normal_base);
		placement_finish(&normal_test);
	}
}

/* Sets the key by which the difference can be accepted, if it can. */
static void set_difference(json_t *o, const struct capture_exchange *e, struct span request,
        const struct exhibit_side *base, const struct exhibit_side *test)
{
	const struct leg_row *b = &e->legs[base->leg].row, *t = &e->legs[test->leg].row;
	struct buf key = {0};
	if (!partial_content_is_redacted(&e->row, b, t) &&
	        greedy_difference_key(e->row.endpoint, request, base->choice, test->choice, &key)) {
		node_set_text(o, "difference", buf_cstr(&key));
	}
	buf_finish(&key);
}

/* first: the first difference of the pair, or null. */
static bool shows(const struct pick *pick, const struct cause *c, const json_t *first)
{
	bool within = c->shift_most == 0 || node_number(first, "shift") <= c->shift_most;
	bool named = (pick->traces & c->traces) != 0 && within;
	for (size_t i = 0; i < c->exchanges.n; i++) {
		named |= id_compare(c->exchanges.ids[i], pick->exchange) == 0;
	}
	return named;
}

/* Which of the group's causes may be at work in a pair that differs. */
static json_t *causes(const struct analysis_group *g, const struct pick *pick, const json_t *first)
{
	json_t *keys = json_array();
	for (size_t i = 0; i < g->found.n && pick->rank > 0; i++) {
		if (shows(pick, &g->found.items[i], first)) {
			json_array_append_new(
			        keys, json_string(cause_words(g->found.items[i].kind)->key));
		}
	}
	return keys;
}

static bool read_reply(
        struct capture *c, const struct capture_exchange *e, size_t leg, enum opinion *ret)
{
	struct reading *r = NULL;
	if (leg >= e->n_legs || capture_reading(c, e, leg, &r) < 0) {
		return false;
	}
	(void)opinion_of_reply(r, ret);
	reading_destroy(r);
	return true;
}

/* Returns the verdicts of judge models on the pair, by judge; NULL if none judged it in both
 * orders. */
static json_t *judges(struct capture *c, const struct capture_exchange *e, const struct pair *pair,
        int32_t choice)
{
	struct opinion_legs found[OPINIONS_JUDGES];
	size_t n = opinions_find(e, pair, choice, found);
	json_t *list = NULL;
	for (size_t i = 0; i < n; i++) {
		enum opinion one, other;
		if (!read_reply(c, e, found[i].base_first, &one) ||
		        !read_reply(c, e, found[i].test_first, &other)) {
			continue;
		}
		json_t *o = json_object();
		json_object_set_new(o, "name", exhibit_name(found[i].judge));
		node_set_text(o, "verdict", opinion_end_name(opinion_end_of(one, other)));
		list = list ? list : json_array();
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *make(struct capture *c, const struct capture_exchange *e,
        const struct analysis_group *g, const struct pick *pick, struct meaning_room *room,
        const struct exhibit_side *base, const struct exhibit_side *test)
{
	char id[ID_TEXT_SIZE];
	struct task task = {0};
	struct buf request = {0};
	struct meaning m;
	json_t *o = json_object();
	node_set_text(o, "exchange", id_format(e->row.id, id));
	json_object_set_new(o, "choice", json_integer(pick->choice));
	json_object_set_new(o, "time", moment(e->row.wall_ns));
	json_object_set_new(o, "model", exhibit_name(e->row.model));
	node_set_text(o, "endpoint", endpoint_name(e->row.endpoint));
	node_set_flag(o, "streamed", e->row.streamed);
	node_set_count(o, "redactions", e->row.redactions);
	node_set_count(o, "repeat", e->legs[test->leg].row.repeat + UINT64_C(1));
	node_set_text(o, "decoding", decoding_name((enum decoding)pick->decoding));
	node_set_flag(o, "differ", pick->rank > 0);
	if (capture_request_body(c, e, &request) == 0) {
		task_read(&task, e->row.endpoint, buf_span(&request));
	}
	exhibit_prompt(o, buf_span(&request));
	node_set_text(o, "category", question_name(task.question));
	if (pick->rank > 0 && pick->decoding == DECODING_GREEDY) {
		set_difference(o, e, buf_span(&request), base, test);
	}
	buf_finish(&request);
	meaning_compare(room, base->choice, test->choice, &task, &m);
	task_finish(&task);
	json_object_set_new(o, "meaning", meaning(&m));
	const struct pair pair = {base->leg, test->leg};
	json_t *verdicts = judges(c, e, &pair, pick->choice);
	if (verdicts) {
		json_object_set_new(o, "judges", verdicts);
	}
	json_t *sides[2] = {
	        side(&e->legs[base->leg].row, base), side(&e->legs[test->leg].row, test)};
	set_comparison(o, g, pick, base, test, sides);
	json_object_set_new(o, "causes", causes(g, pick, json_object_get(o, "first_difference")));
	if (pick->choice == 0) {
		const struct leg_row *b = &e->legs[base->leg].row, *t = &e->legs[test->leg].row;
		exhibit_scores(json_object_get(sides[0], "pieces"), c, e, base->leg, base->reading,
		        t->backend);
		exhibit_scores(json_object_get(sides[1], "pieces"), c, e, test->leg, test->reading,
		        b->backend);
	}
	json_object_set_new(o, "base", sides[0]);
	json_object_set_new(o, "test", sides[1]);
	return o;
}

json_t *exhibit_make(struct capture *c, const struct analysis_group *g, const struct pick *pick,
        struct meaning_room *room)
{
	struct capture_exchange e;
	struct exhibit_side base = {0}, test = {0};
	json_t *o = NULL;
	if (capture_find(c, pick->exchange, &e) < 0) {
		return NULL;
	}
	if (find_side(c, &e, pick->base, pick->choice, &base) &&
	        find_side(c, &e, pick->test, pick->choice, &test)) {
		o = make(c, &e, g, pick, room, &base, &test);
	}
	reading_destroy(base.reading);
	reading_destroy(test.reading);
	capture_exchange_finish(&e);
	return o;
}
