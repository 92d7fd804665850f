#include "analyzer/analysis.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "analyzer/report/document/document.h"
#include "analyzer/report/forms/output_format.h"
#include "base/mem.h"
#include "capture/recorder/recorder.h"

/* A capture, written through the recorder as the proxy does it. */
struct fixture {
	char dir[64];
	struct budget budget;
	struct ledger *ledger;
	struct ledger_book *book;
	struct recorder *recorder;
	struct capture *capture;
	struct analysis analysis;
};

static struct fixture f;

static void start(void)
{
	strcpy(f.dir, "/tmp/plumbline-analysis-XXXXXX");
	cr_assert_not_null(mkdtemp(f.dir));
	budget_init(&f.budget, 64 << 20);
	f.ledger = ledger_create();
	f.book = ledger_book(f.ledger, "exchanges");
	const struct recorder_settings s = {
	        .path = f.dir,
	        .segment_size = 16 << 20,
	        .queue_limit = 16 << 20,
	        .encoders = 1,
	        .budget = &f.budget,
	        .settings_json = "{}",
	};
	char *error = NULL;
	f.recorder = recorder_create(&s, &error);
	cr_assert_not_null(f.recorder, "%s", error);
}

static void put_part(struct id owner, enum part_type type, const char *text)
{
	struct chunks pieces = {0};
	chunks_push(&pieces, chunk_make(&f.budget, text, strlen(text)));
	cr_assert(recorder_part(f.recorder, owner, type, 0, &pieces));
	chunks_finish(&pieces);
}

static enum endpoint endpoint = ENDPOINT_CHAT;

struct leg_text {
	const char *backend;
	enum role role;
	enum outcome outcome;
	int status;
	const char *body; /* NULL: the recorder let it go */
	const char *url;  /* NULL: the same for all */
	uint32_t repeat;
};

static void put_leg(struct id exchange, const struct request_facts *asked,
        const struct leg_text *text, struct edit *edit)
{
	struct id id = id_make();
	const struct reading_hints hints = {.endpoint = endpoint,
	        .status = text->status,
	        .wants_logprobs = true,
	        .has_tools = asked->has_tools,
	        .offered = asked->offered};
	recorder_leg_begin(f.recorder, id, &hints, NULL);
	if (text->body) {
		put_part(id, PART_RESPONSE_BODY, text->body);
	}
	struct leg_row row = {
	        .id = id,
	        .exchange = exchange,
	        .run = recorder_run(f.recorder),
	        .backend = xstrdup(text->backend),
	        .url = xstrdup(text->url ? text->url : "http://127.0.0.1:1"),
	        .repeat = text->repeat,
	        .role = text->role,
	        .outcome = text->outcome,
	        .status = text->status,
	        .marks = text->body ? 0 : LEG_TRUNCATED | LEG_UNREAD,
	        .body_bytes = text->body ? strlen(text->body) : 100,
	        .body_parts = text->body != NULL,
	        .content_type = xstrdup("application/json"),
	        .usage = {-1, -1, -1, -1, -1},
	};
	row.edits = edit;
	row.n_edits = edit != NULL;
	recorder_leg(f.recorder, &row, true, NULL);
}

/* Of the next exchange's legs; taken over. */
#define LEGS 8
static struct edit *edits[LEGS];

static void put_exchange(const char *request, const struct leg_text *legs, size_t n)
{
	struct exchange_row row = {
	        .id = id_make(),
	        .method = xstrdup("POST"),
	        .target = xstrdup("/v1/chat/completions"),
	        .endpoint = endpoint,
	        .outcome = OUTCOME_COMPLETE,
	        .content = CONTENT_FULL,
	        .body_bytes = strlen(request),
	};
	struct id id = row.id;
	cr_assert_leq(n, LEGS);
	request_read(endpoint, span_of(request), &row.facts);
	put_part(id, PART_REQUEST_BODY, request);
	for (size_t i = 0; i < n; i++) {
		put_leg(id, &row.facts, &legs[i], edits[i]);
		edits[i] = NULL;
	}
	recorder_exchange(f.recorder, &row, f.book);
}

static void put_pair(const char *request, const char *primary, const char *reference)
{
	const struct leg_text legs[] = {
	        {"prod", ROLE_PRIMARY, OUTCOME_COMPLETE, 200, primary},
	        {"trusted", ROLE_REFERENCE, OUTCOME_COMPLETE, 200, reference},
	};
	put_exchange(request, legs, 2);
}

static struct analysis *analyze(const char *base, const char *test)
{
	recorder_stop(f.recorder, UINT64_C(10000000000));
	ledger_destroy(f.ledger);
	const char *dirs[] = {f.dir};
	char *error = NULL;
	f.capture = capture_open(dirs, 1, &error);
	cr_assert_not_null(f.capture, "%s", error);
	const struct analysis_options options = {.names = {{.name = base}, {.name = test}}};
	analysis_run(f.capture, &options, &f.analysis);
	return &f.analysis;
}

static void finish(void)
{
	analysis_finish(&f.analysis);
	capture_close(f.capture);
	DIR *d = opendir(f.dir);
	for (struct dirent *e; (e = readdir(d));) {
		char *path = xasprintf("%s/%s", f.dir, e->d_name);
		if (e->d_name[0] != '.') {
			unlink(path);
		}
		free(path);
	}
	closedir(d);
	rmdir(f.dir);
}

#define GREEDY "{\"messages\":[{\"role\":\"user\",\"content\":\"q\"}],\"temperature\":0}"
#define SAMPLED "{\"messages\":[{\"role\":\"user\",\"content\":\"q\"}],\"temperature\":0.7}"
#define UNSET "{\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}"
#define TOKEN(text, lp)                                                                            \
	"{\"token\":\"" text "\",\"logprob\":" lp ",\"top_logprobs\":[{\"token\":\"" text          \
	"\",\"logprob\":" lp "}]}"
#define ANSWER(text, prompt_tokens)                                                                \
	"{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"" text       \
	"\"},\"finish_reason\":\"stop\",\"logprobs\":{\"content\":[" TOKEN(                        \
	        text, "-0.5") "]}}],\"usage\":{\"prompt_tokens\":" prompt_tokens                   \
	                      ",\"completion_tokens\":1,\"total_tokens\":9}}"

TestSuite(analysis, .init = start, .fini = finish);

Test(analysis, pairs_are_split_by_how_they_were_decoded)
{
	put_pair(GREEDY, ANSWER("yes", "8"), ANSWER("yes", "8"));
	put_pair(GREEDY, ANSWER("yes", "8"), ANSWER("no", "8"));
	put_pair(SAMPLED, ANSWER("a", "8"), ANSWER("b", "8"));
	put_pair(UNSET, ANSWER("a", "8"), ANSWER("b", "8"));
	struct analysis *a = analyze(NULL, NULL);
	cr_assert_eq(a->counts.chosen, 4);
	cr_assert_eq(a->n_groups, 1);
	const struct analysis_group *g = &a->groups[0];
	cr_assert_str_eq(g->base, "trusted");
	cr_assert_str_eq(g->test, "prod");
	cr_assert_eq(g->sums[DECODING_GREEDY].pairs, 2);
	cr_assert_eq(g->sums[DECODING_GREEDY].equal, 1);
	cr_assert_eq(pair_sums_total(&g->sums[DECODING_GREEDY], FIGURE_DIVERGENCE_INDEX).whole, 2);
	cr_assert_eq(pair_sums_total(&g->sums[DECODING_GREEDY], FIGURE_HAZARD).whole, 2);
	cr_assert_eq(g->sums[DECODING_SAMPLED].pairs, 1);
	cr_assert_eq(g->sums[DECODING_UNKNOWN].pairs, 1);
	cr_assert_eq(g->sums[DECODING_UNLIKE].pairs, 0);
	cr_assert_eq(analysis_compared(a), 2);
	cr_assert_eq(analysis_differing(a), 1);
}

static struct edit *insert_after_brace(const char *text)
{
	struct edit *e = xmalloc(sizeof(*e));
	*e = (struct edit){.at = 1, .inserted = {xstrdup(text), strlen(text)}};
	return e;
}

Test(analysis, a_copy_that_was_sent_with_other_parameters_is_unlike)
{
	edits[0] = insert_after_brace("\"logprobs\":true,");
	put_pair(GREEDY, ANSWER("yes", "8"), ANSWER("no", "8"));
	edits[1] = insert_after_brace("\"repetition_penalty\":1.1,");
	put_pair(GREEDY, ANSWER("yes", "8"), ANSWER("no", "8"));
	struct analysis *a = analyze(NULL, NULL);
	cr_assert_eq(a->groups[0].sums[DECODING_GREEDY].pairs, 1);
	cr_assert_eq(a->groups[0].sums[DECODING_UNLIKE].pairs, 1);
}

Test(analysis, cut_and_failed_answers_are_left_out_and_counted)
{
	const struct leg_text whole = {
	        "trusted", ROLE_REFERENCE, OUTCOME_COMPLETE, 200, ANSWER("yes", "8")};
	const struct leg_text gone[] = {
	        {"prod", ROLE_PRIMARY, OUTCOME_CLIENT_GONE, 200, "{\"choices\":[{"}, whole};
	const struct leg_text late[] = {
	        {"prod", ROLE_PRIMARY, OUTCOME_COMPLETE, 200, ANSWER("yes", "8")},
	        {"trusted", ROLE_REFERENCE, OUTCOME_TIMEOUT, 0, "x"}};
	const struct leg_text busy[] = {
	        {"prod", ROLE_PRIMARY, OUTCOME_COMPLETE, 429, "{\"error\":{\"message\":\"busy\"}}"},
	        whole};
	const struct leg_text garbled[] = {
	        {"prod", ROLE_PRIMARY, OUTCOME_COMPLETE, 200, "<html>"}, whole};
	const struct leg_text let_go[] = {
	        {"prod", ROLE_PRIMARY, OUTCOME_COMPLETE, 200, NULL}, whole};
	put_exchange(GREEDY, gone, 2);
	put_exchange(GREEDY, late, 2);
	put_exchange(GREEDY, busy, 2);
	put_exchange(GREEDY, garbled, 2);
	put_exchange(GREEDY, let_go, 2);
	put_pair(GREEDY,
	        "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"y\"},\"finish_reason\":null}"
	        "]}",
	        ANSWER("yes", "8"));
	struct analysis *a = analyze(NULL, NULL);
	const struct left_out *l = &a->groups[0].left_out;
	cr_assert_eq(a->groups[0].legs, 6);
	cr_assert_eq(analysis_compared(a), 0);
	cr_assert_eq(l->cuts[SIDE_TEST][OUTCOME_CLIENT_GONE], 1);
	cr_assert_eq(l->cuts[SIDE_BASE][OUTCOME_TIMEOUT], 1);
	cr_assert_eq(l->pairs[LEFT_OUT_ERROR][SIDE_TEST], 1);
	cr_assert_eq(left_out_pairs(l, LEFT_OUT_UNREADABLE), 1);
	cr_assert_eq(left_out_pairs(l, LEFT_OUT_UNRECORDED), 1);
	cr_assert_eq(left_out_pairs(l, LEFT_OUT_UNFINISHED), 1);
	cr_assert_eq(left_out_total(l), 6);
}

#define ENDED(how) "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"yes\"}" how "}]}"

Test(analysis, answers_that_are_not_whole_are_left_out_and_say_why)
{
	static const char *const answers[] = {
	        ENDED(",\"finish_reason\":\"abort\""),
	        ENDED(",\"finish_reason\":{\"type\":\"abort\"}"),
	        ENDED(",\"finish_reason\":\"tired\""),
	        ENDED(",\"finish_reason\":null"),
	        "{\"choices\":[]}",
	        "{\"choices\":[],\"error\":{\"message\":\"no\"}}",
	};
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		put_pair(GREEDY, answers[i], ENDED(",\"finish_reason\":\"stop\""));
	}
	put_pair(GREEDY, ENDED(""), ENDED(",\"finish_reason\":\"stop\""));
	struct analysis *a = analyze(NULL, NULL);
	const struct left_out *l = &a->groups[0].left_out;
	static const struct name_count reasons[] = {
	        {(char *)"aborted by the engine: finish reason \"abort\"", 2},
	        {(char *)"an empty answer", 1},
	        {(char *)"an error in the answer", 1},
	        {(char *)"no finish reason", 1},
	        {(char *)"unknown finish reason \"tired\"", 1},
	};
	cr_assert_eq(analysis_compared(a), 1, "one has no reason, and is complete");
	cr_assert_eq(left_out_total(l), 6);
	cr_assert_eq(l->why[SIDE_BASE].n, 0);
	cr_assert_eq(l->why[SIDE_TEST].n, ARRAY_LEN(reasons));
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
		cr_expect_str_eq(l->why[SIDE_TEST].items[i].name, reasons[i].name);
		cr_expect_eq(l->why[SIDE_TEST].items[i].n, reasons[i].n, "%s", reasons[i].name);
	}
	const struct traffic *t = &a->traffic;
	for (size_t i = 0; i < t->n_backends; i++) {
		const struct traffic_backend *b = &t->backends[i];
		uint64_t failed = b->role == ROLE_PRIMARY ? 6 : 0;
		cr_expect_eq(b->failed.total, failed, "%s", b->name);
		cr_expect_eq(b->complete, 7 - failed, "%s", b->name);
	}
}

Test(analysis, an_empty_capture_has_no_groups)
{
	struct analysis *a = analyze(NULL, NULL);
	cr_assert_eq(a->counts.chosen, 0);
	cr_assert_eq(a->n_groups, 0);
	cr_assert_eq(analysis_compared(a), 0);
}

Test(analysis, without_a_second_answer_an_exchange_is_unpaired)
{
	const struct leg_text alone[] = {
	        {"prod", ROLE_PRIMARY, OUTCOME_COMPLETE, 200, ANSWER("yes", "8")}};
	put_exchange(GREEDY, alone, 1);
	struct analysis *a = analyze(NULL, NULL);
	cr_assert_eq(a->counts.chosen, 1);
	cr_assert_eq(a->counts.unpaired, 1);
	cr_assert_eq(a->n_groups, 0);
}

Test(analysis, names_choose_the_sides)
{
	put_pair(GREEDY, ANSWER("long answer", "8"), ANSWER("short", "8"));
	struct analysis *a = analyze("prod", "trusted");
	cr_assert_eq(a->n_groups, 1);
	cr_assert_str_eq(a->groups[0].base, "prod");
	cr_assert_eq(exact_sum_value(&a->groups[0].sums[DECODING_GREEDY].bytes.bias), -6);
}

Test(analysis, a_floor_counts_once_however_many_trials_its_exchange_has)
{
	static const char PROD[] = "http://127.0.0.1:1", TRUSTED[] = "http://127.0.0.1:2";
	const struct leg_text legs[] = {
	        {"prod", ROLE_PRIMARY, OUTCOME_COMPLETE, 200, ANSWER("a", "8"), PROD, 0},
	        {"prod", ROLE_PRIMARY, OUTCOME_COMPLETE, 200, ANSWER("b", "8"), PROD, 1},
	        {"prod", ROLE_PRIMARY, OUTCOME_COMPLETE, 200, ANSWER("a", "8"), PROD, 2},
	        {"trusted", ROLE_REFERENCE, OUTCOME_COMPLETE, 200, ANSWER("a", "8"), TRUSTED, 0},
	        {"trusted", ROLE_REFERENCE, OUTCOME_COMPLETE, 200, ANSWER("a", "8"), TRUSTED, 1},
	};
	put_exchange(GREEDY, legs, ARRAY_LEN(legs));
	struct analysis *a = analyze("trusted", "prod");
	const struct excess *b = NULL;
	for (size_t i = 0; i < a->n_groups; i++) {
		b = a->groups[i].is_floor ? b : &a->groups[i].excess;
	}
	cr_assert_not_null(b);
	cr_assert_eq(b->pairs[EXCESS_BETWEEN], 3);
	cr_assert_eq(b->pairs[EXCESS_OF_TEST], 2);
	cr_assert_eq(b->pairs[EXCESS_OF_BASE], 1);
}

Test(analysis, a_group_is_of_one_engine_only_if_all_its_pairs_are)
{
	static const char *const URLS[] = {
	        "http://127.0.0.1:1", "http://127.0.0.1:2", "http://127.0.0.1:1"};
	for (size_t i = 0; i < ARRAY_LEN(URLS); i++) {
		const struct leg_text legs[] = {
		        {"prod", ROLE_PRIMARY, OUTCOME_COMPLETE, 200, ANSWER("a", "8")},
		        {"twin", ROLE_REFERENCE, OUTCOME_COMPLETE, 200, ANSWER("b", "8"), URLS[i]},
		};
		put_exchange(GREEDY, legs, ARRAY_LEN(legs));
	}
	struct analysis *a = analyze(NULL, NULL);
	cr_assert_eq(a->n_groups, 1);
	cr_assert_not(a->groups[0].is_floor);
}

Test(analysis, names_that_could_steer_a_terminal_are_not_printed)
{
	const struct leg_text legs[] = {
	        {"\033[2Jprod", ROLE_PRIMARY, OUTCOME_COMPLETE, 200, ANSWER("yes", "8")},
	        {"trusted", ROLE_REFERENCE, OUTCOME_COMPLETE, 200, ANSWER("yes", "8")}};
	put_exchange(GREEDY, legs, 2);
	cr_assert_str_eq(analyze(NULL, NULL)->groups[0].test, "(unnamed)");
}

Test(analysis, a_constant_difference_of_prompt_tokens_is_a_cause)
{
	put_pair(GREEDY, ANSWER("yes", "9"), ANSWER("no", "8"));
	put_pair(GREEDY, ANSWER("yes", "9"), ANSWER("yes", "8"));
	put_pair(SAMPLED, ANSWER("yes", "9"), ANSWER("yes", "8"));
	struct analysis *a = analyze(NULL, NULL);
	const struct cause *c = cause_list_get(&a->groups[0].found, CAUSE_BOS);
	cr_assert_not_null(c);
	cr_assert_str_eq(c->text,
	        "prod counts another number of prompt tokens than trusted (+1) in 3 of 3 pairs: a "
	        "BOS token is likely to be there on one side only");
	cr_assert(c->n == 1 && c->of == 1 && c->exchanges.n == 3 && isnan(c->p));
}

static char *report_text(const struct analysis *a, enum output_format format)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	json_t *document = document_of_analysis(a, NULL, 0);
	output_format_write(format, document, to);
	fclose(to);
	json_decref(document);
	return text;
}

Test(analysis, the_report_begins_with_the_verdict)
{
	put_pair(GREEDY, ANSWER("yes", "8"), ANSWER("yes", "8"));
	put_pair(GREEDY, ANSWER("yes", "8"), ANSWER("no", "8"));
	char *text = report_text(analyze(NULL, NULL), OUTPUT_FORMAT_TEXT);
	const char *first = "UNCLEAR: The answers of prod differ from those of trusted in 50.0 %";
	cr_assert_eq(strncmp(text, first, strlen(first)), 0, "%s", text);
	cr_assert_null(strstr(text, " \n"), "space at the end of a line");
	cr_assert_null(strchr(text, '\033'), "no colours");
	cr_assert_not_null(strstr(text, "\nNext  "), "%s", text);
	free(text);
}

Test(analysis, the_page_has_the_whole_names_of_a_pair)
{
	const struct leg_text legs[] = {
	        {"prod", ROLE_PRIMARY, OUTCOME_COMPLETE, 200, ANSWER("yes", "8")},
	        {"a-reference-whose-name-is-longer-than-forty-bytes", ROLE_REFERENCE,
	                OUTCOME_COMPLETE, 200, ANSWER("yes", "8")},
	        {"another-reference-whose-name-is-longer-than-that", ROLE_REFERENCE,
	                OUTCOME_COMPLETE, 200, ANSWER("no", "8")}};
	put_exchange(GREEDY, legs, ARRAY_LEN(legs));
	char *text = report_text(analyze(NULL, NULL), OUTPUT_FORMAT_HTML);
	for (size_t i = 1; i < ARRAY_LEN(legs); i++) {
		char *row = xasprintf(">%s against %s<", legs[0].backend, legs[i].backend);
		cr_assert_not_null(strstr(text, row), "%s", text);
		free(row);
	}
	free(text);
}

Test(analysis, the_document_has_stable_names)
{
	put_pair(GREEDY, ANSWER("yes", "8"), ANSWER("no", "8"));
	struct analysis *a = analyze(NULL, NULL);
	const char *problems[] = {"something is wrong"};
	json_t *o = document_of_analysis(a, problems, 1);
	json_error_t error;
	const char *test = NULL, *problem = NULL;
	json_int_t pairs, differ, positions;
	double rmse;
	int r = json_unpack_ex(o, &error, 0,
	        "{s:I, s:[s], s:[{s:s, s:{s:{s:I, s:{s:I}, s:I, s:{s:F}}}}]}", "greedy_compared",
	        &pairs, "problems", &problem, "groups", "test", &test, "by_decoding", "greedy",
	        "pairs", &pairs, "differ", "count", &differ, "comparable_positions", &positions,
	        "divergence_index", "mean", &rmse);
	cr_assert_eq(r, 0, "%s", error.text);
	cr_assert_str_eq(test, "prod");
	cr_assert_str_eq(problem, "something is wrong");
	cr_assert_eq(differ, 1);
	cr_assert_eq(positions, 1);
	json_decref(o);
}

#define MESSAGE(inside)                                                                            \
	"{\"choices\":[{\"index\":0,\"message\":{" inside "},\"finish_reason\":\"stop\"}]}"

Test(analysis, reasoning_in_the_text_and_in_a_field_is_no_difference_of_answers)
{
	const char *field = MESSAGE("\"reasoning_content\":\"hm\",\"content\":\"yes\"");
	put_pair(GREEDY, MESSAGE("\"content\":\"<think>\\nhm\\n</think>\\n\\nyes\""), field);
	put_pair(GREEDY, MESSAGE("\"content\":\"<think>\\nhm\\n</think>\\n\\nno\""), field);
	put_pair(GREEDY, MESSAGE("\"content\":\"yes\""), MESSAGE("\"content\":\"yes\""));
	struct analysis *a = analyze(NULL, NULL);
	const struct analysis_group *g = &a->groups[0];
	const struct pair_sums *m = &g->sums[DECODING_GREEDY];
	cr_assert_eq(m->pairs, 3);
	cr_assert_eq(m->equal, 2);
	cr_assert(m->with_reasoning == 2 && m->reasoning_equal == 2);
	cr_assert_eq(g->places.n[REASONING_FIELD][REASONING_INLINE], 2);
	cr_assert_eq(g->places.n[REASONING_NONE][REASONING_NONE], 1);
	cr_assert_eq(g->places.normalised, 2);
	const struct cause *c = cause_list_get(&g->found, CAUSE_PLACE);
	cr_assert_not_null(c);
	cr_assert_str_eq(c->text,
	        "prod leaves its reasoning in the answer's text in 2 of 3 answers, trusted puts "
	        "its reasoning in a field in 2; 2 pairs are compared without the reasoning");
	cr_assert(c->n == 1 && c->of == 2, "one differs in this alone, one in its words as well");
}

Test(analysis, a_call_found_in_the_text_is_held_against_one_in_its_field)
{
	put_pair("{\"messages\":[],\"temperature\":0,\"tools\":[{\"type\":\"function\","
	         "\"function\":{"
	         "\"name\":\"f\"}}]}",
	        MESSAGE("\"content\":\"<tool_call>{\\\"name\\\":\\\"f\\\",\\\"arguments\\\":{}}"
	                "</tool_call>\""),
	        MESSAGE("\"content\":null,\"tool_calls\":[{\"id\":\"1\",\"function\":"
	                "{\"name\":\"f\",\"arguments\":\"{}\"}}]"));
	struct analysis *a = analyze(NULL, NULL);
	const struct pair_sums *m = &a->groups[0].sums[DECODING_GREEDY];
	cr_assert(m->pairs == 1 && m->equal == 1 && m->calls_equal == 1);
}

Test(analysis, embeddings_have_figures_of_their_own)
{
	endpoint = ENDPOINT_EMBEDDING;
	put_pair("{\"input\":[\"a\",\"b\"]}",
	        "{\"data\":[{\"index\":0,\"embedding\":[1,0]},{\"index\":1,\"embedding\":[0,2]}]}",
	        "{\"data\":[{\"index\":1,\"embedding\":[0,2]},{\"index\":0,\"embedding\":[1,1]}]}");
	put_pair("{\"input\":\"a\"}", "{\"data\":[{\"index\":0,\"embedding\":[1,0]}]}",
	        "{\"data\":[{\"index\":0,\"embedding\":[1,0,0]}]}");
	struct analysis *a = analyze(NULL, NULL);
	const struct embedding_figures *e = &a->groups[0].embeddings;
	cr_assert(e->answers == 2 && e->distance.n == 2 && e->equal == 1);
	cr_assert_eq(e->unlike_lengths, 1);
	cr_assert_float_eq(e->distance_max, 1 - 1 / sqrt(2), 1e-12);
	cr_assert_float_eq(e->difference_max, 1, 0);
	cr_assert_eq(left_out_total(&a->groups[0].left_out), 0);
	char *text = report_text(a, OUTPUT_FORMAT_TEXT);
	cr_assert_not_null(strstr(text, "Embeddings\n  answers with vectors"), "%s", text);
	free(text);
}

Test(analysis, messages_of_anthropic_are_counted_as_not_read)
{
	endpoint = ENDPOINT_MESSAGES;
	put_pair("{}", "{\"type\":\"message\"}", "{\"type\":\"message\"}");
	struct analysis *a = analyze(NULL, NULL);
	cr_assert(a->counts.not_read == 1 && a->counts.not_understood == 0 && a->n_groups == 0);
}

static void take(void *arg, const struct row *row, const struct pair_texts *texts)
{
	fold_row(arg, row, texts);
}

static void fold_part(struct analysis *to, unsigned number)
{
	const struct analysis_options options = {.part = {number, 3}};
	struct exchange_counts counts;
	struct repeat_counts repeats;
	const struct row_sink sink = {ALL_ROWS, take, to};
	capture_walk_part(f.capture, &options, &sink, &counts, &repeats);
	fold_counts(to, &counts, &repeats);
}

Test(analysis, parts_in_any_order_give_the_same)
{
	for (int i = 0; i < 90; i++) {
		put_pair(i % 9 ? GREEDY : SAMPLED, ANSWER("yes", "8"),
		        i % 4 ? ANSWER("yes", "8") : ANSWER("no", "8"));
	}
	const struct analysis *whole = analyze(NULL, NULL);
	for (int forth = 0; forth < 2; forth++) {
		struct analysis sums = {0};
		fold_part(&sums, 2);
		/* Random ids decide: 30 are expected, with a standard deviation of 4.5. */
		cr_assert(sums.counts.chosen > 5 && sums.counts.chosen < 60);
		fold_part(&sums, forth ? 1 : 3);
		fold_part(&sums, forth ? 3 : 1);
		analysis_settle(&sums, NULL, NULL);
		cr_assert_eq(memcmp(&sums.counts, &whole->counts, sizeof(sums.counts)), 0);
		cr_assert_eq(sums.n_groups, 1);
		const struct analysis_group *g = &sums.groups[0], *all = &whole->groups[0];
		cr_assert_eq(g->legs, 90);
		cr_assert_eq(memcmp(g->values, all->values, sizeof(g->values)), 0);
		cr_assert_eq(memcmp(g->excesses, all->excesses, sizeof(g->excesses)), 0);
		cr_assert_eq(g->sums[DECODING_GREEDY].equal, all->sums[DECODING_GREEDY].equal);
		analysis_finish(&sums);
	}
}
