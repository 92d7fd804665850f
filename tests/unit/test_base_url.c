#include "backends/transport/base_url.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/mem.h"

Test(base_url, loses_slashes_and_a_v1_at_its_end)
{
	static const struct {
		const char *text, *url, *path;
		bool had_v1;
	} cases[] = {
	        {"http://h", "http://h", "", false},
	        {"http://h/", "http://h", "", false},
	        {"http://h:8000//", "http://h:8000", "", false},
	        {"http://h/v1", "http://h", "", true},
	        {"http://h/v1/", "http://h", "", true},
	        {"https://h//v1//", "https://h", "", true},
	        {"http://h/openai/v1", "http://h/openai", "/openai", true},
	        {"http://h/openai//v1/", "http://h/openai", "/openai", true},
	        {"http://h/openai/", "http://h/openai", "/openai", false},
	        {"HTTP://H:80/V1", "http://H:80/V1", "/V1", false},
	        {"HTTPS://[::1]:9/a/v1", "https://[::1]:9/a", "/a", true},
	        /* only one /v1 is part of the requests */
	        {"http://h/v1/v1", "http://h/v1", "/v1", true},
	        {"http://h/v1/openai", "http://h/v1/openai", "/v1/openai", false},
	        {"http://h/dev1", "http://h/dev1", "/dev1", false},
	        {"http://h/v1beta", "http://h/v1beta", "/v1beta", false},
	        {"http://v1", "http://v1", "", false},
	        {"http://h/models", "http://h/models", "/models", false},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct base_url u;
		char *problem = base_url_parse(cases[i].text, &u);
		cr_assert_null(problem, "%s: %s", cases[i].text, problem);
		cr_expect_str_eq(u.url, cases[i].url);
		cr_expect_str_eq(u.path, cases[i].path);
		cr_expect_eq(u.had_v1, cases[i].had_v1, "%s", cases[i].text);
		cr_expect(base_url_is_one(cases[i].text));
		base_url_finish(&u);
	}
}

Test(base_url, says_what_became_of_the_v1)
{
	struct base_url u;
	cr_assert_null(base_url_parse("http://h/openai/v1/", &u));
	char *note = base_url_v1_removed(&u);
	cr_expect_str_eq(note, "http://h/openai/v1: plumbline uses http://h/openai, because the "
	                       "paths of requests begin with /v1");
	free(note);
	base_url_finish(&u);
}

Test(base_url, of_an_endpoint_is_refused_and_the_engines_is_named)
{
	static const char *const cases[][2] = {
	        {"http://h/v1/chat/completions", "http://h"},
	        {"HTTP://h:8000/v1/chat/completions/", "http://h:8000"},
	        {"https://h/openai/v1/completions", "https://h/openai"},
	        {"http://h/chat/completions", "http://h"},
	        {"http://h/v1/models", "http://h"},
	        {"http://h/v1/responses", "http://h"},
	        {"http://h/v1/embeddings", "http://h"},
	        {"http://h/v1/messages", "http://h"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct base_url u;
		char *problem = base_url_parse(cases[i][0], &u);
		cr_assert_not_null(problem, "%s", cases[i][0]);
		char *expected = xasprintf(
		        "is the address of one endpoint; give that of the engine, %s", cases[i][1]);
		cr_expect_str_eq(problem, expected);
		free(expected);
		free(problem);
	}
}

Test(base_url, of_another_form_is_refused)
{
	static const char *const cases[][2] = {
	        {"", "must begin with http://"},
	        {"h:8000/v1", "must begin with http://"},
	        {"ftp://h/v1", "must begin with http://"},
	        {"http://", "has no host"},
	        {"http:///v1", "has no host"},
	        {"http://h:0/v1", "has a port that"},
	        {"http://user:hush@h/v1", "must not have a user name or password"},
	        {"http://h/v1?key=hush", "must not hold a query or a fragment"},
	        {"http://h/v1#x", "must not hold a query or a fragment"},
	        {"http://h?x", "must not hold a query or a fragment"},
	        {"http://h/v1 ", "has a space"},
	        {"http://h/sk-proj-hushhushhushhushhush1/v1", "must not have a key in its path"},
	        {"http://h/Bearer%20hush", "must not have a key in its path"},
	        {"h/sk-proj-hushhushhushhushhush1", "must begin with http://"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct base_url u;
		char *problem = base_url_parse(cases[i][0], &u);
		cr_assert_not_null(problem, "%s", cases[i][0]);
		cr_expect_eq(strncmp(problem, cases[i][1], strlen(cases[i][1])), 0, "%s: %s",
		        cases[i][0], problem);
		char *masked = base_url_mask(cases[i][0]);
		cr_expect_null(strstr(masked, "hush"), "%s", masked);
		free(masked);
		free(problem);
	}
	cr_expect(!base_url_is_one("h:8000"));
}
