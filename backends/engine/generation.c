#include "backends/engine/generation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/engine/ranking.h"
#include "base/grow.h"
#include "base/rng.h"
#include "base/utf8.h"

#define MIXED_LATEST 12 /* latest position of a mix-up, in own tokens */
#define INTRUDED_AT 3   /* own tokens of an answer before another's text */

static struct generation_row *add_row(struct generation *g, uint32_t id)
{
	g->rows = grow(g->rows, g->n_rows, &g->cap_rows, sizeof(*g->rows));
	struct generation_row *row = &g->rows[g->n_rows++];
	*row = (struct generation_row){
	        .id = id, .logprob = NAN, .top = g->n_tops, .reasoning = g->in_reasoning};
	return row;
}

static void add_top(struct generation *g, struct generation_row *row, struct language_item item)
{
	g->tops = grow(g->tops, g->n_tops, &g->cap_tops, sizeof(*g->tops));
	g->tops[g->n_tops++] = item;
	row->n_top++;
}

/* Lists items in descending order, except for an end token that the engine does not list. */
static void add_tops(struct generation *g, struct generation_row *row,
        const struct language_item *items, uint32_t n)
{
	bool hides_end = fault_value(g->faults, FAULT_END_TOKEN, -1) == FAULT_END_TOKEN_UNLISTED;
	for (uint32_t i = 0; i < n && row->n_top < (uint32_t)g->request->top; i++) {
		if (!hides_end || items[i].id != TOKEN_EOS) {
			add_top(g, row, items[i]);
		}
	}
}

static void report_raw(
        struct generation *g, struct generation_row *row, const struct language_spread *spread)
{
	double z = language_normaliser(g->language, spread);
	struct language_item item, tops[ENGINE_TOP_MAX + 1];
	struct ranking r;
	row->logprob = (float)((double)language_logit(g->language, spread, row->id) - z);
	if (g->request->top == 0) {
		return;
	}
	ranking_of_spread(&r, g->language, spread);
	uint32_t n = 0;
	for (; n <= (uint32_t)g->request->top && ranking_next(&r, &item); n++) {
		tops[n] = (struct language_item){item.id, (float)((double)item.logit - z)};
	}
	add_tops(g, row, tops, n);
}

static void report_processed(struct generation *g, struct generation_row *row,
        const struct language_spread *spread, struct token_sampler *sampler, bool masked)
{
	struct language_item tops[ENGINE_TOP_MAX + 1];
	uint32_t n = token_sampler_processed(sampler, spread, row->id, masked, &row->logprob, tops,
	        g->request->top ? (uint32_t)g->request->top + 1 : 0);
	add_tops(g, row, tops, n);
}

/* Replaces the token's logprobs by the previous token's, as after an off-by-one error. */
static void put_previous(struct generation *g, struct generation_row *row)
{
	float logprob = row->logprob;
	struct language_item tops[ENGINE_TOP_MAX];
	uint32_t n = MIN(row->n_top, (uint32_t)ENGINE_TOP_MAX);
	memcpy(tops, g->tops + row->top, n * sizeof(*tops));
	if (g->n_rows > 1) {
		row->logprob = g->previous.logprob;
		row->n_top = 0;
		g->n_tops = row->top;
		for (uint32_t i = 0; i < g->previous.n; i++) {
			add_top(g, row, g->previous.tops[i]);
		}
	}
	g->previous.logprob = logprob;
	memcpy(g->previous.tops, tops, n * sizeof(*tops));
	g->previous.n = n;
}

static void report(struct generation *g, uint32_t id, const struct language_spread *spread)
{
	struct generation_row *row = add_row(g, id);
	switch ((enum fault_lists)fault_value(g->faults, FAULT_LISTS, FAULT_LISTS_RAW)) {
	case FAULT_LISTS_RAW:
		report_raw(g, row, spread);
		break;
	case FAULT_LISTS_TEMPERATURE:
		report_processed(g, row, spread, &g->tempered, false);
		break;
	case FAULT_LISTS_PROCESSED:
		report_processed(g, row, spread, &g->sampler, false);
		break;
	case FAULT_LISTS_MASKED:
		report_processed(g, row, spread, &g->sampler, true);
		break;
	}
	if (fault_on(g->faults, FAULT_MISALIGNED)) {
		put_previous(g, row);
	}
}

static void compute_spread(struct generation *g, struct language_spread *spread)
{
	if (g->mixed_with && g->n_tokens == g->mixed_at) {
		g->state.hash = rng_mix_pair(g->state.hash, g->mixed_with);
		g->mixed_with = 0;
	}
	fault_apply_to_state(g->faults, &g->state);
	language_spread(g->language, &g->state, spread);
	language_disturb(&g->numerics, &g->state, spread);
}

static void read_prompt(struct generation *g, const struct tokens *prompt)
{
	struct language_spread spread;
	for (size_t i = 0; i < prompt->n; i++) {
		uint32_t id = prompt->items[i];
		if (g->request->echo && id >= TOKEN_CONTROLS) {
			if (g->request->logprobs && i > 0 && g->n_rows > 0) {
				language_spread(g->language, &g->state, &spread);
				language_disturb(&g->numerics, &g->state, &spread);
				report(g, id, &spread);
			} else if (g->request->logprobs) {
				add_row(g, id);
			}
			buf_append_span(&g->content.bytes, vocabulary_bytes(id));
		}
		language_push(g->language, &g->state, id);
		token_sampler_read(&g->sampler, id);
	}
}

void generation_init(struct generation *g, const struct language *l,
        const struct engine_request *request, uint32_t index, const struct fault_set *faults,
        const struct generation_options *options)
{
	const struct tokens *prompt = engine_request_prompt(request, index);
	*g = (struct generation){
	        .language = l,
	        .request = request,
	        .faults = faults,
	        .index = index,
	        .tags = options->tags,
	        .numerics = fault_numerics(faults, options->noise_seed),
	};
	generation_disturb(g, options->noise);
	g->intruding = options->intruding;
	g->mixed_with = options->mixed_with;
	g->mixed_at = 1 + (uint32_t)(options->mixed_with % MIXED_LATEST);
	language_begin(l, &g->state);
	token_sampler_init(&g->sampler, l, &request->sampling, rng_mix_pair(options->seed, index));
	if (fault_value(faults, FAULT_LISTS, FAULT_LISTS_RAW) == FAULT_LISTS_TEMPERATURE) {
		g->tempered_rules = (struct token_sampler_rules){
		        .temperature = request->sampling.temperature, .top_p = 1, .repetition = 1};
		token_sampler_init(&g->tempered, l, &g->tempered_rules, 0);
	}
	read_prompt(g, prompt); /* uses both samplers for an echo */
	if (options->is_spoilt) {
		g->state.hash = rng_mix_pair(options->seed, 0x4e614e);
	}
	if (request->max_tokens == 0) {
		g->finish = GENERATION_LENGTH;
	}
}

void generation_disturb(struct generation *g, double noise)
{
	double own = fault_value(g->faults, FAULT_NOISE, 0);
	g->numerics.noise = sqrt(own * own + noise * noise);
}

void generation_finish(struct generation *g)
{
	token_sampler_finish(&g->sampler);
	token_sampler_finish(&g->tempered);
	buf_finish(&g->content.bytes);
	buf_finish(&g->reasoning.bytes);
	free(g->rows);
	free(g->tops);
	*g = (struct generation){0};
}

static uint32_t choose(struct generation *g, const struct language_spread *spread)
{
	if (g->forced_at < g->request->forced.n) {
		return g->request->forced.items[g->forced_at++];
	}
	if (g->intruding && g->n_tokens >= INTRUDED_AT && g->intruding_at < g->intruding->n) {
		return g->intruding->items[g->intruding_at++];
	}
	bool end_allowed = !g->request->ignore_eos && g->n_tokens >= g->request->min_tokens;
	uint32_t end = language_candidate(spread, TOKEN_EOS);
	if (end_allowed || end == spread->n) {
		return token_sampler_pick(&g->sampler, spread);
	}
	struct language_spread endless = *spread;
	endless.items[end] = endless.items[--endless.n];
	return token_sampler_pick(&g->sampler, &endless);
}

/* Finds the first stop string that ends after the first `from` bytes, and cuts the text there. */
static bool find_stop(struct generation *g, size_t from)
{
	struct buf *text = &g->content.bytes;
	size_t best = SIZE_MAX, end = 0;
	bool kept = fault_on(g->faults, FAULT_KEEP_STOP);
	for (uint32_t i = 0; i < g->request->n_stops; i++) {
		const struct buf *stop = &g->request->stops[i];
		size_t start = from >= stop->len - 1 ? from - (stop->len - 1) : 0;
		start = MAX(start, g->content.released);
		if (start >= text->len) {
			continue;
		}
		const char *at =
		        memmem(text->data + start, text->len - start, stop->data, stop->len);
		if (at && (size_t)(at - text->data) < best) {
			best = (size_t)(at - text->data);
			end = best + (kept ? stop->len : 0);
			g->stopped_by = stop->data;
		}
	}
	if (best != SIZE_MAX) {
		text->len = end;
	}
	return best != SIZE_MAX;
}

static void end_of_text(struct generation *g)
{
	g->finish = g->request->call_name ? GENERATION_TOOL_CALLS : GENERATION_STOP;
}

static void take(struct generation *g, uint32_t id)
{
	struct generation_text *text = g->in_reasoning && !g->tags ? &g->reasoning : &g->content;
	size_t from = text->bytes.len;
	if (id == TOKEN_THINK || id == TOKEN_THINK_END) {
		g->in_reasoning = id == TOKEN_THINK;
		if (g->tags) {
			buf_append_span(&g->content.bytes, vocabulary_name(id));
		}
		return;
	}
	buf_append_span(&text->bytes, vocabulary_bytes(id));
	if (text == &g->content && g->request->n_stops > 0 && !g->request->call_name &&
	        find_stop(g, from)) {
		g->finish = GENERATION_STOP;
	}
}

void generation_step(struct generation *g)
{
	struct language_spread spread;
	if (g->finish != GENERATION_RUNNING) {
		return;
	}
	compute_spread(g, &spread);
	uint32_t id = choose(g, &spread);
	g->n_tokens++;
	g->n_reasoning += g->in_reasoning;
	bool ends = id == TOKEN_EOS;
	bool has_row = !ends || fault_value(g->faults, FAULT_END_TOKEN, -1) == FAULT_END_TOKEN_ROW;
	if (has_row && g->request->logprobs) {
		report(g, id, &spread);
	} else if (has_row && g->request->return_token_ids) {
		add_row(g, id);
	}
	if (ends) {
		end_of_text(g);
		return;
	}
	take(g, id);
	language_push(g->language, &g->state, id);
	token_sampler_add(&g->sampler, id);
	if (g->finish == GENERATION_RUNNING && g->request->forced.n > 0 &&
	        g->forced_at == g->request->forced.n) {
		end_of_text(g);
	} else if (g->finish == GENERATION_RUNNING && g->n_tokens >= g->request->max_tokens) {
		g->finish = GENERATION_LENGTH;
	}
}

/* Returns how many bytes at the end belong to an incomplete character. */
static size_t unfinished_character(const struct buf *b)
{
	for (size_t back = 1; back <= 3 && back <= b->len; back++) {
		uint8_t c = (uint8_t)b->data[b->len - back];
		if (c >= 0xc2 && c < 0xf5) {
			size_t whole = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
			return back < whole ? back : 0;
		}
		if (c < 0x80 || c >= 0xc0) {
			return 0;
		}
	}
	return 0;
}

static size_t start_of_stop(const struct generation *g, const struct buf *b, size_t released)
{
	size_t held = 0;
	for (uint32_t i = 0; i < g->request->n_stops; i++) {
		const struct buf *stop = &g->request->stops[i];
		for (size_t n = MIN(stop->len - 1, b->len - released); n > held; n--) {
			if (memcmp(b->data + b->len - n, stop->data, n) == 0) {
				held = n;
			}
		}
	}
	return held;
}

struct span generation_release(struct generation_text *t, struct generation *g)
{
	size_t held = 0;
	bool was_split = t->split;
	t->split = unfinished_character(&t->bytes) > 0;
	bool open = g->finish == GENERATION_RUNNING && (t == &g->content || g->in_reasoning);
	if (open) {
		held = MAX(unfinished_character(&t->bytes),
		        t == &g->content ? start_of_stop(g, &t->bytes, t->released) : 0);
	}
	size_t to = MAX(t->bytes.len - MIN(held, t->bytes.len), t->released);
	struct span certain = {t->bytes.data + t->released, to - t->released};
	t->released = to;
	bool loses = fault_on(g->faults, FAULT_LOSE_CHARACTERS) && g->request->stream &&
	             g->request->logprobs;
	if (loses && was_split && certain.len) {
		size_t n = utf8_length(certain.data, certain.data + certain.len);
		certain.data += n;
		certain.len -= n;
	}
	return certain;
}
