#include "backends/scoring/score_request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/scoring/score_match.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "answers/finish.h"

static const char NOT_JSON[] = "the engine's answer is not JSON";
static const char NO_SCORES[] = "the engine's answer has no scores of the prompt";
static const char NO_PREFILL[] =
        "the engine's answer has no scores of the prompt; TGI gives them when it runs with "
        "--enable-prefill-logprobs";
static const char COUNT_DIFFERS[] = "the engine scored another number of tokens than it was given";
static const char OTHER_IDS[] = "the engine scored other tokens than it was given";
static const char NO_LOGPROBS[] =
        "the engine's answer has no valid probability of the answer's tokens: they are missing, or "
        "above 1";
static const char NOT_FOUND[] = "the scored tokens do not spell the answer";
static const char SHIFTED[] =
        "the engine's scores are one token late, because its model has no token that begins a text";

void score_text_finish(struct score_text *t)
{
	score_ids_finish(&t->prompt_ids);
	score_ids_finish(&t->answer_ids);
	buf_finish(&t->prompt);
	buf_finish(&t->answer);
	*t = (struct score_text){0};
}

const char *score_path(enum scoring scoring)
{
	switch (scoring) {
	case SCORING_SGLANG:
	case SCORING_TGI:
		return "/generate";
	default:
		return "v1/completions";
	}
}

bool score_takes_ids(enum scoring scoring, unsigned abilities)
{
	return scoring == SCORING_PROMPT_LOGPROBS || scoring == SCORING_SGLANG ||
	       (scoring == SCORING_ECHO && (abilities & ABILITY_ID_PROMPT));
}

static void put_ids(struct json_writer *w, const char *key, const struct score_text *text)
{
	struct score_ids all = {0};
	score_ids_append(&text->prompt_ids, &all);
	score_ids_append(&text->answer_ids, &all);
	json_writer_begin(w, span_of(key));
	score_ids_put(&all, w->to);
	score_ids_finish(&all);
}

static struct buf whole_text(const struct score_text *text)
{
	struct buf all = {0};
	buf_append_span(&all, buf_span(&text->prompt));
	buf_append_span(&all, buf_span(&text->answer));
	return all;
}

static void put_text(struct json_writer *w, const char *key, const struct score_text *text)
{
	struct buf all = whole_text(text);
	json_writer_string(w, key, buf_span(&all));
	buf_finish(&all);
}

/* Requests one token: vLLM refuses max_tokens: 0, and for llama-cpp-python it means no limit. */
static void request_openai(
        const struct score_ask *ask, const struct score_text *text, struct json_writer *w)
{
	if (ask->model) {
		json_writer_text(w, "model", ask->model);
	}
	if (text->by_ids) {
		put_ids(w, "prompt", text);
	} else {
		put_text(w, "prompt", text);
	}
	json_writer_integer(w, "max_tokens", 1);
	json_writer_integer(w, "temperature", 0);
	json_writer_bool(w, "stream", false);
	if (ask->scoring == SCORING_ECHO) {
		json_writer_bool(w, "echo", true);
		json_writer_integer(w, "logprobs", ask->top);
		return;
	}
	json_writer_integer(w, "prompt_logprobs", ask->top);
	if (text->by_ids) {
		json_writer_bool(w, "add_special_tokens", false);
	}
}

static void request_sglang(
        const struct score_ask *ask, const struct score_text *text, struct json_writer *w)
{
	if (text->by_ids) {
		put_ids(w, "input_ids", text);
	} else {
		put_text(w, "text", text);
	}
	json_writer_open(w, "sampling_params", '{');
	json_writer_integer(w, "max_new_tokens", 1);
	json_writer_integer(w, "temperature", 0);
	json_writer_close(w, "}");
	json_writer_bool(w, "return_logprob", true);
	json_writer_integer(w, "logprob_start_len", 0);
	json_writer_integer(w, "top_logprobs_num", ask->top);
	json_writer_bool(w, "return_text_in_logprobs", true);
	json_writer_bool(w, "stream", false);
}

static void request_tgi(const struct score_text *text, struct json_writer *w)
{
	put_text(w, "inputs", text);
	json_writer_open(w, "parameters", '{');
	json_writer_integer(w, "max_new_tokens", 1);
	json_writer_bool(w, "details", true);
	json_writer_bool(w, "decoder_input_details", true);
	json_writer_close(w, "}");
}

void score_request(const struct score_ask *ask, const struct score_text *text, struct buf *to)
{
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	switch (ask->scoring) {
	case SCORING_SGLANG:
		request_sglang(ask, text, &w);
		break;
	case SCORING_TGI:
		request_tgi(text, &w);
		break;
	default:
		request_openai(ask, text, &w);
		break;
	}
	json_writer_close(&w, "}");
}

bool score_columns(const struct reading *scored, struct score_place *ret)
{
	if (scored->n_choices == 0) {
		return false;
	}
	const struct choice *c = &scored->choices[0];
	if (c->has_prompt && c->prompt.n > 0) {
		*ret = (struct score_place){.columns = &c->prompt};
		return true;
	}
	if (!c->has_columns || c->columns.n == 0) {
		return false;
	}
	/* An echo ends with the generated token, unless that was an end of sequence. */
	bool generated = finish_of(c->finish) == FINISH_LENGTH;
	int64_t tail = generated ? MAX(scored->usage.completion_tokens, 1) : 0;
	*ret = (struct score_place){
	        .columns = &c->columns,
	        .tail = (uint32_t)MIN(tail, (int64_t)c->columns.n),
	};
	return true;
}

/* Whether the text before p ends with the token. If the token is longer than that text, its end
 * must be equal to the text. */
static bool ends_with(struct span text, size_t p, struct span token)
{
	size_t n = MIN(token.len, p);
	return n > 0 && memcmp(text.data + p - n, token.data + token.len - n, n) == 0;
}

/* Matches tokens from the end to the answer's beginning. False: they spell a different text. */
static bool match_backwards(struct span answer, struct score_place *place)
{
	const struct columns *c = place->columns;
	uint32_t i = c->n - place->tail;
	size_t p = answer.len;
	bool after_broken = false;
	while (p > 0 && i > 0) {
		struct span token = columns_token(c, i - 1);
		if (token_is_lossy(token)) {
			after_broken = true;
			i--;
			continue;
		}
		while (after_broken && p > 0 && !ends_with(answer, p, token) &&
		        (answer.data[p - 1] & 0x80)) {
			p--;
		}
		if (p == 0) {
			break;
		}
		if (!ends_with(answer, p, token)) {
			return false;
		}
		if (token.len > p) {
			p = 0; /* the token begins in the prompt */
			break;
		}
		p -= token.len;
		i--;
		after_broken = false;
	}
	place->at = i;
	return p == 0 && i < c->n - place->tail;
}

/* llama-cpp-python omits its BOS from the echo but counts it. If the model has no BOS, the list has
 * an entry for each token of the text, and none for the generated one. */
static bool is_shifted(const struct score_text *sent, const struct reading *scored,
        const struct score_place *place)
{
	int64_t prompt_tokens = scored->usage.prompt_tokens;
	if (place->tail == 0) {
		return prompt_tokens >= 0 && prompt_tokens <= (int64_t)place->columns->n;
	}
	struct score_place whole = {.columns = place->columns};
	struct span echoed = buf_span(&scored->choices[0].text);
	struct span last = columns_token(whole.columns, whole.columns->n - 1);
	struct buf text = whole_text(sent);
	bool has_generated = echoed.len <= text.len ||
	                     (!token_is_lossy(last) && ends_with(echoed, echoed.len, last));
	/* The last tokens are equal, so count: the list has all tokens, or all but one. */
	bool shifted =
	        !has_generated || (match_backwards(buf_span(&text), &whole) && whole.at == 0);
	buf_finish(&text);
	return shifted;
}

/* Whether this engine decodes the ids to the same text as the engine that generated them. If there
 * is reasoning or a call beside the answer, the tokens spell more than the answer. */
static bool spells(const struct score_text *sent, const struct score_place *place)
{
	const struct columns *c = place->columns;
	struct span answer = buf_span(&sent->answer);
	uint32_t to = c->n - place->tail, n = to - place->at;
	if (answer.len == 0 || c->bytes_end[c->n - 1] == 0) {
		return true;
	}
	uint32_t *at = xmalloc((n + 1) * sizeof(*at));
	size_t covered = score_match_bytes(c, place->at, to, answer, 0, at);
	free(at);
	uint32_t from = place->at ? c->bytes_end[place->at - 1] : 0;
	return 2 * covered >= answer.len || memmem(c->bytes + from, c->bytes_end[to - 1] - from,
	                                            answer.data, answer.len) != NULL;
}

/* Whether the engine scored the ids of the answer that it was given. Some engines state no ids. */
static bool has_ids(const struct score_ids *answer, const struct score_place *place)
{
	for (size_t i = 0; i < answer->n; i++) {
		int32_t id = place->columns->ids[place->at + i];
		if (id >= 0 && id != answer->items[i]) {
			return false;
		}
	}
	return true;
}

/* Whether a token of the answer has a logprob. The reader drops all if one is above 0. */
static bool has_logprobs(const struct score_place *place)
{
	uint32_t i = place->at, to = place->columns->n - place->tail;
	while (i < to && isnan(place->columns->lp[i])) {
		i++;
	}
	return i < to;
}

const char *score_locate(const struct score_text *sent, const struct reading *scored, bool shifts,
        struct score_place *ret)
{
	struct score_place place;
	if (!score_columns(scored, &place)) {
		return scored->marks & READING_NOT_JSON ? NOT_JSON
		       : scored->shape == SHAPE_TGI     ? NO_PREFILL
		                                        : NO_SCORES;
	}
	bool echoes = place.columns == &scored->choices[0].columns;
	if (echoes && shifts && is_shifted(sent, scored, &place)) {
		return SHIFTED;
	}
	uint32_t n = place.columns->n - place.tail;
	if (sent->by_ids) {
		size_t all = sent->prompt_ids.n + sent->answer_ids.n;
		if (n != all && n + 1 != all) {
			return COUNT_DIFFERS;
		}
		place.at = n - (uint32_t)sent->answer_ids.n;
		if (!has_ids(&sent->answer_ids, &place)) {
			return OTHER_IDS;
		}
		if (!spells(sent, &place)) {
			return NOT_FOUND;
		}
	} else if (!match_backwards(buf_span(&sent->answer), &place)) {
		return NOT_FOUND;
	}
	if (!has_logprobs(&place)) {
		return NO_LOGPROBS;
	}
	*ret = place;
	return NULL;
}
