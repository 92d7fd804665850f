#include "cli/recipes/recipe_target.h"

#include <stdlib.h>

#include <criterion/criterion.h>

#include "base/mem.h"

static struct recipe_target target;
static struct replay_backend_options options;

static char *parse(const char *word)
{
	recipe_target_finish(&target);
	options = (struct replay_backend_options){.model = "everyone's"};
	return recipe_target_parse(&target, word, NULL, &options);
}

static void takes(const char *word)
{
	char *problem = parse(word);
	cr_assert_null(problem, "%s: %s", word, problem);
}

static void refuses(const char *word, const char *why)
{
	char *problem = parse(word);
	cr_assert_not_null(problem, "%s", word);
	cr_expect_not_null(strstr(problem, why), "%s: %s", word, problem);
	free(problem);
	recipe_target_finish(&target);
}

static void is_member(size_t i, const char *name, const char *json)
{
	cr_assert_lt(i, target.n_members);
	cr_expect_str_eq(target.members[i].name, name);
	cr_expect_str_eq(target.members[i].json, json);
}

Test(recipe_target, a_url_alone_is_enough)
{
	takes("http://127.0.0.1:8000/v1?a=b");
	cr_expect_str_eq(options.to, "http://127.0.0.1:8000/v1?a=b");
	cr_expect_null(options.name);
	cr_expect_str_eq(options.model, "everyone's");
	recipe_target_finish(&target);
}

Test(recipe_target, a_label_stands_before_and_settings_behind)
{
	takes("q4=https://h,model=qwen:q4_K_M,dialect=ollama,api-key-env=KEY,align=off");
	cr_expect_str_eq(options.name, "q4");
	cr_expect_str_eq(options.to, "https://h");
	cr_expect_str_eq(options.model, "qwen:q4_K_M");
	cr_expect_str_eq(options.dialect, "ollama");
	cr_expect_str_eq(options.api_key_env, "KEY");
	cr_expect(options.has_align && options.align == ALIGN_NONE);
	recipe_target_finish(&target);
}

Test(recipe_target, a_configurations_name_may_have_a_label_too)
{
	takes("old=primary");
	cr_expect_str_eq(options.name, "old");
	cr_expect_str_eq(options.to, "primary");
	recipe_target_finish(&target);
}

Test(recipe_target, members_are_json_with_commas_within)
{
	takes("http://h,set.stop=[\"a,b\",\"c\"],set.options={\"x\":1,\"y\":2},set.seed=7");
	cr_expect_eq(target.n_members, 3);
	is_member(0, "stop", "[\"a,b\",\"c\"]");
	is_member(1, "options", "{\"x\":1,\"y\":2}");
	is_member(2, "seed", "7");
	recipe_target_finish(&target);
}

Test(recipe_target, infer_checks_servers_are_known)
{
	takes("ollama:llama3.2:3b");
	cr_expect_str_eq(options.to, "http://127.0.0.1:11434");
	cr_expect_str_eq(options.model, "llama3.2:3b");
	cr_expect_str_eq(options.name, "ollama:llama3.2:3b");
	recipe_target_finish(&target);
	cr_expect_null(recipe_target_parse(&target, "gguf:m", "http://other:1", &options));
	cr_expect_str_eq(options.to, "http://other:1");
	recipe_target_finish(&target);
}

Test(recipe_target, what_is_no_setting_is_named)
{
	refuses("http://h,modle=x", "not modle=");
	refuses("http://h,fast", "not fast");
	refuses("http://h,align=up", "align= needs off, greedy or same");
	refuses("http://h,set.seed=seven", "set.MEMBER=JSON");
	refuses("http://h,set.=1", "set.MEMBER=JSON");
	refuses("a=,model=x", "LABEL");
}

Test(recipe_target, words_are_told_apart)
{
	cr_expect(recipe_target_is_one("http://h"));
	cr_expect(recipe_target_is_one("new=candidate"));
	cr_expect(recipe_target_is_one("ollama:m"));
	cr_expect_not(recipe_target_is_one("reasoning"));
	cr_expect_not(recipe_target_is_one("configs/suites/a=b.jsonl"));
	cr_expect_not(recipe_target_is_one("./http"));
}
