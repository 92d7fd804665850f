#include "analyzer/fold/advice.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/shell.h"

static const char *const DIRS[] = {"the capture", "other"};

static bool knows_hf(void *arg, const char *name, const char *url)
{
	return strcmp(name, "hf") == 0 && strcmp(url, "http://h:1") == 0;
}

static struct advice_place place_of(size_t n_dirs)
{
	return (struct advice_place){.dirs = DIRS, .n_dirs = n_dirs, .has_backend = knows_hf};
}

static struct advice_engine engine(const char *name, const char *url, const char *dialect)
{
	struct advice_engine e = {0};
	advice_engine_add_leg(&e, (struct id){{1}}, url, name, dialect);
	return e;
}

static void is(char *got, const char *wanted)
{
	if (wanted) {
		cr_assert_not_null(got, "nothing, not %s", wanted);
		cr_assert_str_eq(got, wanted);
	} else {
		cr_assert_null(got, "%s", got);
	}
	free(got);
}

Test(advice, is_made_of_what_is_known_and_quoted)
{
	struct advice_place p = place_of(1);
	struct advice_engine a = engine("hf", "http://h:1", "vllm");
	struct advice_engine b = engine("v (2)", "http://h:2/a?b", NULL);
	is(advice_probes(&p, &a, &b),
	        "plumbline probe http://h:1 --deep; plumbline probe 'http://h:2/a?b' --deep");
	is(advice_replay(&p, &a, &b, false, true, "--repeats 2"),
	        "plumbline replay 'the capture' --to 'http://h:2/a?b' --name 'v (2)-again' "
	        "--repeats 2 && plumbline analyze 'the capture' --base hf --test 'v (2)-again'");
	is(advice_score(&p, &b, &a, false),
	        "plumbline score 'the capture' --backend hf --url http://h:1 --of 'v (2)' && "
	        "plumbline analyze 'the capture'");
}

Test(advice, asks_a_backend_that_the_capture_knows_by_its_name)
{
	struct advice_place p = place_of(1);
	struct advice_engine a = engine("hf", "http://h:1", NULL);
	is(advice_replay(&p, &a, &a, true, true, "--align greedy"),
	        "plumbline replay 'the capture' --to hf --name hf-again --align greedy && "
	        "plumbline analyze 'the capture' --base hf-again --test hf-again");
	struct advice_engine moved = engine("hf", "http://h:9", NULL);
	char *line = advice_replay(&p, &a, &moved, false, true, "--repeats 2");
	cr_assert_not_null(strstr(line, " --to http://h:9 "), "%s", line);
	free(line);
}

Test(advice, takes_the_key_of_an_engine_from_the_variable_that_the_user_named)
{
	static const struct advice_key KEYS[] = {{"b", "http://h:1", "B_KEY"},
	        {"a", "http://h:1", "MY_KEY"}, {"a", "http://h:3", "C_KEY"},
	        {"b", "http://h:2", "a b\n"}};
	struct advice_place p = place_of(1);
	struct advice_engine a = engine("a", "http://h:1", "vllm");
	struct advice_engine b = engine("b", "http://h:2", NULL);
	p.keys = KEYS;
	p.n_keys = ARRAY_LEN(KEYS);
	is(advice_probes(&p, &a, &b), "plumbline probe http://h:1 --deep --api-key-env MY_KEY; "
	                              "plumbline probe http://h:2 --deep");
	is(advice_replay(&p, &a, &b, true, false, "--repeats 2"),
	        "plumbline replay 'the capture' --to http://h:1 --name a-again --api-key-env "
	        "MY_KEY "
	        "--repeats 2 && plumbline analyze 'the capture' --base a-again --test b");
	is(advice_score(&p, &a, &b, false),
	        "plumbline score 'the capture' --backend a --url http://h:1 --of b --api-key-env "
	        "MY_KEY && plumbline analyze 'the capture'");
}

Test(advice, repeats_no_replay_that_is_recorded)
{
	struct advice_place p = place_of(1);
	struct advice_engine a = engine("a", "http://h:1", NULL),
	                     b = engine("b", "http://h:2", NULL);
	b.has_again = true;
	is(advice_replay(&p, &a, &b, false, true, "--repeats 2"),
	        "plumbline analyze 'the capture' --base a --test b-again");
	is(advice_replay(&p, &a, &b, true, true, "--repeats 2"),
	        "plumbline replay 'the capture' --to http://h:1 --name a-again --repeats 2 && "
	        "plumbline analyze 'the capture' --base a-again --test b-again");
	struct advice_engine again = engine("b-again", "http://h:2", NULL);
	is(advice_replay(&p, &a, &again, false, true, ""), NULL);
	is(advice_replay(&p, &a, &again, true, false, ""),
	        "plumbline replay 'the capture' --to http://h:1 --name a-again && "
	        "plumbline analyze 'the capture' --base a-again --test b-again");
}

Test(advice, is_left_out_where_a_word_is_not_known)
{
	struct advice_place p = place_of(1), two = place_of(2), none = place_of(0);
	struct advice_engine a = engine("hf", "http://h:1", "vllm");
	struct advice_engine imported = engine("old", NULL, NULL);
	struct advice_engine hostile = engine("x\033[2J", "http://h/\n; reboot", "vllm");
	struct advice_engine option = engine("--to", "-x", "vllm");
	is(advice_probe(NULL, &imported), NULL);
	is(advice_probes(NULL, &imported, &a), "plumbline probe http://h:1 --deep");
	is(advice_probe(NULL, &hostile), NULL);
	is(advice_probe(NULL, &option), NULL);
	is(advice_replay(&p, &a, &imported, false, true, ""), NULL);
	is(advice_replay(&p, &a, &hostile, false, true, ""), NULL);
	is(advice_replay(&p, &a, &option, true, false, ""), NULL);
	is(advice_replay(&two, &a, &a, false, true, ""), NULL);
	is(advice_replay(&none, &a, &a, false, true, ""), NULL);
	is(advice_replay(NULL, &a, &a, false, true, ""), NULL);
	is(advice_score(&p, &imported, &imported, true), NULL);
	p.has_no_requests = true; /* nothing can be sent again, but all can be scored */
	is(advice_replay(&p, &a, &a, false, true, ""), NULL);
	is(advice_score_itself(&p, &a, &a, false), NULL);
	is(advice_score(&p, &a, &a, true), "plumbline score 'the capture' --backend hf --url "
	                                   "http://h:1 --of hf && plumbline analyze 'the capture'");
	is(advice_stacks(&none), NULL);
	is(advice_stacks(&two), "plumbline manifest 'the capture' other; plumbline analyze "
	                        "'the capture' other --by stack");
}

Test(advice, asks_for_more_prompts_if_the_recipe_left_out_some)
{
	struct advice_place p = place_of(1);
	is(advice_more_prompts(&p, 2), NULL);
	p.recipe = "plumbline diff a b reasoning";
	is(advice_more_prompts(&p, 2), "plumbline suites");
	p.limit = 15;
	p.limit_option = "--limit";
	is(advice_more_prompts(&p, 2.5), "plumbline diff a b reasoning --limit 38");
}

Test(shell, quotes_what_a_shell_would_read_otherwise)
{
	static const char *const CASES[][2] = {
	        {"a/b-c_1.x", "a/b-c_1.x"},
	        {"", "''"},
	        {"a b", "'a b'"},
	        {"it's", "'it'\\''s'"},
	        {"$(x)`y`*;&", "'$(x)`y`*;&'"},
	        {"~/x", "'~/x'"},
	        {"-rf", "./-rf"},
	        {"-r f", "'./-r f'"},
	};
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
		char *got = shell_path(CASES[i][0]);
		cr_assert_str_eq(got, CASES[i][1]);
		free(got);
	}
}

Test(advice, has_no_path_that_cannot_be_pasted)
{
	static const char *const BAD[] = {NULL, "", "a\nb", "-a\nb", "--\x1b[2J"};
	struct buf words = {0};
	for (size_t i = 0; i < ARRAY_LEN(BAD); i++) {
		struct advice_place place = {.dirs = &BAD[i], .n_dirs = 1};
		cr_assert_null(advice_captures(&place), "%zu", i);
		cr_assert_not(shell_put_pastable_path(&words, BAD[i]), "%zu", i);
	}
	cr_assert(shell_put_pastable_path(&words, "--a b"));
	cr_assert(
	        shell_is_pastable_command("plumbline analyze 'a b' 'it'\\''s' --where model=q-1"));
	static const char *const UNSAFE[] = {"a; b", "a 'b", "a $b", "a `b`", "a \\'b; c", "a\nb",
	        "a \\b", "a \"b\"", "a & b", "a > b", "a *", ""};
	for (size_t i = 0; i < ARRAY_LEN(UNSAFE); i++) {
		cr_assert_not(shell_is_pastable_command(UNSAFE[i]), "%zu", i);
	}
	cr_assert_str_eq(buf_cstr(&words), "'./--a b'");
	buf_finish(&words);
}
