#include "proxy/engine_info.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static struct backend_settings backend(const char *dialect)
{
	return (struct backend_settings){
	        .name = (char *)"prod",
	        .url = (char *)"http://h:1",
	        .role = ROLE_PRIMARY,
	        .dialect = dialect_find(dialect),
	};
}

static void add(struct engine_identity *i, const char *path, enum call_end end, int status,
        const char *body)
{
	engine_identity_add(i, (struct engine_response){.path = xstrdup(path),
	                               .end = end,
	                               .status = status,
	                               .head = xstrdup(""),
	                               .body = body ? xstrdup(body) : NULL});
}

/* A vLLM of that version; slow: one of its answers was too late. */
static bool learn(struct engine_info *s, const char *version, bool slow)
{
	struct engine_identity *i = engine_identity_create();
	char *told = xasprintf("{\"version\":\"%s\"}", version ? version : "");
	add(i, "v1/models", CALL_DONE, 200,
	        "{\"data\":[{\"id\":\"m\",\"owned_by\":\"vllm\",\"max_model_len\":64}]}");
	if (version) {
		add(i, "/version", CALL_DONE, 200, told);
	}
	if (slow) {
		add(i, "/metrics", CALL_TIMEOUT, 0, NULL);
	} else {
		add(i, "/metrics", CALL_DONE, 200, "vllm:cache_config_info{block_size=\"16\"} 1\n");
	}
	engine_identity_conclude(i);
	bool whole = engine_info_update(s, i, manifest_collect(NULL, i, NULL));
	engine_identity_destroy(i);
	free(told);
	return whole;
}

static struct engine_view view_of(struct engine_info *s)
{
	struct engine_view view;
	engine_info_view(s, &view);
	return view;
}

Test(engine_info, is_as_configured_until_something_is_learned)
{
	struct backend_settings b = backend("ollama");
	struct engine_info *s = engine_info_create(&b, NULL);
	cr_assert_eq(view_of(s).dialect, dialect_find("ollama"));
	cr_assert(id_is_zero(view_of(s).manifest));
	engine_info_destroy(s);
	b = backend(NULL);
	s = engine_info_create(&b, NULL);
	cr_assert_eq(view_of(s).dialect, &dialect_generic);
	engine_info_destroy(s);
}

Test(engine_info, a_new_version_is_a_new_stack_and_the_old_one_is_known_again)
{
	struct backend_settings b = backend(NULL);
	struct engine_info *s = engine_info_create(&b, NULL);
	cr_assert(learn(s, "1", false));
	struct id first = view_of(s).manifest;
	cr_assert(learn(s, "1", false));
	cr_assert_eq(id_compare(view_of(s).manifest, first), 0);
	cr_assert(learn(s, "2", false));
	cr_assert_neq(id_compare(view_of(s).manifest, first), 0);
	cr_assert(learn(s, "1", false));
	cr_assert_eq(id_compare(view_of(s).manifest, first), 0);
	engine_info_destroy(s);
}

Test(engine_info, what_was_not_answered_in_time_takes_no_fact_away)
{
	struct backend_settings b = backend(NULL);
	struct engine_info *s = engine_info_create(&b, NULL);
	cr_assert(learn(s, "1", false));
	struct id first = view_of(s).manifest;
	cr_assert_not(learn(s, "1", true));
	cr_assert_eq(id_compare(view_of(s).manifest, first), 0);
	/* Another version is news, however slow. */
	cr_assert(learn(s, "2", true));
	cr_assert_neq(id_compare(view_of(s).manifest, first), 0);
	engine_info_destroy(s);
}

/* The first poll of a busy engine finds almost nothing. The next poll follows soon. */
Test(engine_info, a_first_look_that_was_not_all_there_is_not_the_last)
{
	struct backend_settings b = backend(NULL);
	struct engine_info *s = engine_info_create(&b, NULL);
	for (int i = 0; i < 2; i++) {
		struct engine_identity *busy = engine_identity_create();
		add(busy, "v1/models", CALL_TIMEOUT, 0, NULL);
		add(busy, "/health", CALL_DONE, 200, "{}");
		engine_identity_conclude(busy);
		cr_assert_not(engine_info_update(s, busy, manifest_collect(NULL, busy, NULL)));
		engine_identity_destroy(busy);
		cr_assert_eq(view_of(s).dialect, &dialect_generic);
		cr_assert_not(id_is_zero(view_of(s).manifest), "it is better than nothing");
	}
	cr_assert_not(learn(s, NULL, true));
	cr_assert_eq(view_of(s).dialect, dialect_find("vllm"), "more was seen");
	cr_assert(learn(s, "1", false));
	cr_assert(learn(s, "1", false));
	engine_info_destroy(s);
}

Test(engine_info, an_engine_that_only_fails_changes_nothing)
{
	struct backend_settings b = backend(NULL);
	struct engine_info *s = engine_info_create(&b, NULL);
	cr_assert(learn(s, "1", false));
	struct engine_identity *i = engine_identity_create();
	add(i, "v1/models", CALL_DONE, 502, "bad gateway");
	add(i, "/version", CALL_DONE, 502, "bad gateway");
	engine_identity_conclude(i);
	cr_assert_not(engine_info_update(s, i, manifest_collect(NULL, i, NULL)));
	engine_identity_destroy(i);
	cr_assert_eq(view_of(s).dialect, dialect_find("vllm"));
	engine_info_destroy(s);
}

Test(engine_info, is_what_it_answers_like_and_not_what_is_configured)
{
	struct backend_settings b = backend("ollama");
	struct engine_info *s = engine_info_create(&b, NULL);
	cr_assert(learn(s, "1", false));
	cr_assert_eq(view_of(s).dialect, dialect_find("vllm"));
	struct engine_metrics f;
	engine_info_metrics(s, &f);
	cr_assert(f.mismatch);
	cr_assert_str_eq(f.configured, "ollama");
	cr_assert_str_eq(f.dialect, "vllm");
	cr_assert_str_eq(f.version, "1");
	free(f.version);
	engine_info_destroy(s);
}

static bool is_mismatch(struct engine_info *s)
{
	struct engine_metrics f;
	engine_info_metrics(s, &f);
	free(f.version);
	return f.mismatch;
}

Test(engine_info, an_answer_tells_of_another_engine_where_nobody_is_asked)
{
	struct backend_settings b = backend("vllm");
	struct engine_info *s = engine_info_create(&b, NULL);
	engine_info_see_fingerprint(s, "vllm-0.32.0-7c2dfb7f");
	engine_info_see_fingerprint(s, "fp_1234");
	cr_assert_not(is_mismatch(s));
	engine_info_see_fingerprint(s, "fp_ollama");
	cr_assert(is_mismatch(s));
	engine_info_destroy(s);
	b.dialect = dialect_find("litellm");
	s = engine_info_create(&b, NULL);
	engine_info_see_fingerprint(s, "fp_ollama");
	cr_assert_not(is_mismatch(s), "that of an engine behind it");
	engine_info_destroy(s);
}

Test(engine_info, a_person_fills_in_and_does_not_overrule)
{
	struct stack_fact facts[] = {{(char *)"hardware.cpu", (char *)"EPYC"},
	        {(char *)"engine.version", (char *)"9"}, {(char *)"rack", (char *)"B7"}};
	struct backend_settings b = backend(NULL);
	b.stack = facts;
	b.n_stack = ARRAY_LEN(facts);
	struct engine_info *s = engine_info_create(&b, NULL);
	cr_assert_not(id_is_zero(view_of(s).manifest));
	cr_assert(learn(s, "1", false));
	struct engine_metrics f;
	engine_info_metrics(s, &f);
	cr_assert_str_eq(f.version, "1");
	cr_assert_eq(f.manifests, 2);
	free(f.version);
	engine_info_destroy(s);
}

Test(engine_info, only_a_fingerprint_beside_others_is_news)
{
	struct backend_settings b = backend(NULL);
	struct engine_info *s = engine_info_create(&b, NULL);
	cr_assert_not(engine_info_see_fingerprint(s, "a"));
	cr_assert_not(engine_info_see_fingerprint(s, "a"));
	cr_assert(engine_info_see_fingerprint(s, "b"));
	cr_assert_not(engine_info_see_fingerprint(s, "a"));
	for (int i = 0; i < 1000; i++) {
		char name[16];
		snprintf(name, sizeof(name), "%d", i);
		cr_assert(engine_info_see_fingerprint(s, name));
	}
	char longer[1000];
	memset(longer, 'f', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	cr_assert(engine_info_see_fingerprint(s, longer));
	cr_assert_not(engine_info_see_fingerprint(s, longer));
	engine_info_destroy(s);
}

static void *look(void *arg)
{
	for (int i = 0; i < 2000; i++) {
		struct engine_view view = view_of(arg);
		struct engine_metrics f;
		expect(view.dialect);
		engine_info_metrics(arg, &f);
		free(f.version);
		if (engine_info_see_fingerprint(arg, "x")) {
			never("x was the first");
		}
	}
	return NULL;
}

Test(engine_info, is_looked_at_while_it_changes, .timeout = 60)
{
	struct backend_settings b = backend(NULL);
	struct engine_info *s = engine_info_create(&b, NULL);
	pthread_t threads[2];
	for (size_t i = 0; i < 2; i++) {
		cr_assert_eq(pthread_create(&threads[i], NULL, look, s), 0);
	}
	for (int i = 0; i < 100; i++) {
		char version[16];
		snprintf(version, sizeof(version), "%d", i % 20);
		cr_assert(learn(s, version, false));
	}
	for (size_t i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
	}
	engine_info_destroy(s);
}
