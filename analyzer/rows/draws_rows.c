#include "analyzer/rows/draws_rows.h"

#include <math.h>
#include <string.h>

#include <xxhash.h>

#include "analyzer/rows/draws_request.h"
#include "analyzer/rows/examine_draws.h"
#include "analyzer/rows/part.h"
#include "analyzer/compare/choice_hash.h"
#include "capture/leg_flaw.h"
#include "base/check.h"

static const struct hash_layout LAYOUT = {sizeof(struct draws_memory_request), sizeof(uint64_t)};

static void keep(struct draws_memory_request *r, const struct draws_memory_answer *answer)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->answers[i].text == answer->text) {
			r->answers[i].n++;
			return;
		}
	}
	if (r->n < DRAWS_MEMORY_ANSWERS) {
		r->answers[r->n] = *answer;
		r->answers[r->n++].n = 1;
	}
}

void draws_memory_add(struct draws_memory *m, uint64_t request,
        const struct draws_memory_answer *answer, struct draws_before *ret)
{
	uint64_t hash = request ? request : 1;
	bool is_new;
	struct draws_memory_request *r = hash_table_add(&m->requests, LAYOUT, &hash, &is_new);
	*ret = (struct draws_before){0};
	for (size_t i = 0; i < r->n; i++) {
		const struct draws_memory_answer *a = &r->answers[i];
		ret->same_seed |= answer->seed && a->seed == answer->seed;
		ret->pairs += a->n;
		ret->identical |= a->text == answer->text;
		ret->expected += exp(a->chance);
	}
	ret->expected = fmin(1, ret->expected);
	if (ret->same_seed) {
		*ret = (struct draws_before){.same_seed = true};
	} else {
		keep(r, answer);
	}
}

void draws_memory_finish(struct draws_memory *m)
{
	hash_table_finish(&m->requests);
}

/* Below this log probability, in nats, the same answer does not come twice by chance. */
#define UNLIKELY_LP (-16)

/* One leg in progress. */
struct builder {
	struct draws_maker *maker;
	struct exchange_reader *reader;
	size_t leg;
	struct decoding_side side;
	struct draws_requested requested;
	struct draws_row row; /* the values that all of its answers share */
	struct request_words words;
	const struct row_sink *sink;
};

void draws_maker_finish(struct draws_maker *m)
{
	draws_memory_finish(&m->memory);
}

static double requested_or(const struct builder *m, enum parameter p, double off)
{
	double value = parameter_asked(p, m->side.dialect, m->side.facts);
	return isnan(value) || parameter_is_off(p, m->side.dialect, value) ? off : value;
}

/* The temperature of a request that sets none. OpenAI's API defines it; with other APIs it
 * depends on the engine. NaN: unknown. */
static double default_temperature(const struct builder *m)
{
	bool says = endpoint_is_openai(m->side.endpoint) || m->side.endpoint == ENDPOINT_RESPONSES;
	return says ? 1
	            : parameter_default(PARAMETER_TEMPERATURE, m->side.dialect, m->side.stated,
	                      m->side.endpoint);
}

static void read_requested(struct builder *m)
{
	double temperature = parameter_asked(PARAMETER_TEMPERATURE, m->side.dialect, m->side.facts);
	m->row.unasked = isnan(temperature);
	m->row.temperature = m->row.unasked ? default_temperature(m) : temperature;
	m->requested = (struct draws_requested){
	        .temperature = m->row.temperature,
	        .top_k = requested_or(m, PARAMETER_TOP_K, 0),
	        .top_p = requested_or(m, PARAMETER_TOP_P, 1),
	        .min_p = requested_or(m, PARAMETER_MIN_P, 0),
	};
}

static double stated(const struct builder *m, enum parameter p)
{
	double value = m->side.stated ? parameter_of_sampling(p, m->side.stated) : NAN;
	return isnan(value) || parameter_is_off(p, m->side.dialect, value) ? 0 : value;
}

/* A hash of everything that a draw depends on, except the seed. */
static uint64_t hash_of_request(const struct builder *m)
{
	const struct exchange_row *e = &m->reader->e->row;
	struct {
		uint8_t prompt[REQUEST_HASH_SIZE];
		uint64_t name, model, endpoint;
		double temperature, top_k, top_p, min_p;
		int64_t most_tokens;
	} what = {
	        .name = part_hash_name(m->row.backend),
	        .model = part_hash_name(m->row.model),
	        .endpoint = e->endpoint,
	        .temperature = m->requested.temperature,
	        .top_k = m->requested.top_k,
	        .top_p = m->requested.top_p,
	        .min_p = m->requested.min_p,
	        .most_tokens = m->side.facts->max_tokens,
	};
	memcpy(what.prompt, e->hashes.prompt, sizeof(what.prompt));
	return XXH3_64bits(&what, sizeof(what));
}

/* A seed belongs to a request, and each choice of the request is another draw. The hash is 0 if
 * there is no seed. */
static uint64_t hash_of_seed(const struct builder *m, int32_t choice)
{
	const int64_t what[] = {m->side.facts->seed, choice};
	uint64_t hash = XXH3_64bits(what, sizeof(what));
	return m->side.facts->has_seed ? hash | 1 : 0;
}

/* Finds earlier answers to the same request. A draw that already counted does not count again. */
static void find_earlier_draws(struct builder *m, const struct choice *choice, double chance)
{
	const struct exchange_row *e = &m->reader->e->row;
	struct draws_row *row = &m->row;
	uint8_t text[CHOICE_HASH_SIZE];
	struct draws_before before;
	if (!part_has_prompt(e)) {
		return;
	}
	if (!part_chooses(part_hash(e), DRAWS_MEMORY_REQUESTS, m->maker->exchanges)) {
		row->excluded = m->side.facts->has_seed ? DRAWS_REPEATED : row->excluded;
		return;
	}
	struct draws_memory_answer answer = {
	        .seed = hash_of_seed(m, choice->index), .chance = chance};
	choice_hash(choice, text);
	memcpy(&answer.text, text, sizeof(answer.text));
	draws_memory_add(&m->maker->memory, hash_of_request(m), &answer, &before);
	row->counts.repeats_pairs = before.pairs;
	row->counts.repeats_identical = before.identical;
	row->repeats_expected = (float)before.expected;
	if (before.same_seed || (before.identical && chance < UNLIKELY_LP)) {
		row->excluded = DRAWS_REPEATED;
	}
}

static void give_row(struct builder *m, const struct choice *choice)
{
	struct row row = {.type = DRAWS_ROW};
	struct draws_row common = m->row;
	const struct draws_input in = {choice, &m->words, m->requested};
	double chance = 0;
	m->row.choice = choice->index;
	if (m->row.excluded == DRAWS_COUNTS && choice->n_calls > 0) {
		m->row.excluded = DRAWS_TOOLS;
	}
	if (m->row.excluded == DRAWS_COUNTS) {
		m->row.excluded = examine_draws(&in, &m->row, &chance);
	}
	if (m->row.excluded == DRAWS_COUNTS) {
		find_earlier_draws(m, choice, chance);
		m->row.seed = hash_of_seed(m, choice->index) >> 11;
	}
	row.draws = m->row;
	if (m->row.excluded != DRAWS_COUNTS) {
		const struct draws_counts *counts = &m->row.counts;
		row.draws.seed = 0;
		row.draws.sums = (struct draws_sums){0};
		row.draws.counts = (struct draws_counts){
		        .repeats_pairs = counts->repeats_pairs,
		        .repeats_identical = counts->repeats_identical,
		};
	}
	row_sink_put(m->sink, &row, NULL);
	m->row = common;
}

static enum draws_exclusion excluded(struct builder *m)
{
	if (!m->side.facts->is_json || isnan(m->row.temperature)) {
		return DRAWS_UNKNOWN;
	}
	if (requested_or(m, PARAMETER_REPETITION, 0) != 0 ||
	        requested_or(m, PARAMETER_PRESENCE, 0) != 0 ||
	        requested_or(m, PARAMETER_FREQUENCY, 0) != 0) {
		return DRAWS_PENALTY_ASKED;
	}
	return draws_request_read(exchange_reader_body(m->reader));
}

void draws_rows(struct draws_maker *maker, struct exchange_reader *r, size_t leg, const char *name,
        const struct row_sink *sink)
{
	const struct leg_row *row = &r->e->legs[leg].row;
	struct builder m = {.maker = maker, .reader = r, .leg = leg, .sink = sink};
	if (!leg_is_whole_answer(row) || r->e->absent || !row_sink_wants(sink, DRAWS_ROW)) {
		return;
	}
	m.side = exchange_reader_decoding(r, leg);
	const struct reading *reading = exchange_reader_reading(r, leg);
	m.row = (struct draws_row){
	        .exchange = r->e->row.id,
	        .leg = row->id,
	        .backend = name,
	        .role = row->role,
	        .model = r->e->row.model,
	        .replica = row->replica ? row->replica : row->fingerprint,
	        .stack = row->manifest,
	        .lists = m.side.basis,
	};
	read_requested(&m);
	m.row.stated = (struct draws_stated){
	        .temperature = stated(&m, PARAMETER_TEMPERATURE),
	        .top_k = stated(&m, PARAMETER_TOP_K),
	        .top_p = stated(&m, PARAMETER_TOP_P),
	        .min_p = stated(&m, PARAMETER_MIN_P),
	        .penalty = stated(&m, PARAMETER_REPETITION),
	};
	if (m.row.temperature == 0 || m.requested.top_k == 1 || !reading ||
	        reading->n_choices == 0) {
		return;
	}
	m.row.excluded = excluded(&m);
	if (m.row.excluded == DRAWS_COUNTS) {
		request_words_read(&m.words, exchange_reader_body(r));
	}
	for (size_t i = 0; i < reading->n_choices; i++) {
		give_row(&m, &reading->choices[i]);
	}
	request_words_finish(&m.words);
}
