/*
 * The simulated engine from a request's JSON to the choices of its answer.
 */
#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "backends/engine/engine_request.h"
#include "backends/engine/engine.h"
#include "backends/engine/generation.h"
#include "backends/engine/answer_json.h"
#include "base/json.h"

struct bench {
	struct engine_options options;
	struct language *language;
	struct engine_request request;
	struct generation g;
	struct fault_set faults;
	struct engine_problem problem;
	char *body;
};

static bool read_ask(struct bench *b, enum endpoint endpoint, const char *body)
{
	engine_options_init(&b->options);
	b->language = language_create(7);
	b->body = strdup(body);
	return engine_request_parse(
	        &b->request, endpoint, span_of(b->body), &b->options, &b->problem);
}

static void run_with(struct bench *b, enum endpoint endpoint, const char *body, const char *faults,
        uint32_t index)
{
	char *problem = NULL;
	cr_assert(read_ask(b, endpoint, body), "%s", b->problem.message);
	cr_assert(fault_parse(span_of(faults), &b->faults, &problem), "%s", problem);
	fault_apply_to_request(&b->faults, &b->request);
	struct generation_options how = {.seed = b->request.sampling.seed, .noise_seed = 1};
	generation_init(&b->g, b->language, &b->request, index, &b->faults, &how);
	while (b->g.finish == GENERATION_RUNNING) {
		generation_step(&b->g);
	}
}

static void run(struct bench *b, enum endpoint endpoint, const char *body)
{
	run_with(b, endpoint, body, "", 0);
}

static void finish(struct bench *b)
{
	generation_finish(&b->g);
	engine_request_finish(&b->request);
	language_destroy(b->language);
	free(b->body);
	*b = (struct bench){0};
}

#define CHAT                                                                                       \
	"{\"messages\":[{\"role\":\"user\",\"content\":\"Tell me about "                           \
	"Paris\"}],\"temperature\":0"

Test(engine_generation, tokens_of_the_logprobs_spell_the_text)
{
	struct bench b = {0};
	for (int i = 0; i < 40; i++) {
		char body[256];
		snprintf(body, sizeof(body),
		        "{\"prompt\":\"Story %d\",\"max_tokens\":120,\"logprobs\":2,\"seed\":%d}",
		        i, i);
		run(&b, ENDPOINT_COMPLETION, body);
		struct buf spelled = {0};
		for (uint32_t k = 0; k < b.g.n_rows; k++) {
			buf_append_span(&spelled, vocabulary_bytes(b.g.rows[k].id));
		}
		cr_assert(span_equal(buf_span(&spelled), buf_span(&b.g.content.bytes)));
		buf_finish(&spelled);
		finish(&b);
	}
}

Test(engine_generation, characters_are_split_across_tokens_and_come_out_whole)
{
	struct bench b = {0};
	int split = 0;
	for (int i = 0; i < 60; i++) {
		char body[256];
		snprintf(body, sizeof(body),
		        "{\"prompt\":\"%d\",\"max_tokens\":200,\"ignore_eos\":true,\"logprobs\":0,"
		        "\"temperature\":0}",
		        i);
		cr_assert(read_ask(&b, ENDPOINT_COMPLETION, body));
		struct generation_options how = {.seed = (uint64_t)i};
		generation_init(&b.g, b.language, &b.request, 0, &b.faults, &how);
		while (b.g.finish == GENERATION_RUNNING) {
			generation_step(&b.g);
			uint32_t id = b.g.rows[b.g.n_rows - 1].id;
			split += id >= TOKEN_BYTE_0 + 0x80 && id < TOKEN_BYTE_0 + 256;
			struct span piece = generation_release(&b.g.content, &b.g);
			bool starts_whole =
			        piece.len == 0 || ((uint8_t)piece.data[0] & 0xc0) != 0x80;
			cr_assert(starts_whole, "a piece begins within a character");
		}
		finish(&b);
	}
	cr_assert_gt(split, 20, "the model spells some characters by bytes: %d", split);
}

Test(engine_generation, reported_logprobs_are_the_models_own)
{
	struct bench b = {0};
	run(&b, ENDPOINT_CHAT, CHAT ",\"max_tokens\":40,\"logprobs\":true,\"top_logprobs\":20}");
	struct language_state s;
	language_begin(b.language, &s);
	for (size_t i = 0; i < b.request.prompts[0].n; i++) {
		language_push(b.language, &s, b.request.prompts[0].items[i]);
	}
	for (uint32_t i = 0; i < b.g.n_rows; i++) {
		struct language_spread spread;
		language_spread(b.language, &s, &spread);
		double z = language_normaliser(b.language, &spread);
		const struct generation_row *row = &b.g.rows[i];
		cr_assert_eq(row->n_top, 20);
		cr_assert_eq(row->id, spread.items[0].id, "greedy takes the first");
		for (uint32_t k = 0; k < 20; k++) {
			cr_assert_eq(b.g.tops[row->top + k].id, spread.items[k].id);
			cr_assert_float_eq(b.g.tops[row->top + k].logit,
			        (double)spread.items[k].logit - z, 1e-5);
		}
		language_push(b.language, &s, row->id);
	}
	finish(&b);
}

Test(engine_generation, the_same_seed_gives_the_same_text)
{
	struct bench a = {0}, b = {0};
	const char *body = "{\"prompt\":\"A tale\",\"max_tokens\":60,\"seed\":5}";
	run(&a, ENDPOINT_COMPLETION, body);
	run(&b, ENDPOINT_COMPLETION, body);
	cr_assert(span_equal(buf_span(&a.g.content.bytes), buf_span(&b.g.content.bytes)));
	finish(&b);
	run(&b, ENDPOINT_COMPLETION, "{\"prompt\":\"A tale\",\"max_tokens\":60,\"seed\":6}");
	cr_assert(!span_equal(buf_span(&a.g.content.bytes), buf_span(&b.g.content.bytes)));
	finish(&a);
	finish(&b);
}

Test(engine_generation, choices_of_a_sampled_answer_differ)
{
	struct bench a = {0}, b = {0};
	const char *body = "{\"prompt\":\"A tale\",\"max_tokens\":60,\"seed\":5,\"n\":2}";
	run_with(&a, ENDPOINT_COMPLETION, body, "", 0);
	run_with(&b, ENDPOINT_COMPLETION, body, "", 1);
	cr_assert(!span_equal(buf_span(&a.g.content.bytes), buf_span(&b.g.content.bytes)));
	finish(&a);
	finish(&b);
}

Test(engine_generation, max_tokens_ends_with_length)
{
	struct bench b = {0};
	run(&b, ENDPOINT_CHAT, CHAT ",\"max_completion_tokens\":5,\"ignore_eos\":true}");
	cr_assert_eq(b.g.n_tokens, 5);
	cr_assert_eq(b.g.finish, GENERATION_LENGTH);
	finish(&b);
}

Test(engine_generation, stop_strings_end_the_text_before_them_and_are_never_released)
{
	struct bench b = {0};
	run(&b, ENDPOINT_CHAT, CHAT ",\"max_tokens\":60}");
	char *text = span_dup(buf_span(&b.g.content.bytes));
	finish(&b);
	/* Nine bytes from the middle: a stop string that spans tokens. */
	char stop[10] = {0};
	size_t at = strlen(text) / 2;
	while (((uint8_t)text[at] & 0xc0) == 0x80) {
		at++;
	}
	memcpy(stop, text + at, 9);
	struct buf body = {0};
	buf_append_str(&body, CHAT ",\"max_tokens\":60,\"stop\":[\"never there\",");
	json_put_string(&body, span_of(stop));
	buf_append_str(&body, "]}");
	cr_assert(read_ask(&b, ENDPOINT_CHAT, buf_cstr(&body)), "%s", b.problem.message);
	struct generation_options how = {0};
	struct buf released = {0};
	generation_init(&b.g, b.language, &b.request, 0, &b.faults, &how);
	while (b.g.finish == GENERATION_RUNNING) {
		generation_step(&b.g);
		buf_append_span(&released, generation_release(&b.g.content, &b.g));
	}
	const char *found = strstr(text, stop);
	cr_assert_eq(b.g.finish, GENERATION_STOP);
	cr_assert_eq(released.len, (size_t)(found - text));
	cr_assert_arr_eq(released.data, text, released.len);
	buf_finish(&released);
	buf_finish(&body);
	finish(&b);
	free(text);
}

Test(engine_generation, an_unasked_repetition_penalty_chooses_tokens_that_are_not_the_top_one)
{
	struct bench b = {0};
	int not_top = 0, n = 0;
	for (int i = 0; i < 10; i++) {
		char body[256];
		snprintf(body, sizeof(body),
		        "{\"messages\":[{\"role\":\"user\",\"content\":\"%d\"}],\"temperature\":0,"
		        "\"logprobs\":true,"
		        "\"top_logprobs\":1,\"max_tokens\":100,\"ignore_eos\":true}",
		        i);
		run_with(&b, ENDPOINT_CHAT, body, "repeat-penalty=1.1", 0);
		for (uint32_t k = 0; k < b.g.n_rows; k++) {
			not_top += b.g.tops[b.g.rows[k].top].id != b.g.rows[k].id;
			n++;
		}
		finish(&b);
	}
	cr_assert(not_top > n / 100, "%d of %d", not_top, n);
}

#define SAMPLED                                                                                    \
	"{\"messages\":[{\"role\":\"user\",\"content\":\"Tell me about Paris\"}],\"seed\":3,"      \
	"\"logprobs\":true,\"top_logprobs\":20,\"max_tokens\":200"

/* Returns the token's rank in its list, from 0; the list's length if it is not there. */
static uint32_t rank_of(const struct generation *g, const struct generation_row *row)
{
	uint32_t i = 0;
	while (i < row->n_top && g->tops[row->top + i].id != row->id) {
		i++;
	}
	return i;
}

Test(engine_generation, unasked_cuts_keep_choices_within_a_rank_or_a_share_of_the_first)
{
	struct bench b = {0};
	run_with(&b, ENDPOINT_CHAT, SAMPLED "}", "top-k=3;temperature=2", 0);
	uint32_t beyond_two = 0;
	for (uint32_t i = 0; i < b.g.n_rows; i++) {
		uint32_t rank = rank_of(&b.g, &b.g.rows[i]);
		cr_assert_lt(rank, 3);
		beyond_two += rank == 2;
	}
	cr_assert_gt(beyond_two, 0);
	finish(&b);
	run_with(&b, ENDPOINT_CHAT, SAMPLED "}", "min-p=0.2", 0);
	for (uint32_t i = 0; i < b.g.n_rows; i++) {
		const struct generation_row *row = &b.g.rows[i];
		cr_assert_geq(row->logprob - b.g.tops[row->top].logit, log(0.2) - 1e-5);
	}
	finish(&b);
}

static double repeated_share(const char *faults)
{
	struct bench b = {0};
	uint32_t repeated = 0;
	run_with(&b, ENDPOINT_CHAT, SAMPLED ",\"ignore_eos\":true}", faults, 0);
	for (uint32_t i = 0; i < b.g.n_rows; i++) {
		bool again = false;
		for (uint32_t k = 0; k < i; k++) {
			again |= b.g.rows[k].id == b.g.rows[i].id;
		}
		repeated += again;
	}
	double share = (double)repeated / b.g.n_rows;
	finish(&b);
	return share;
}

Test(engine_generation, unasked_penalties_make_tokens_of_the_answer_rarer)
{
	double plain = repeated_share("");
	cr_assert_lt(repeated_share("presence-penalty=2"), plain);
	cr_assert_lt(repeated_share("frequency-penalty=2"), plain);
	cr_assert_eq(repeated_share("presence-penalty=100"), 0);
}

Test(engine_generation, lists_are_raw_or_after_temperature_or_after_all)
{
	struct bench raw = {0}, other = {0};
	const char *body = SAMPLED ",\"temperature\":0.5}";
	const char *fault = "repeat-penalty=1.2;top-k=5";
	run_with(&raw, ENDPOINT_CHAT, body, fault, 0);
	run_with(&other, ENDPOINT_CHAT, body, "repeat-penalty=1.2;top-k=5;lists=temperature", 0);
	for (uint32_t i = 0; i < raw.g.n_rows; i++) {
		const struct language_item *a = raw.g.tops + raw.g.rows[i].top;
		const struct language_item *b = other.g.tops + other.g.rows[i].top;
		cr_assert_eq(raw.g.rows[i].id, other.g.rows[i].id, "lists change no choice");
		cr_assert_eq(other.g.rows[i].n_top, 20);
		cr_assert_float_eq(b[0].logit - b[7].logit, 2 * (a[0].logit - a[7].logit), 1e-4);
	}
	finish(&other);
	run_with(&other, ENDPOINT_CHAT, body, "repeat-penalty=1.2;top-k=5;lists=processed", 0);
	for (uint32_t i = 0; i < other.g.n_rows; i++) {
		cr_assert_eq(other.g.rows[i].n_top, 5);
	}
	finish(&other);
	run_with(&other, ENDPOINT_CHAT, body, "repeat-penalty=1.2;top-k=5;lists=masked", 0);
	for (uint32_t i = 0; i < other.g.n_rows; i++) {
		const struct generation_row *row = &other.g.rows[i];
		cr_assert_eq(row->n_top, 20);
		cr_assert(isfinite(other.g.tops[row->top + 4].logit) &&
		          isinf(other.g.tops[row->top + 5].logit));
	}
	finish(&other);
	finish(&raw);
}

/* Returns the token's logprob in the row's list; NAN if it is not there. */
static double listed_logprob(
        const struct generation *g, const struct generation_row *row, uint32_t id)
{
	for (uint32_t i = 0; i < row->n_top; i++) {
		if (g->tops[row->top + i].id == id) {
			return (double)g->tops[row->top + i].logit;
		}
	}
	return NAN;
}

static bool was_read(const struct generation *g, uint32_t before, uint32_t id)
{
	for (uint32_t i = 0; i < before; i++) {
		if (g->rows[i].id == id) {
			return true;
		}
	}
	return false;
}

Test(engine_generation, an_echo_penalises_only_tokens_that_were_read_before)
{
	struct bench plain = {0}, penalised = {0};
	const char *body = "{\"prompt\":\"Tell me about the sea and the land and the sea\","
	                   "\"echo\":true,\"logprobs\":20,\"max_tokens\":1}";
	uint32_t fresh = 0, repeated = 0;
	run_with(&plain, ENDPOINT_COMPLETION, body, "lists=processed", 0);
	run_with(&penalised, ENDPOINT_COMPLETION, body, "lists=processed;repeat-penalty=2", 0);
	for (uint32_t i = 1; i + 1 < plain.g.n_rows; i++) {
		const struct generation_row *a = &plain.g.rows[i], *b = &penalised.g.rows[i];
		for (uint32_t k = 0; k < a->n_top; k++) {
			struct language_item other = plain.g.tops[a->top + k];
			double listed = listed_logprob(&penalised.g, b, other.id);
			if (isnan(listed) || other.id == a->id || was_read(&plain.g, i, other.id)) {
				continue;
			}
			/* The difference of two tokens that no penalty touches stays. */
			double changed =
			        (double)(a->logprob - b->logprob) - ((double)other.logit - listed);
			bool again = was_read(&plain.g, i, a->id);
			cr_assert(again ? fabs(changed) > 0.01 : fabs(changed) < 1e-4, "row %u: %g",
			        i, changed);
			repeated += again;
			fresh += !again;
		}
	}
	cr_assert(fresh > 0 && repeated > 0, "%u, %u", fresh, repeated);
	finish(&penalised);
	finish(&plain);
}

static uint32_t ends_listed(const struct generation *g)
{
	uint32_t listed = 0;
	for (uint32_t i = 0; i < g->n_tops; i++) {
		listed += g->tops[i].id == TOKEN_EOS;
	}
	return listed;
}

Test(engine_generation, the_end_of_text_is_in_no_list_or_has_a_row)
{
	struct bench b = {0};
	uint32_t listed = 0, ended = 0;
	for (int seed = 0; seed < 20; seed++) {
		char body[256];
		snprintf(body, sizeof(body),
		        "{\"prompt\":\"A tale\",\"seed\":%d,\"max_tokens\":500,\"logprobs\":20}",
		        seed);
		run(&b, ENDPOINT_COMPLETION, body);
		uint32_t rows = b.g.n_rows;
		bool ends = b.g.finish == GENERATION_STOP;
		ended += ends;
		listed += ends_listed(&b.g);
		finish(&b);
		run_with(&b, ENDPOINT_COMPLETION, body, "end-token=row", 0);
		cr_assert_eq(b.g.n_rows, rows + ends);
		cr_assert(!ends || b.g.rows[rows].id == TOKEN_EOS);
		finish(&b);
		run_with(&b, ENDPOINT_COMPLETION, body, "end-token=unlisted", 0);
		cr_assert_eq(b.g.n_rows, rows);
		cr_assert_eq(ends_listed(&b.g), 0);
		cr_assert_eq(b.g.n_tops, 20 * rows, "another token takes its place");
		finish(&b);
	}
	cr_assert_gt(ended, 10);
	cr_assert_gt(listed, 0);
}

Test(engine_generation, bos_and_truncate_faults_change_the_prompt)
{
	struct bench b = {0};
	run_with(&b, ENDPOINT_CHAT, CHAT "}", "bos=missing", 0);
	size_t without = b.request.prompts[0].n;
	cr_assert_neq(b.request.prompts[0].items[0], TOKEN_BOS);
	finish(&b);
	run_with(&b, ENDPOINT_CHAT, CHAT "}", "bos=double", 0);
	cr_assert_eq(b.request.prompts[0].n, without + 2);
	cr_assert_eq(b.request.prompts[0].items[1], TOKEN_BOS);
	finish(&b);
	run_with(&b, ENDPOINT_CHAT, CHAT "}", "truncate=3", 0);
	cr_assert_eq(b.request.prompts[0].n, 3);
	finish(&b);
}

Test(engine_generation, wrong_requests_are_refused_with_the_parameter_named)
{
	static const struct {
		enum endpoint endpoint;
		const char *body, *param;
	} WRONG[] = {
	        {ENDPOINT_CHAT,
	                "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"logprobs\":true,"
	                "\"top_logprobs\":21}",
	                "top_logprobs"},
	        {ENDPOINT_CHAT,
	                "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"top_logprobs\":2}",
	                "top_logprobs"},
	        {ENDPOINT_CHAT, "{\"model\":\"g\"}", "messages"},
	        {ENDPOINT_CHAT, "{\"messages\":[]}", "messages"},
	        {ENDPOINT_CHAT, "{\"messages\":{}}", "messages"},
	        {ENDPOINT_CHAT, "{\"messages\":[1]}", "messages"},
	        {ENDPOINT_CHAT, "{\"messages\":[{\"role\":\"ghost\",\"content\":\"x\"}]}",
	                "messages"},
	        {ENDPOINT_COMPLETION, "{}", "prompt"},
	        {ENDPOINT_COMPLETION, "{\"prompt\":\"x\",\"max_tokens\":0}", "max_tokens"},
	        {ENDPOINT_COMPLETION, "{\"prompt\":\"x\",\"max_tokens\":\"many\"}", "max_tokens"},
	        {ENDPOINT_COMPLETION, "{\"prompt\":\"x\",\"temperature\":3}", "temperature"},
	        {ENDPOINT_COMPLETION, "{\"prompt\":\"x\",\"n\":0}", "n"},
	        {ENDPOINT_COMPLETION, "{\"prompt\":[1,999999]}", "prompt"},
	        {ENDPOINT_COMPLETION, "{\"prompt\":[1,\"x\"]}", "prompt"},
	        {ENDPOINT_COMPLETION, "{\"prompt\":\"x\",\"logit_bias\":{\"a\":1}}", "logit_bias"},
	        {ENDPOINT_COMPLETION, "{\"prompt\":\"x\",\"stop\":[1]}", "stop"},
	        {ENDPOINT_COMPLETION, "{\"prompt\":\"x\"", NULL},
	        {ENDPOINT_COMPLETION, "[]", NULL},
	        {ENDPOINT_COMPLETION, "", NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(WRONG); i++) {
		struct bench b = {0};
		cr_assert(!read_ask(&b, WRONG[i].endpoint, WRONG[i].body), "%s", WRONG[i].body);
		cr_assert_eq(b.problem.status, 400);
		if (WRONG[i].param) {
			cr_assert_str_eq(b.problem.param, WRONG[i].param);
		}
		finish(&b);
	}
}

#define TOOLS                                                                                      \
	",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"weather\",\"parameters\":{"   \
	"\"type\":"                                                                                \
	"\"object\",\"properties\":{\"city\":{\"type\":\"string\"},\"unit\":{\"enum\":[\"C\","     \
	"\"F\"]},"                                                                                 \
	"\"days\":{\"type\":\"integer\"}}}}}]"

Test(engine_generation, a_forced_tool_call_gives_arguments_of_the_schema)
{
	struct bench b = {0};
	run(&b, ENDPOINT_CHAT,
	        CHAT TOOLS
	        ",\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"weather\"}}}");
	struct json_token t;
	struct span arguments = buf_span(&b.g.content.bytes);
	const char *city[] = {"city"}, *unit[] = {"unit"}, *days[] = {"days"};
	cr_assert_str_eq(b.request.call_name, "weather");
	cr_assert_eq(b.g.finish, GENERATION_TOOL_CALLS);
	cr_assert(json_find(arguments, city, 1, &t, NULL) && t.type == JSON_TOKEN_STRING);
	cr_assert(json_find(arguments, unit, 1, &t, NULL) &&
	          (json_token_is_string(&t, "C") || json_token_is_string(&t, "F")));
	cr_assert(json_find(arguments, days, 1, &t, NULL) && t.type == JSON_TOKEN_NUMBER);
	finish(&b);
}

Test(engine_generation, reasoning_comes_first_and_apart)
{
	struct bench b = {0};
	engine_options_init(&b.options);
	b.options.reasoning = ENGINE_REASONING_FIELD;
	b.language = language_create(7);
	b.body = strdup(CHAT ",\"max_tokens\":250}");
	cr_assert(engine_request_parse(
	        &b.request, ENDPOINT_CHAT, span_of(b.body), &b.options, &b.problem));
	struct generation_options how = {0};
	generation_init(&b.g, b.language, &b.request, 0, &b.faults, &how);
	while (b.g.finish == GENERATION_RUNNING) {
		generation_step(&b.g);
	}
	cr_assert_gt(b.g.reasoning.bytes.len, 0);
	cr_assert_gt(b.g.content.bytes.len, 0);
	cr_assert(!memmem(b.g.content.bytes.data, b.g.content.bytes.len, "think>", 6));
	finish(&b);
}

Test(engine_generation, faults_are_parsed_or_refused_with_the_nearest_name)
{
	struct fault_set set = {0};
	char *problem = NULL;
	cr_assert(fault_parse(SPAN("stall=50ms; reset ;flood=1MiB"), &set, &problem));
	cr_assert_eq(fault_value(&set, FAULT_STALL, 0), 50e6);
	cr_assert_eq(fault_value(&set, FAULT_RESET, 0), 3);
	cr_assert_eq(fault_value(&set, FAULT_FLOOD, 0), 1 << 20);
	cr_assert(!fault_on(&set, FAULT_HANG));
	cr_assert(fault_parse(SPAN("lists=masked; end-token; cuts=after"), &set, &problem));
	cr_assert_eq(fault_value(&set, FAULT_LISTS, -1), FAULT_LISTS_MASKED);
	cr_assert_eq(fault_value(&set, FAULT_END_TOKEN, -1), FAULT_END_TOKEN_UNLISTED);
	cr_assert_eq(fault_value(&set, FAULT_CUTS, -1), FAULT_CUTS_AFTER);
	cr_assert(!fault_parse(SPAN("hangg"), &set, &problem));
	cr_assert(strstr(problem, "hang?"), "%s", problem);
	free(problem);
	cr_assert(!fault_parse(SPAN("hang=3"), &set, &problem));
	free(problem);
	cr_assert(!fault_parse(SPAN("stall"), &set, &problem));
	free(problem);
	cr_assert(!fault_parse(SPAN("lists=cooked"), &set, &problem));
	free(problem);
	cr_assert(!fault_on(&set, FAULT_HANG), "a refused text changes nothing");
}

Test(engine_generation, numbers_of_faults_are_decimals)
{
	static const char *const BAD[] = {"noise=0x1", "noise=1e-3", "cut=0x1p-1", "reset=1e3",
	        "noise=-1", "noise=nan", "noise=inf", "noise= 1", "noise=", "noise=.5", "reset=1e"};
	struct fault_set set = {0};
	for (size_t i = 0; i < sizeof(BAD) / sizeof(*BAD); i++) {
		char *problem = NULL;
		cr_expect_not(fault_parse(span_of(BAD[i]), &set, &problem), "%s", BAD[i]);
		free(problem);
	}
	cr_assert_eq(set.on, 0);
	char *problem = NULL;
	cr_assert(fault_parse(SPAN("noise=0.001;reset=1000"), &set, &problem), "%s", problem);
	cr_assert_eq(fault_value(&set, FAULT_NOISE, 0), 0.001);
}
