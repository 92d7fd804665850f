#include "backends/engine_identity.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit/golden.h"

static void add_response(
        struct engine_identity *i, const char *path, int status, const char *head, const char *body)
{
	engine_identity_add(i, (struct engine_response){.path = xstrdup(path),
	                               .end = CALL_DONE,
	                               .status = status,
	                               .head = xstrdup(head),
	                               .body = body ? xstrdup(body) : NULL});
}

/* A recorded answer: status, head and body as the engine sent them. */
static void add_golden(struct engine_identity *i, const char *engine, const char *name)
{
	char path[256], *request = golden_text(engine, name, "request");
	struct golden_answer answer = golden_answer(engine, name);
	cr_assert_eq(sscanf(request, "GET %255s", path), 1, "%s/%s is no GET", engine, name);
	add_response(i, path, answer.status, answer.head, answer.body);
	free(answer.head);
	free(answer.body);
	free(request);
}

static bool has_evidence(const struct engine_identity *i, const char *words)
{
	for (size_t k = 0; k < i->n_evidence; k++) {
		if (i->evidence[k].dialect == i->dialect && strstr(i->evidence[k].text, words)) {
			return true;
		}
	}
	return false;
}

Test(engine_identity, names_each_recorded_engine_with_its_version_and_models)
{
	static const struct {
		const char *directory, *name, *version, *model, *evidence;
	} engines[] = {
	        {"vllm-0.32.0", "vllm", "0.32.0+cpu", "g", "owned_by: vllm"},
	        {"llama-cpp-python-0.3.36", "llama-cpp-python", NULL, "gemma.gguf", "owned_by: me"},
	        {"transformers-5.19.0", "transformers", NULL, NULL, "x-request-id"},
	        {"mlx-lm-0.32.2", "mlx-lm", NULL, NULL, "BaseHTTP"},
	        {"ollama-0.17.4", "ollama", NULL, "g:latest", "owned_by: library"},
	};
	static const char *const names[] = {"models", "version", "props"};
	for (size_t e = 0; e < ARRAY_LEN(engines); e++) {
		struct engine_identity *i = engine_identity_create();
		for (size_t n = 0; n < ARRAY_LEN(names); n++) {
			add_golden(i, engines[e].directory, names[n]);
		}
		engine_identity_conclude(i);
		cr_expect_str_eq(i->dialect->name, engines[e].name, "%s", i->dialect->name);
		cr_expect_geq(i->sure, SURE_WEAK, "%s", engines[e].name);
		cr_expect(has_evidence(i, engines[e].evidence), "%s", engines[e].name);
		if (engines[e].version) {
			cr_expect(i->version && strncmp(i->version, engines[e].version, 6) == 0,
			        "%s: %s", engines[e].name, i->version ? i->version : "none");
		}
		if (engines[e].model) {
			cr_assert_geq(i->n_models, 1u, "%s", engines[e].name);
			cr_expect_str_eq(i->models[0], engines[e].model);
		}
		engine_identity_destroy(i);
	}
}

Test(engine_identity, knows_a_model_by_each_name_that_its_engine_takes_for_it)
{
	static const char *const engines[] = {"ollama-0.17.4", "vllm-0.32.0"};
	for (size_t e = 0; e < ARRAY_LEN(engines); e++) {
		struct engine_identity *i = engine_identity_create();
		add_golden(i, engines[e], "models");
		engine_identity_conclude(i);
		cr_expect(engine_identity_lists(i, "g"));
		cr_expect_eq(engine_identity_lists(i, "g:latest"), e == 0, "a tag is Ollama's");
		cr_expect_not(engine_identity_lists(i, "g:lat"));
		cr_expect_not(engine_identity_lists(i, ""));
		cr_expect_not(engine_identity_lists(i, "ge"));
		engine_identity_destroy(i);
	}
}

Test(engine_identity, tells_how_sure_it_is_by_weight_and_by_the_next)
{
	/* One weak sign alone. */
	struct engine_identity *i = engine_identity_create();
	add_response(i, "/version", 200, "Server: uvicorn\n", "{\"release\":1}");
	engine_identity_conclude(i);
	cr_expect_eq(i->sure, SURE_WEAK);
	cr_expect_eq(i->score, SIGN_WEAK);
	engine_identity_destroy(i);
	/* One strong sign. */
	i = engine_identity_create();
	add_response(i, "/model_info", 200, "", "{\"is_generation\":true}");
	engine_identity_conclude(i);
	cr_expect_str_eq(i->dialect->name, "sglang");
	cr_expect_eq(i->sure, SURE_LIKELY);
	cr_expect_eq(i->score, SIGN_STRONG);
	engine_identity_destroy(i);
	/* With two engines at one address, which one came first is no evidence. */
	i = engine_identity_create();
	add_response(
	        i, "v1/models", 200, "", "{\"data\":[{\"id\":\"m\",\"owned_by\":\"sglang\"}]}");
	add_response(i, "/props", 200, "", "{\"build_info\":\"b1\"}");
	engine_identity_conclude(i);
	cr_expect_eq(i->dialect, &dialect_generic);
	cr_expect_eq(i->sure, SURE_NOT);
	cr_expect_geq(i->n_evidence, 2u);
	engine_identity_destroy(i);
}

Test(engine_identity, sets_evidence_of_the_engine_before_that_against_it)
{
	struct engine_identity *i = engine_identity_create();
	add_response(i, "/version", 200, "Server: uvicorn\n", "{\"version\":\"0.9\"}");
	add_response(i, "/v1/models", 200, "", "{\"data\":[{\"id\":\"m\",\"owned_by\":\"vllm\"}]}");
	engine_identity_conclude(i);
	cr_expect_str_eq(i->dialect->name, "vllm");
	cr_expect_str_eq(i->version, "0.9");
	bool other = false;
	for (size_t k = 0; k < i->n_evidence; k++) {
		bool own = i->evidence[k].dialect == i->dialect;
		cr_expect_not(own && other, "%s", i->evidence[k].text);
		other |= !own;
	}
	cr_expect(other, "TensorRT-LLM has /version, too");
	engine_identity_destroy(i);
}

Test(engine_identity, a_missing_key_and_a_redirect_are_named)
{
	struct engine_identity *i = engine_identity_create();
	add_response(i, "v1/models", 401, "", "{\"error\":\"no key\"}");
	engine_identity_conclude(i);
	cr_assert_not_null(i->problem);
	cr_expect_not_null(strstr(i->problem, "API key"), "%s", i->problem);
	engine_identity_destroy(i);
	i = engine_identity_create();
	add_response(i, "v1/models", 301, "Location: https://elsewhere.example/v1/models\n", "");
	engine_identity_conclude(i);
	cr_assert_not_null(i->problem);
	cr_expect_not_null(strstr(i->problem, "elsewhere.example"), "%s", i->problem);
	engine_identity_destroy(i);
}

Test(engine_identity, a_gateway_is_named_beside_the_engine)
{
	struct engine_identity *i = engine_identity_create();
	add_response(i, "v1/models", 200, "Server: nginx/1.22\n",
	        "{\"data\":[{\"id\":\"m\",\"owned_by\":\"vllm\"}]}");
	engine_identity_conclude(i);
	cr_expect_str_eq(i->dialect->name, "vllm");
	cr_assert_not_null(i->gateway);
	cr_expect_str_eq(i->gateway, "nginx");
	engine_identity_destroy(i);
}

/* A web application that answers every path with the same page is no engine. */
Test(engine_identity, what_is_no_json_or_too_deep_or_of_other_types_tells_nothing)
{
	struct buf deep = {0};
	for (int k = 0; k < 100000; k++) {
		buf_append_char(&deep, '[');
	}
	const char *const bodies[] = {"", "{", "null", "[]", "[{}]", "{\"data\":7}",
	        "{\"data\":[]}", "{\"data\":[null]}", "{\"data\":[{\"owned_by\":7}]}", "\xff\xfe{}",
	        buf_cstr(&deep)};
	for (size_t k = 0; k < ARRAY_LEN(bodies); k++) {
		struct engine_identity *i = engine_identity_create();
		add_response(i, "v1/models", 200, "", bodies[k]);
		add_response(i, "/version", 200, "", bodies[k]);
		add_response(i, "/props", 200, "", bodies[k]);
		engine_identity_conclude(i);
		cr_expect_leq(i->sure, SURE_WEAK, "%.30s: %s", bodies[k], i->dialect->name);
		cr_expect_null(i->version);
		engine_identity_destroy(i);
	}
	buf_finish(&deep);
}

Test(engine_identity, a_thousand_models_are_not_all_kept)
{
	struct buf body = {0};
	buf_append_str(&body, "{\"data\":[");
	for (int k = 0; k < 1000; k++) {
		buf_printf(&body, "%s{\"id\":\"m%d\"}", k ? "," : "", k);
	}
	buf_append_str(&body, "]}");
	struct engine_identity *i = engine_identity_create();
	add_response(i, "v1/models", 200, "", buf_cstr(&body));
	engine_identity_conclude(i);
	cr_expect_eq(i->n_models, 256u);
	cr_expect_str_eq(i->models[255], "m255");
	engine_identity_destroy(i);
	buf_finish(&body);
}
