#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "backends/injection/asking.h"
#include "backends/dialects/dialect.h"
#include "capture/manifest.h"
#include "backends/engine_signs.h"
#include "base/buf.h"
#include "base/mem.h"

/* One GET and its answer. */
struct got {
	const char *path;
	int status;
	struct span head, body;
	char *request, *response; /* of a recording; NULL otherwise */
};

static bool is_path(const char *sign_path, const char *path)
{
	return strcmp(sign_path, path) == 0 ||
	       (sign_path[0] != '/' && path[0] == '/' && strcmp(sign_path, path + 1) == 0);
}

static int score(const struct dialect *d, const struct got *got, size_t n)
{
	int sum = 0;
	for (const struct sign *s = d->signs; s && s->kind != SIGN_END; s++) {
		for (size_t i = 0; i < n; i++) {
			if (is_path(s->path, got[i].path) &&
			        dialect_match(s, got[i].status, got[i].head, got[i].body)) {
				sum += s->weight;
			}
		}
	}
	return MIN(sum, 100);
}

static const struct dialect *best(const struct got *got, size_t n, int *ret_score, int *ret_next)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);
	const struct dialect *found = NULL;
	*ret_score = *ret_next = 0;
	for (size_t i = 0; i < count; i++) {
		int s = score(all[i], got, n);
		if (s > *ret_score) {
			*ret_next = *ret_score;
			*ret_score = s;
			found = all[i];
		} else {
			*ret_next = MAX(*ret_next, s);
		}
	}
	return found;
}

static char *slurp(const char *engine, const char *name, const char *suffix)
{
	char *path = xasprintf("%s/%s/%s.%s", getenv("GOLDEN_DIR"), engine, name, suffix);
	FILE *f = fopen(path, "rb");
	cr_assert(f != NULL, "%s", path);
	struct buf b = {0};
	char chunk[4096];
	size_t n;
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0) {
		buf_append(&b, chunk, n);
	}
	fclose(f);
	free(path);
	return buf_steal(&b);
}

static struct got recorded(const char *engine, const char *name)
{
	char *request = slurp(engine, name, "request");
	char *response = slurp(engine, name, "response");
	struct got got = {.request = request, .response = response};
	strtok(request, " ");
	got.path = strtok(NULL, " ");
	got.status = atoi(strchr(response, ' ') + 1);
	char *head = strchr(response, '\n') + 1;
	char *end = strstr(response, "\r\n\r\n");
	got.head = (struct span){head, (size_t)(end - head)};
	got.body = span_of(end + 4);
	return got;
}

Test(dialects, recorded_engines_are_told_by_their_GETs)
{
	static const struct {
		const char *directory, *name;
	} engines[] = {
	        {"vllm-0.32.0", "vllm"},
	        {"llama-cpp-python-0.3.36", "llama-cpp-python"},
	        {"ollama-0.17.4", "ollama"},
	        {"transformers-5.19.0", "transformers"},
	        {"mlx-lm-0.32.2", "mlx-lm"},
	};
	static const char *const names[] = {"models", "version", "props", "health", "not-found"};
	for (size_t e = 0; e < ARRAY_LEN(engines); e++) {
		struct got got[ARRAY_LEN(names)];
		int first, next;
		for (size_t i = 0; i < ARRAY_LEN(names); i++) {
			got[i] = recorded(engines[e].directory, names[i]);
		}
		const struct dialect *d = best(got, ARRAY_LEN(got), &first, &next);
		cr_assert(d != NULL, "nothing fits %s", engines[e].name);
		cr_expect_str_eq(d->name, engines[e].name);
		cr_expect_gt(first, next, "%s: %d and %d", engines[e].name, first, next);
		cr_expect_lt(next, SIGN_STRONG, "%s: another has %d", engines[e].name, next);
		for (size_t i = 0; i < ARRAY_LEN(names); i++) {
			free(got[i].request);
			free(got[i].response);
		}
	}
}

Test(dialects, every_engine_is_told_by_what_it_is_known_to_say)
{
	static const struct {
		const char *name, *path;
		int status;
		const char *head, *body;
	} cases[] = {
	        {"sglang", "/v1/models", 200, "server: uvicorn\r\n",
	                "{\"object\":\"list\",\"data\":[{\"id\":\"m\",\"owned_by\":\"sglang\","
	                "\"root\":\"m\",\"max_model_len\":2048}]}"},
	        {"llama.cpp", "/v1/models", 200, "Server: llama.cpp\r\n",
	                "{\"models\":[],\"data\":[{\"id\":\"m\",\"owned_by\":\"llamacpp\","
	                "\"meta\":{\"n_ctx\":4096}}]}"},
	        {"llama.cpp", "/props", 200, "", "{\"build_info\":\"b10470-34af94cd9\"}"},
	        {"ollama", "/", 200, "", "Ollama is running"},
	        {"ollama", "/api/version", 200, "", "{\"version\":\"0.33.0\"}"},
	        {"transformers", "/openapi.json", 200, "",
	                "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"FastAPI\"},"
	                "\"paths\":{\"/load_model\":{}}}"},
	        {"llama-cpp-python", "/openapi.json", 200, "",
	                "{\"info\":{\"title\":\"\xf0\x9f\xa6\x99 llama.cpp Python "
	                "API\",\"version\":\"0.3.36\"}}"},
	        {"vllm-mlx", "/v1/models", 200, "", "{\"data\":[{\"owned_by\":\"vllm-mlx\"}]}"},
	        {"lmdeploy", "/v1/models", 200, "", "{\"data\":[{\"owned_by\":\"lmdeploy\"}]}"},
	        {"tgi", "/info", 200, "",
	                "{\"model_id\":\"m\",\"max_best_of\":2,\"router\":"
	                "\"text-generation-router\",\"version\":\"3.3.7\"}"},
	        {"tensorrt-llm", "/v1/models", 200, "",
	                "{\"data\":[{\"owned_by\":\"tensorrt_llm\"}]}"},
	        {"lm-studio", "/api/v0/models", 200, "",
	                "{\"data\":[{\"id\":\"m\",\"compatibility_type\":\"gguf\"}]}"},
	        {"openai", "/v1/models", 200, "openai-version: 2020-10-01\r\n",
	                "{\"data\":[{\"id\":\"gpt-4o\",\"owned_by\":\"system\"}]}"},
	        {"openai", "/v1/models", 401, "",
	                "{\"error\":{\"message\":\"... at "
	                "https://platform.openai.com/account/api-keys.\"}}"},
	        {"litellm", "/v1/models", 200, "x-litellm-version: 1.80.0\r\n",
	                "{\"data\":[{\"id\":\"m\",\"owned_by\":\"openai\"}]}"},
	        {"openrouter", "/v1/models", 200, "",
	                "{\"data\":[{\"id\":\"a/b\",\"top_provider\":{},"
	                "\"supported_parameters\":[]}]}"},
	        {"plumbline-scorer", "/v1/models", 200, "",
	                "{\"data\":[{\"owned_by\":\"plumbline-scorer\"}]}"},
	        {"plumbline", "/v1/models", 200, "",
	                "{\"data\":[{\"owned_by\":\"plumbline-engine (simulated)\"}]}"},
	        {"plumbline", "/version", 200, "", "{\"version\":\"0.1.0\",\"simulated\":true}"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct got got = {cases[i].path, cases[i].status, span_of(cases[i].head),
		        span_of(cases[i].body)};
		int first, next;
		const struct dialect *d = best(&got, 1, &first, &next);
		cr_assert(d != NULL, "%s", cases[i].body);
		cr_expect_str_eq(d->name, cases[i].name);
		cr_expect_geq(first, SIGN_STRONG, "%s", cases[i].name);
		cr_expect_lt(next, SIGN_STRONG, "%s", cases[i].name);
	}
}

static bool matches(enum sign_kind kind, const char *member, const char *value, int status,
        const char *head, const char *body)
{
	struct sign s = {kind, SIGN_WEAK, "/x", member, value};
	return dialect_match(&s, status, span_of(head), span_of(body));
}

Test(dialects, signs_hold_only_where_they_are_shown)
{
	cr_expect(matches(SIGN_MEMBER, "a.1.b", "x", 200, "", "{\"a\":[{},{\"b\":\"x\"}]}"));
	cr_expect(!matches(SIGN_MEMBER, "a.1.b", "x", 200, "", "{\"a\":[{},{\"b\":\"xy\"}]}"));
	cr_expect(!matches(SIGN_MEMBER, "a.1.b", "x", 404, "", "{\"a\":[{},{\"b\":\"x\"}]}"));
	cr_expect(!matches(SIGN_MEMBER, "a.0.b", NULL, 200, "", "{\"a\":[]}"));
	cr_expect(matches(SIGN_MEMBER, "a", "true", 200, "", "{\"a\":true}"));
	cr_expect(!matches(SIGN_MEMBER, "a", NULL, 200, "", "a: no JSON"));
	cr_expect(!matches(SIGN_MEMBER, "a", NULL, 200, "", ""));
	cr_expect(matches(SIGN_STARTS, "a", "b1", 200, "", "{\"a\":\"b10470\"}"));
	cr_expect(!matches(SIGN_STARTS, "a", "b1", 200, "", "{\"a\":1}"));
	cr_expect(matches(SIGN_ABSENT, "d.0.o", NULL, 200, "", "{\"d\":[{\"id\":\"m\"}]}"));
	cr_expect(!matches(SIGN_ABSENT, "d.0.o", NULL, 200, "", "{\"d\":[{\"o\":null}]}"));
	cr_expect(!matches(SIGN_ABSENT, "d.0.o", NULL, 200, "", "{\"d\":[]}"));
	cr_expect(!matches(SIGN_ABSENT, "d", NULL, 200, "", "[]"));
	cr_expect(matches(SIGN_HEADER, "server", "Base", 404, "A: b\nServer:  BaseHTTP/0.6\n", ""));
	cr_expect(!matches(SIGN_HEADER, "server", NULL, 200, "Servers: x\nX: server: y", ""));
	cr_expect(matches(SIGN_HEADER, "x", NULL, 200, "X:", ""));
	cr_expect(matches(SIGN_SERVED, "server", "Base", 200, "Server: BaseHTTP/0.6\n", "{}"));
	cr_expect(matches(SIGN_SERVED, "server", "Base", 200, "Server: BaseHTTP/0.6\n", ""));
	cr_expect(!matches(SIGN_SERVED, "server", "Base", 404, "Server: BaseHTTP/0.6\n", "{}"));
	cr_expect(!matches(SIGN_SERVED, "server", "Base", 200, "Server: BaseHTTP/0.6\n", "<p>"));
	cr_expect(matches(SIGN_TEXT, NULL, "here", 404, "", "it is here"));
	cr_expect(matches(SIGN_ANSWERS, NULL, NULL, 200, "", ""));
	cr_expect(!matches(SIGN_ANSWERS, NULL, NULL, 204, "", ""));
}

#define EACH(d)                                                                                    \
	for (size_t i_ = 0, n_ = 0; i_ < (dialects(&n_), n_); i_++)                                \
		for (const struct dialect *d = dialects(&n_)[i_]; d; d = NULL)

Test(dialects, each_has_a_name_of_its_own_and_generic_is_last)
{
	size_t n;
	const struct dialect *const *all = dialects(&n);
	cr_assert_eq(all[n - 1], &dialect_generic);
	cr_expect_null(dialect_find("no such engine"));
	cr_expect_null(dialect_find(NULL));
	EACH(d)
	{
		cr_expect_eq(dialect_find(d->name), d, "%s", d->name);
		cr_expect(d->title && *d->title);
	}
}

/* What the probe requests from every server must generate nothing and change nothing. */
Test(dialects, no_sign_asks_what_does_harm)
{
	static const char *const harmful[] = {"/health", "/health_generate", "/flush_cache",
	        "/terminate", "/release_memory_occupation", "/resume_memory_occupation",
	        "/slow_down", "/metrics", "/reset", "/load_model", NULL};
	EACH(d)
	{
		for (const struct sign *s = d->signs; s && s->kind != SIGN_END; s++) {
			cr_expect(!asking_is_named(harmful, s->path), "%s: %s", d->name, s->path);
			cr_expect(s->weight > 0 && s->weight <= SIGN_CERTAIN);
		}
	}
}

Test(dialects, a_repetition_penalty_has_a_name_that_requests_are_read_for)
{
	EACH(d)
	{
		cr_expect(!d->repetition_name ||
		                  penalty_name_of(d->repetition_name) < N_PENALTY_NAMES,
		        "%s: %s", d->name, d->repetition_name);
	}
}

static const struct manifest_name *known_fact(const char *name)
{
	size_t n;
	const struct manifest_name *names = manifest_names(&n);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i].name, name) == 0) {
			return &names[i];
		}
	}
	return NULL;
}

Test(dialects, facts_have_names_that_a_manifest_knows)
{
	EACH(d)
	{
		for (const struct fact_source *f = d->facts; f && f->fact; f++) {
			cr_expect(strcmp(f->fact, "flag.*") == 0 || known_fact(f->fact) != NULL,
			        "%s: %s", d->name, f->fact);
			cr_expect((f->member != NULL) != (f->metric != NULL), "%s: %s", d->name,
			        f->fact);
			json_t *body = f->body ? json_loads(f->body, 0, NULL) : NULL;
			cr_expect(!f->body || json_is_object(body), "%s: %s", d->name, f->fact);
			json_decref(body);
		}
	}
}

static void expect_taken(const struct dialect *d, const struct member_edit *edits,
        const char *const *allowed, const char *what)
{
	for (; edits && edits->name; edits++) {
		if (!edits->json) {
			continue;
		}
		struct buf json = {0};
		asking_put_value(edits->json, 5, &json);
		json_t *value = json_loads(buf_cstr(&json), JSON_DECODE_ANY, NULL);
		cr_expect(value != NULL, "%s: %s %s", d->name, what, edits->name);
		cr_expect(!allowed || asking_is_named(allowed, edits->name),
		        "%s refuses its own %s", d->name, edits->name);
		for (const struct rule *r = d->rules; r && r->name; r++) {
			double number = json_number_value(value);
			cr_expect(!json_is_number(value) || strcmp(r->name, edits->name) != 0 ||
			                  number < r->low || number > r->high,
			        "%s: %s is against its own rule", d->name, edits->name);
		}
		json_decref(value);
		buf_finish(&json);
	}
}

Test(dialects, nothing_that_is_sent_unasked_is_refused_by_the_same_engine)
{
	EACH(d)
	{
		cr_expect(d->greedy_chat && d->greedy_completion, "%s", d->name);
		expect_taken(d, d->greedy_chat, d->allowed_chat, "greedy");
		expect_taken(d, d->greedy_completion, d->allowed_completion, "greedy");
		expect_taken(d, d->thinking_on, d->allowed_chat, "thinking");
		expect_taken(d, d->thinking_off, d->allowed_chat, "thinking");
		expect_taken(d, d->ask_chat, d->allowed_chat, "asking");
		expect_taken(d, d->ask_completion, d->allowed_completion, "asking");
		expect_taken(d, d->ask_ids, NULL, "asking");
	}
}

Test(dialects, an_engine_without_logprobs_is_never_asked_for_them)
{
	static const char *const mute[] = {"transformers", "vllm-mlx", "lm-studio"};
	struct request_facts facts = {.is_json = true, .n = 1};
	struct asking asking;
	for (size_t i = 0; i < ARRAY_LEN(mute); i++) {
		const struct dialect *d = dialect_find(mute[i]);
		for (int stream = 0; stream < 2; stream++) {
			facts.stream = stream;
			cr_expect(
			        !asking_logprobs(d, ENDPOINT_CHAT, &facts, "m", true, 5, &asking));
			cr_expect(!asking_logprobs(
			        d, ENDPOINT_COMPLETION, &facts, "m", true, 5, &asking));
		}
	}
}

Test(dialects, reasoning_models_are_told_by_name)
{
	static const struct {
		const char *model;
		bool strict;
	} cases[] = {{"o1", true}, {"o3-mini", true}, {"gpt-5.2", true}, {"openai/o4-mini", true},
	        {"gpt-4o", false}, {"o100", false}, {"omni", false}, {"", false}, {NULL, false}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct dialect *d = dialect_find("openai");
		cr_expect_eq(asking_strict(d, cases[i].model) != NULL, cases[i].strict, "%s",
		        cases[i].model ? cases[i].model : "(none)");
	}
	cr_expect_null(asking_strict(dialect_find("vllm"), "o1"));
}

Test(dialects, what_scores_can_turn_text_into_ids_or_takes_text)
{
	EACH(d)
	{
		const struct tokenizing *t = &d->tokenizing;
		cr_expect_eq(t->tokenize != NULL, t->ids_member != NULL, "%s", d->name);
		cr_expect_eq(t->template_path != NULL, t->template_member != NULL, "%s", d->name);
	}
	cr_expect_eq(dialect_find("vllm")->scoring, SCORING_PROMPT_LOGPROBS);
	cr_expect_eq(dialect_find("sglang")->scoring, SCORING_SGLANG);
	cr_expect_eq(dialect_find("tgi")->scoring, SCORING_TGI);
	cr_expect_eq(dialect_find("ollama")->scoring, SCORING_NONE);
	cr_expect(dialect_find("llama-cpp-python")->echo_shifts_without_bos);
}

/* CONFIGS_DIR is set by the build; test_settings loads them all. */
Test(dialects, each_has_an_example_configuration)
{
	cr_assert_not_null(getenv("CONFIGS_DIR"));
	EACH(d)
	{
		char *path = xasprintf("%s/%s.yaml", getenv("CONFIGS_DIR"), d->name);
		char *name = xasprintf("dialect: %s\n", d->name);
		char text[8192] = {0};
		FILE *f = fopen(path, "r");
		cr_assert(f != NULL, "%s", path);
		cr_assert_gt(fread(text, 1, sizeof(text) - 1, f), 0);
		cr_expect(strstr(text, name) != NULL, "%s names its dialect nowhere", path);
		fclose(f);
		free(name);
		free(path);
	}
}
