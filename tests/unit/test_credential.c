#include "backends/credential.h"

#include <criterion/criterion.h>

#define KEY "sk-proj-4fA9cK2mQ7vX1bN8sT5yW3eR6uZ0dHjL"

static void check_all(const char *const *texts, size_t n, bool (*is)(struct span), bool expected)
{
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(is(span_of(texts[i])), expected, "%s", texts[i]);
	}
}

#define ALL(is, ...)                                                                               \
	check_all((const char *const[]){__VA_ARGS__},                                              \
	        ARRAY_LEN(((const char *const[]){__VA_ARGS__})), is, true)
#define NONE(is, ...)                                                                              \
	check_all((const char *const[]){__VA_ARGS__},                                              \
	        ARRAY_LEN(((const char *const[]){__VA_ARGS__})), is, false)

Test(credential, is_told_by_a_part_or_a_word_of_its_name)
{
	ALL(credential_sounds, "api_key", "APIKey", "x-pass", "DBPass", "pin", "hmac",
	        "X-Hmac-Sha256", "passWord", "api%5Fkey", "ToKen");
	NONE(credential_sounds, "model", "X-Compass", "Spinner", "design", "", "session_id");
}

Test(credential, is_no_word_that_only_looks_like_one)
{
	NONE(credential_sounds, "X-Author", "authors", "X-Pass-Through", "passThrough",
	        "PASS_THROUGH", "X-Pin-Version", "max_tokens", "maxTokens", "max_new_tokens",
	        "max%5Ftokens", "keywords", "max_tokens_author");
	ALL(credential_sounds, "Authorization", "author_token", "authorkey", "pass",
	        "pass-through-pin", "X-Pin", "version-pin", "token", "tokens", "access_tokens",
	        "max_token", "max_tokens_key");
}

Test(credential, is_told_by_its_form_its_form_and_in_urls)
{
	cr_expect(credential_in(SPAN("https://app/chat?api_key=hush")));
	cr_expect(credential_in(SPAN("https://app/login?next=http://h/?api_key=hush")));
	cr_expect(credential_in(SPAN("https://app/login?next=%2Fy%3Fapi_key%3Dhush")));
	cr_expect(credential_in(SPAN("https://app/done#access_token=hush")));
	cr_expect(credential_in(SPAN("postgres://me:hush@db:5432/x")));
	cr_expect(credential_in(SPAN("Bearer abcdefghijklmnop0123456789")));
	cr_expect(credential_in(SPAN("tenant=7, key=" KEY)));
	cr_expect_not(credential_in(SPAN("https://app/chat?page=2&sort=up")));
	cr_expect_not(
	        credential_in(SPAN("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")));
	cr_expect_not(credential_in(SPAN("https://git@host:8080/a@b:c?at=me:you@host#top")));
	cr_expect_not(credential_in(SPAN("a pair such as key=value")));
	cr_expect_not(credential_in(SPAN("")));
	cr_expect_not(credential_in((struct span){0}));
}
