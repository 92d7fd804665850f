#include "backends/manifest_collect.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "tests/unit/golden.h"

/* Returns a recorded answer: head and body as the engine sent them. */
static void add_golden(
        struct engine_identity *i, const char *engine, const char *name, const char *path)
{
	struct golden_answer answer = golden_answer(engine, name);
	engine_identity_add(i, (struct engine_response){.path = xstrdup(path),
	                               .end = CALL_DONE,
	                               .status = answer.status,
	                               .head = answer.head,
	                               .body = answer.body});
}

static void add_text(struct engine_identity *i, const char *path, int status, const char *body)
{
	engine_identity_add(i, (struct engine_response){.path = xstrdup(path),
	                               .end = CALL_DONE,
	                               .status = status,
	                               .head = xstrdup("Content-Type: application/json\n"),
	                               .body = xstrdup(body)});
}

static struct manifest *collected(struct engine_identity *i)
{
	engine_identity_conclude(i);
	struct manifest *m = manifest_collect(NULL, i, NULL);
	return m;
}

#define assert_fact(m, name, expected)                                                             \
	do {                                                                                       \
		const char *value_ = manifest_get((m), (name));                                    \
		cr_assert_not_null(value_, "%s is not known", (name));                             \
		cr_assert_str_eq(value_, (expected));                                              \
	} while (0)

static struct manifest *copy_of(const struct manifest *m)
{
	char *json = manifest_json(m);
	struct manifest *copy = manifest_parse(json);
	free(json);
	return copy;
}

Test(manifest, names_are_unique_and_say_how_to_find_out)
{
	size_t n;
	const struct manifest_name *names = manifest_names(&n);
	cr_assert_gt(n, 40);
	for (size_t i = 0; i < n; i++) {
		cr_assert(names[i].title && names[i].section && names[i].hint && *names[i].hint);
		cr_assert_eq(manifest_name_find(names[i].name), &names[i], "%s comes twice",
		        names[i].name);
	}
}

Test(manifest, every_dialect_tells_facts_that_the_checklist_has)
{
	size_t n;
	const struct dialect *const *all = dialects(&n);
	for (size_t i = 0; i < n; i++) {
		for (const struct fact_source *s = all[i]->facts; s && s->fact; s++) {
			cr_assert(manifest_name_find(s->fact) || !strncmp(s->fact, "flag.", 5) ||
			                  !strncmp(s->fact, "state.", 6),
			        "%s: %s", all[i]->name, s->fact);
		}
	}
}

Test(manifest, of_a_recorded_vllm)
{
	struct engine_identity *i = engine_identity_create();
	add_golden(i, "vllm-0.32.0", "models", "v1/models");
	add_golden(i, "vllm-0.32.0", "version", "/version");
	add_text(i, "/metrics", 200,
	        "# HELP vllm:cache_config_info Information of the LLMEngine CacheConfig\n"
	        "# TYPE vllm:cache_config_info gauge\n"
	        "vllm:cache_config_info{block_size=\"16\",cache_dtype=\"auto\","
	        "enable_prefix_caching=\"True\",engine=\"0\",num_gpu_blocks=\"3200\"} 1.0\n");
	struct manifest *m = collected(i);
	assert_fact(m, "engine", "vLLM");
	assert_fact(m, "engine.version", "0.32.0");
	assert_fact(m, "engine.server", "uvicorn");
	assert_fact(m, "model", "g");
	assert_fact(m, "model.source", "gemma-hf");
	assert_fact(m, "model.context", "2048");
	assert_fact(m, "serving.prefix_cache", "True");
	assert_fact(m, "serving.cache_block", "16");
	cr_assert_null(manifest_get(m, "decoding.speculative"));
	cr_assert_null(manifest_get(m, "model.quantization"));
	manifest_destroy(m);
	engine_identity_destroy(i);
}

Test(manifest, of_recorded_engines_that_tell_little)
{
	static const struct {
		const char *golden, *engine, *model;
	} each[] = {
	        {"llama-cpp-python-0.3.36", "llama-cpp-python", "gemma.gguf"},
	        {"ollama-0.17.4", "Ollama", "g:latest"},
	};
	for (size_t k = 0; k < ARRAY_LEN(each); k++) {
		struct engine_identity *i = engine_identity_create();
		add_golden(i, each[k].golden, "models", "v1/models");
		if (strncmp(each[k].golden, "ollama", 6) == 0) {
			add_golden(i, each[k].golden, "api-version", "/api/version");
			add_text(i, "/", 200, "Ollama is running");
		} else {
			add_golden(i, each[k].golden, "version", "/version");
		}
		struct manifest *m = collected(i);
		assert_fact(m, "model", each[k].model);
		const char *engine = manifest_get(m, "engine");
		cr_assert(engine && strstr(engine, each[k].engine), "%s: %s", each[k].golden,
		        engine ? engine : "unknown");
		manifest_destroy(m);
		engine_identity_destroy(i);
	}
}

#define PROPS                                                                                      \
	"{\"default_generation_settings\":{\"id\":0,\"n_ctx\":4096,\"params\":{\"temperature\":"   \
	"0.800000011920929,\"top_k\":40,\"top_p\":0.949999988079071,\"min_p\":0."                  \
	"05000000074505806,"                                                                       \
	"\"repeat_penalty\":1.0,\"presence_penalty\":0.0,\"frequency_penalty\":0.0,\"n_predict\":" \
	"-1}},\"total_slots\":4,\"model_path\":\"/m/gemma.Q8_0.gguf\",\"chat_template\":\"{{ x "   \
	"}}\",\"bos_token\":\"<bos>\",\"eos_token\":\"<eos>\",\"build_info\":"                     \
	"\"b10470-34af94cd9\"}"

Test(manifest, of_a_llama_cpp_server_as_written_in_its_sources)
{
	struct engine_identity *i = engine_identity_create();
	add_text(i, "v1/models", 200,
	        "{\"object\":\"list\",\"data\":[{\"id\":\"gemma\",\"owned_by\":\"llamacpp\","
	        "\"meta\":{\"n_ctx_train\":8192,\"n_params\":268098176,\"n_vocab\":262144,"
	        "\"ftype\":"
	        "\"Q8_0\"}}]}");
	add_text(i, "/props", 200, PROPS);
	struct manifest *m = collected(i);
	assert_fact(m, "engine.version", "b10470-34af94cd9");
	assert_fact(m, "model.file", "/m/gemma.Q8_0.gguf");
	assert_fact(m, "model.quantization", "Q8_0");
	assert_fact(m, "model.bos", "<bos>");
	assert_fact(m, "serving.max_sequences", "4");
	/* Floats of an engine that are doubles on the wire. */
	assert_fact(m, "sampling.temperature", "0.8");
	assert_fact(m, "sampling.min_p", "0.05");
	/* b2sum -l 256 of "{{ x }}". */
	const char *template = manifest_get(m, "model.template");
	cr_assert(template && strncmp(template, "blake2b-256:", 12) == 0);
	cr_assert(strstr(template, "(7 bytes)"));
	struct sampling s = manifest_sampling(m);
	cr_assert_eq(s.top_k, 40);
	cr_assert_eq(s.repetition_penalty, 1);
	manifest_destroy(m);
	engine_identity_destroy(i);
}

Test(manifest, says_what_logprobs_are_of)
{
	static const struct {
		const char *stated;
		enum logprobs_basis basis;
	} of_vllm[] = {
	        {NULL, LOGPROBS_RAW_BY_DEFAULT},
	        {"raw_logprobs", LOGPROBS_RAW},
	        {"processed_logprobs", LOGPROBS_PROCESSED},
	        {"raw_logits", LOGPROBS_UNKNOWN},
	};
	for (size_t i = 0; i < ARRAY_LEN(of_vllm); i++) {
		struct manifest *m = manifest_create("prod", "http://a:1", "vllm");
		if (of_vllm[i].stated) {
			manifest_set(m, "decoding.logprobs", of_vllm[i].stated, "GET /server_info");
		}
		cr_expect_eq(manifest_logprobs_basis(m), of_vllm[i].basis);
		manifest_destroy(m);
	}
}

Test(manifest, flags_are_told_and_secrets_are_not)
{
	struct engine_identity *i = engine_identity_create();
	add_text(i, "v1/models", 200,
	        "{\"data\":[{\"id\":\"other\",\"owned_by\":\"sglang\",\"max_model_len\":1},"
	        "{\"id\":\"m\",\"owned_by\":\"sglang\",\"max_model_len\":4096}]}");
	add_text(i, "/server_info", 200,
	        "{\"version\":\"0.5.17\",\"tp_size\":2,\"api_key\":\"sk-secret\",\"hf_token\":"
	        "\"hf_secret\",\"tokenizer_path\":\"/m\",\"attention_backend\":\"flashinfer\","
	        "\"ssl_keyfile_passphrase\":\"secret\",\"store\":\"redis://u:secret@h/0\","
	        "\"max_total_tokens\":8192,\"draft_token_num\":null,"
	        "\"internal_states\":[{\"load\":3}],\"disable_radix_cache\":false}");
	engine_identity_conclude(i);
	struct manifest *m = manifest_collect(NULL, i, "m");
	assert_fact(m, "serving.tensor_parallel", "2");
	assert_fact(m, "flag.disable_radix_cache", "false");
	assert_fact(m, "flag.api_key", "***");
	assert_fact(m, "flag.hf_token", "***");
	assert_fact(m, "flag.ssl_keyfile_passphrase", "***");
	assert_fact(m, "flag.store", "***");
	assert_fact(m, "flag.max_total_tokens", "8192");
	assert_fact(m, "model.tokenizer", "/m");
	assert_fact(m, "model.context", "4096");
	cr_assert_null(manifest_get(m, "flag.internal_states"));
	char *json = manifest_json(m);
	cr_assert_null(strstr(json, "secret"));
	free(json);
	manifest_destroy(m);
	engine_identity_destroy(i);
}

Test(manifest, json_reads_back_with_the_same_digest)
{
	struct manifest *m = manifest_create("prod", "http://h:1", "vllm");
	manifest_set(m, "note.rack", "B\"7\n\x1b[31m", "configuration");
	manifest_set(m, "engine.version", "0.32.0", "GET /version");
	manifest_set(m, "engine", "vLLM", "signs");
	manifest_set(m, "model", "bad \xff byte", "GET /v1/models");
	manifest_set(m, "model.file", "", "nothing");
	cr_assert_null(manifest_get(m, "model.file"));
	cr_assert_str_eq(m->facts[0].name, "engine");
	cr_assert_str_eq(m->facts[1].name, "engine.version");
	cr_assert_str_eq(m->facts[3].name, "note.rack");
	char *json = manifest_json(m);
	struct manifest *back = manifest_parse(json);
	cr_assert_not_null(back);
	cr_assert_str_eq(back->backend, "prod");
	cr_assert_str_eq(back->dialect, m->dialect);
	cr_assert_eq(back->wall_ns, m->wall_ns);
	assert_fact(back, "note.rack", "B\"7  [31m");
	char *again = manifest_json(back);
	cr_assert_str_eq(json, again);
	uint8_t a[16], b[16];
	manifest_set(m, "model", "m", "x");
	manifest_set(back, "model", "m", "another source");
	manifest_set(back, "state.running", "3", "GET /metrics");
	manifest_digest(m, a);
	manifest_digest(back, b);
	cr_assert(memcmp(a, b, 16) == 0);
	manifest_set(back, "engine.version", "0.33.0", "GET /version");
	manifest_digest(back, b);
	cr_assert(memcmp(a, b, 16) != 0);
	free(json);
	free(again);
	manifest_destroy(m);
	manifest_destroy(back);
}

Test(manifest, a_change_is_told_by_name)
{
	struct manifest *a = manifest_create(NULL, "http://h:1", "vllm");
	manifest_set(a, "engine.version", "1", "x");
	manifest_set(a, "model", "m", "x");
	manifest_set(a, "flag.seed", "1", "x");
	struct manifest *b = copy_of(a);
	size_t n;
	struct manifest_change *changes = manifest_diff(a, b, &n);
	cr_assert_eq(n, 0);
	free(changes);
	manifest_set(b, "engine.version", "2", "x");
	manifest_set(b, "model.context", "10", "x");
	manifest_set(a, "zone", "z", "x");
	changes = manifest_diff(a, b, &n);
	cr_assert_eq(n, 3);
	cr_assert_str_eq(changes[0].name, "engine.version");
	cr_assert_str_eq(changes[0].was, "1");
	cr_assert_str_eq(changes[0].is, "2");
	cr_assert_str_eq(changes[1].name, "model.context");
	cr_assert_null(changes[1].was);
	cr_assert_str_eq(changes[2].name, "zone");
	cr_assert_null(changes[2].is);
	free(changes);
	manifest_destroy(a);
	manifest_destroy(b);
}

Test(manifest, what_is_no_manifest_is_refused)
{
	static const char *const texts[] = {
	        "",
	        "[]",
	        "{}",
	        "null",
	        "{\"manifest\":2,\"url\":\"\",\"dialect\":\"x\",\"facts\":[]}",
	        "{\"manifest\":1,\"url\":\"\",\"dialect\":\"x\",\"wall_ns\":1,\"facts\":[1]}",
	        "{\"manifest\":1,\"url\":\"\",\"dialect\":\"x\",\"wall_ns\":-1,\"facts\":[]}",
	        "{\"manifest\":1,\"url\":\"\",\"dialect\":\"x\",\"wall_ns\":1,\"facts\":{}}",
	        "{\"manifest\":1,\"url\":\"\",\"dialect\":\"x\",\"wall_ns\":1,\"facts\":"
	        "[{\"name\":\"a\",\"value\":1}]}",
	};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		cr_assert_null(manifest_parse(texts[i]), "%s", texts[i]);
	}
	struct manifest *m = manifest_parse(
	        "{\"manifest\":1,\"url\":\"u\",\"dialect\":\"from the future\",\"facts\":[]}");
	cr_assert_not_null(m);
	cr_assert_eq(manifest_dialect(m), &dialect_generic);
	cr_assert(isnan(manifest_sampling(m).temperature));
	manifest_destroy(m);
}

Test(manifest, hostile_answers_give_no_facts)
{
	static const char *const bodies[] = {
	        "",
	        "[[[[",
	        "{\"data\":{}}",
	        "{\"data\":[]}",
	        "{\"data\":[null]}",
	        "{\"data\":[{\"id\":7,\"owned_by\":\"vllm\",\"root\":{\"a\":[1]},"
	        "\"max_model_len\":\"\"}]}",
	};
	for (size_t k = 0; k < ARRAY_LEN(bodies); k++) {
		struct engine_identity *i = engine_identity_create();
		add_text(i, "v1/models", 200, bodies[k]);
		add_text(i, "/metrics", 200, "vllm:cache_config_info{block_size=\"16");
		add_text(i, "/props", 200, "{\"build_info\":1e999}");
		struct manifest *m = collected(i);
		cr_assert_null(manifest_get(m, "model.context"));
		manifest_destroy(m);
		engine_identity_destroy(i);
	}
}

Test(manifest, too_many_facts_are_cut_off)
{
	struct manifest *m = manifest_create(NULL, "", NULL);
	for (int k = 0; k < MANIFEST_FACTS_LIMIT + 100; k++) {
		char name[32];
		snprintf(name, sizeof(name), "flag.%d", k);
		manifest_set(m, name, "x", "y");
	}
	cr_assert_eq(m->n_facts, MANIFEST_FACTS_LIMIT);
	char *json = manifest_json(m);
	struct manifest *back = manifest_parse(json);
	cr_assert_not_null(back);
	cr_assert_eq(back->n_facts, MANIFEST_FACTS_LIMIT);
	free(json);
	manifest_destroy(back);
	manifest_destroy(m);
}

Test(manifest, what_was_written_is_read_back_however_long)
{
	char value[MANIFEST_VALUE_LIMIT + 1];
	memset(value, '"', MANIFEST_VALUE_LIMIT);
	value[MANIFEST_VALUE_LIMIT] = '\0';
	struct manifest *m = manifest_create("a\"b", "http://h:1/\\", NULL);
	for (int k = 0; k < MANIFEST_FACTS_LIMIT; k++) {
		char name[32];
		snprintf(name, sizeof(name), "flag.%d", k);
		manifest_set(m, name, value, value);
	}
	cr_assert(m->n_facts > 256 && m->n_facts < MANIFEST_FACTS_LIMIT);
	/* Replacing a fact makes room. */
	size_t before = m->n_facts;
	manifest_set(m, "flag.1", "x", "y");
	manifest_set(m, "flag.2", "x", "y");
	manifest_set(m, "note.last", value, value);
	cr_assert_eq(m->n_facts, before + 1);
	struct manifest *copy = copy_of(m);
	manifest_set(copy, "note.more", value, value);
	manifest_set(copy, "note.still", value, value);
	struct manifest *all[] = {m, copy};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		char *json = manifest_json(all[i]);
		struct manifest *back = manifest_parse(json);
		cr_assert(back && back->n_facts == all[i]->n_facts);
		free(json);
		manifest_destroy(back);
		manifest_destroy(all[i]);
	}
}

static struct manifest *of_lm_studio(const char *models, const char *model)
{
	struct engine_identity *i = engine_identity_create();
	add_text(i, "/v1/models", 200, models);
	add_text(i, "/api/v0/models", 200,
	        "{\"data\":[{\"id\":\"a\",\"compatibility_type\":\"gguf\",\"quantization\":\"Q4\"},"
	        "{\"id\":\"b\",\"compatibility_type\":\"gguf\",\"quantization\":\"Q8\"}]}");
	engine_identity_conclude(i);
	cr_assert_str_eq(i->dialect->name, "lm-studio");
	struct manifest *m = manifest_collect(NULL, i, model);
	engine_identity_destroy(i);
	return m;
}

Test(manifest, of_several_installed_models_describes_only_the_named_one)
{
	static const char TWO[] = "{\"data\":[{\"id\":\"a\"},{\"id\":\"b\"}]}";
	struct manifest *m = of_lm_studio(TWO, NULL);
	cr_assert_null(manifest_get(m, "model"));
	cr_assert_null(manifest_get(m, "model.quantization"));
	manifest_destroy(m);
	m = of_lm_studio(TWO, "b");
	assert_fact(m, "model", "b");
	assert_fact(m, "model.quantization", "Q8");
	manifest_destroy(m);
	m = of_lm_studio("{\"data\":[{\"id\":\"a\"}]}", NULL);
	assert_fact(m, "model.quantization", "Q4");
	manifest_destroy(m);
}

Test(manifest, names_are_cleaned_before_they_are_looked_for)
{
	struct manifest *m = manifest_create(NULL, "", NULL);
	manifest_set(m, "flag.a\tb", "1", "x");
	manifest_set(m, "flag.a\nb", "2", "x");
	manifest_set(m, "flag.a b", "3", "x");
	cr_assert_eq(m->n_facts, 1);
	assert_fact(m, "flag.a b", "3");
	manifest_destroy(m);
}
