#include "capture/privacy/privacy.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

static char *kept(const struct http_field *fields, size_t n, const struct privacy_names *more)
{
	struct http_head head = {.fields = (struct http_field *)fields, .n_fields = n};
	struct buf to = {0};
	privacy_kept_request(&head, more, &to);
	return buf_steal(&to);
}

static void check_target(const char *target, const char *stored, const char *passed)
{
	char *text = privacy_target(span_of(target));
	cr_expect_str_eq(text, stored);
	free(text);
	text = privacy_public_target(span_of(target));
	cr_expect_str_eq(text, passed);
	free(text);
}

Test(privacy, keeps_fields_by_allow_list_only)
{
	const struct http_field fields[] = {
	        {SPAN("Host"), SPAN("h")},
	        {SPAN("User-Agent"), SPAN("sdk/1")},
	        {SPAN("X-Stainless-Lang"), SPAN("python")},
	        {SPAN("X-Nobody-Knows"), SPAN("hush")},
	        {SPAN("content-type"), SPAN("application/json")},
	};
	char *text = kept(fields, ARRAY_LEN(fields), NULL);
	cr_expect_str_eq(text,
	        "User-Agent: sdk/1\nX-Stainless-Lang: python\ncontent-type: application/json\n");
	free(text);
}

Test(privacy, credentials_are_never_kept_even_if_the_configuration_names_them)
{
	const struct http_field fields[] = {
	        {SPAN("Authorization"), SPAN("Bearer hush")},
	        {SPAN("X-API-Key"), SPAN("hush")},
	        {SPAN("Cookie"), SPAN("hush")},
	        {SPAN("X-Team"), SPAN("blue")},
	};
	char *names[] = {"authorization", "x-api-*", "cookie", "x-team"};
	const struct privacy_names s = {names, ARRAY_LEN(names)};
	char *text = kept(fields, ARRAY_LEN(fields), &s);
	cr_expect_str_eq(text, "X-Team: blue\n");
	free(text);
}

Test(privacy, an_answer_is_kept_with_its_status_line_and_without_its_cookies)
{
	struct http_field fields[] = {
	        {SPAN("Set-Cookie"), SPAN("hush")},
	        {SPAN("Server"), SPAN("uvicorn")},
	};
	struct http_head head = {.status = 404,
	        .reason = SPAN("Not Found"),
	        .minor = 1,
	        .fields = fields,
	        .n_fields = ARRAY_LEN(fields)};
	struct buf to = {0};
	privacy_kept_response(&head, NULL, &to);
	cr_expect_str_eq(buf_cstr(&to), "HTTP/1.1 404 Not Found\nServer: uvicorn\n");
	buf_finish(&to);
}

Test(privacy, secrets_in_queries_are_replaced_when_stored_and_left_out_when_passed_on)
{
	check_target("/v1/models", "/v1/models", "/v1/models");
	check_target("/x?api_key=hush", "/x?api_key=...", "/x");
	check_target("/x?a=1&api_key=hush&b=2", "/x?a=1&api_key=...&b=2", "/x?a=1&b=2");
	check_target("/x?AUTH_Token=hush&b", "/x?AUTH_Token=...&b", "/x?b");
	check_target("/x?api%5Fkey=hush", "/x?api%5Fkey=...", "/x");
	check_target("/x?%6bey=hush&%6b", "/x?%6bey=...&%6b", "/x?%6b");
	check_target("/x?sig=hush", "/x?sig=...", "/x");
	check_target(
	        "/x?dbPass=hush&DB_PASS=hush&userPwd=hush&passcode=hush&DBPass=hush&userPWD=hush",
	        "/x?dbPass=...&DB_PASS=...&userPwd=...&passcode=...&DBPass=...&userPWD=...", "/x");
	check_target("/x?hmac=hush&session=hush&sessionId=hush&SESSION_ID=hush",
	        "/x?hmac=...&session=...&sessionId=...&SESSION_ID=...", "/x");
	check_target("/x?password=?hush&b", "/x?password=...&b", "/x?b");
	check_target("/x?api_key=[#hush", "/x?api_key=...", "/x");
	check_target("/x?pass==?hush", "/x?pass=...", "/x");
	check_target("/x?possession=home", "/x?possession=home", "/x?possession=home");
	check_target("/x?max_tokens=5&author=me", "/x?max_tokens=5&author=me",
	        "/x?max_tokens=5&author=me");
	check_target("/x?cookie=hush&ASP.NET_SessionId=hush", "/x?cookie=...&ASP.NET_SessionId=...",
	        "/x");
	check_target(
	        "/x?maxtokens=5&n_tokens=5&num_tokens=5&top_tokens=5&stop_token_ids=5&sort_key=5",
	        "/x?maxtokens=5&n_tokens=5&num_tokens=5&top_tokens=5&stop_token_ids=5&sort_key=5",
	        "/x?maxtokens=5&n_tokens=5&num_tokens=5&top_tokens=5&stop_token_ids=5&sort_key=5");
	check_target("/x?jwt=hush&pwd=hush&bearer=hush&sid=hush",
	        "/x?jwt=...&pwd=...&bearer=...&sid=...", "/x");
}

#define KEY "sk-proj-4fA9cK2mQ7vX1bN8sT5yW3eR6uZ0dHjL"

Test(privacy, secrets_are_told_by_their_form_too)
{
	check_target("/x?q=" KEY "&b", "/x?q=...&b", "/x?b");
	check_target("/x?" KEY, "/x?...", "/x");
	check_target("/x?u=http://h/?a=1&b=2", "/x?u=http://h/?a=1&b=2", "/x?u=http://h/?a=1&b=2");
	check_target("/x?u=http://h/?api_key=hush", "/x?u=...", "/x");
	check_target("/x?u=http%3A%2F%2Fh%2F%3Fapi_key%3Dhush", "/x?u=...", "/x");
	check_target("/x?u=http%253A%252F%252Fh%252F%253Fapi_key%253Dhush", "/x?u=...", "/x");
	check_target("/x?u=https://app/?next=http://h/?api_key=hush", "/x?u=...", "/x");
	check_target("/x?u=https://me:hush@h/", "/x?u=...", "/x");
	check_target("/" KEY "/v1/models", "/.../v1/models", "/.../v1/models");
}

Test(privacy, secrets_in_paths_are_replaced_and_parameters_of_paths_left_out)
{
	check_target("/v1;api_key=hush/chat", "/v1;api_key=.../chat", "/v1/chat");
	check_target("/v1/x;a=b;token=hush?c=d", "/v1/x;a=b;token=...?c=d", "/v1/x;a=b?c=d");
	check_target("/x;jsessionid=hush", "/x;jsessionid=...", "/x");
	check_target("/x;session=hush?session=hush", "/x;session=...?session=...", "/x");
	check_target("/v1/x%3Bapi_key%3Dhush/y", "/v1/.../y", "/v1/.../y");
	check_target("/v1/x%3Bapi_key=hush/y", "/v1/.../y", "/v1/.../y");
	check_target("/to/http://me:hush@h/x", "/to/.../x", "/to/.../x");
	check_target("//me:hush@h/x", "/.../x", "/.../x");
	check_target("/v1/models/org:7b@main//x/", "/v1/models/org:7b@main//x/",
	        "/v1/models/org:7b@main//x/");
}

Test(privacy, a_secret_goes_on_to_the_end_of_its_parameter_or_segment)
{
	check_target("/x?password=ab;cdef&b", "/x?password=...&b", "/x?b");
	check_target("/x?a&password=ab;c=d", "/x?a&password=...", "/x?a");
	check_target("/x?a;api_key=hush&b", "/x?...&b", "/x?b");
	check_target("/x?a=b;api_key=hush&b", "/x?a=...&b", "/x?b");
	check_target("/x?u=https://me:hu;sh@h/", "/x?u=...", "/x");
	check_target("/x?q={\"a\":1,\"api_key\":\"hu;sh\"}&b", "/x?q=...&b", "/x?b");
	check_target("/x;token=hu;sh/y", "/x;token=.../y", "/x/y");
	check_target("/x;a=b;token=hu;c=sh/y", "/x;a=b;token=.../y", "/x;a=b/y");
	check_target("/x;token=;hush/y", "/.../y", "/.../y");
	check_target("/to/https://me:hu;sh@h/x", "/to/.../x", "/to/.../x");
	check_target("/to/https://me:hu;token=sh@h/x", "/to/.../x", "/to/.../x");
}

Test(privacy, nothing_ends_a_segment_behind_a_quotation_mark_however_that_is_written)
{
	static const char *const secret[] = {"/v1/{\"api_key\":\"hu/s;h\"}/x?y",
	        "/v1/%7B%22pin%22:%22hu/sh%22%7D/x",
	        "/v1/%7B%22a%22:%22x%5C%22y%22,%22api_key%22:%22hu/sh%22%7D/z",
	        "/v1/%257B%2522a%2522:%2522x%255C%2522y%2522,%2522pin%2522:%2522hu/sh%2522%257D/z",
	        "/v1/{\\u0022api_key\\u0022:\\u0022hu/sh\\u0022}/z",
	        "/v1/%7B%22api_key%22:%22hu?sh%22%7D/z", "/v1/%7B%22api_key%22:%22/hush%22%7D/z",
	        "/v1/%7B%22api_key%22:%22?hush%22%7D/z"};
	static const char innocent[] = "/v1/{\"a\":\"b/c?d\"}/x;y?z&";
	for (size_t i = 0; i < ARRAY_LEN(secret); i++) {
		check_target(secret[i], "/v1/...", "/v1/...");
	}
	check_target(innocent, innocent, innocent);
}

/* A server that splits paths also ends the token at a slash. */
Test(privacy, a_slash_ends_a_parameter_of_the_path)
{
	check_target("/v1;token=hush/chat/y", "/v1;token=.../chat/y", "/v1/chat/y");
}

Test(privacy, an_authorization_is_told_in_parameters_and_segments)
{
	check_target("/x?h=Token%20hush&b", "/x?h=...&b", "/x?b");
	check_target("/x?b&h=Bearer+hush", "/x?b&h=...", "/x?b");
	check_target("/x?Token%20hush", "/x?...", "/x");
	check_target("/v1/Bearer%20hush/x", "/v1/.../x", "/v1/.../x");
	check_target("/x?h=Basic%20YTpi", "/x?h=...", "/x");
	check_target("/x;a=b;Basic%20YTpi/y", "/x;a=b;.../y", "/x;a=b/y");
	check_target("/x?plan=Basic%20Only&q=a%20token%20ring",
	        "/x?plan=Basic%20Only&q=a%20token%20ring",
	        "/x?plan=Basic%20Only&q=a%20token%20ring");
}

Test(privacy, only_what_is_plainly_a_name_is_kept_of_a_secret_parameter)
{
	check_target("/x?api_key:hush=1", "/x?...", "/x");
	check_target("/x?api_key%3Ahush=1", "/x?...", "/x");
	check_target("/x?api_key%253Ahush=1", "/x?...", "/x");
	check_target("/x?api_key/hush=1&user[api_key]=hush", "/x?...&user[api_key]=...", "/x");
	check_target("/x?password%20hush=1", "/x?...", "/x");
}

Test(privacy, keys_are_told_by_their_form_however_they_are_written)
{
	check_target("/v1/%73k-proj-4fA9cK2mQ7vX1bN8/x", "/v1/.../x", "/v1/.../x");
	check_target("/v1/sk%2dproj%2d4fA9cK2mQ7vX1bN8", "/v1/...", "/v1/...");
	check_target("/x?q=sk%2Dproj%2D4fA9cK2mQ7vX1bN8&b", "/x?q=...&b", "/x?b");
	check_target("/x?%73k-proj-4fA9cK2mQ7vX1bN8", "/x?...", "/x");
	check_target("/x?" KEY "=1&b", "/x?...&b", "/x?b");
	check_target("/" KEY "=1/x", "/.../x", "/.../x");
}

Test(privacy, a_field_that_is_kept_by_name_is_not_where_its_value_bears_a_secret)
{
	const struct http_field fields[] = {
	        {SPAN("X-Request-Id"), SPAN("7")},
	        {SPAN("User-Agent"), SPAN("sdk " KEY)},
	        {SPAN("Content-Type"), SPAN("text/plain; code=5")},
	};
	char *text = kept(fields, ARRAY_LEN(fields), NULL);
	cr_expect_str_eq(text, "X-Request-Id: 7\nContent-Type: text/plain; code=5\n");
	free(text);
}

Test(privacy, other_queries_stay_byte_for_byte)
{
	static const char *const targets[] = {"/x?", "/x?a", "/x?a=", "/x?key=", "/x?=v", "/x?&&",
	        "/x?a=1&&b=%zz", "/x?design=1", "/x?%", "/x?a?b=c", "*", "", "/x;", "/x;a=b;;c",
	        "//", "/a//b/", "/x;a=b/y;c?d;e"};
	for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
		check_target(targets[i], targets[i], targets[i]);
	}
}

Test(privacy, a_name_too_long_to_be_looked_through_is_not_trusted)
{
	char target[512] = "/x?";
	memset(target + 3, 'a', 100);
	strcpy(target + 103, "=hush");
	char *text = privacy_target(span_of(target));
	cr_expect_null(strstr(text, "hush"));
	free(text);
}

Test(privacy, a_target_is_looked_through_in_time_that_grows_with_it)
{
	static const char *const REPEATED[] = {"/", ";", "&", "?", "/x;", ";token=", "/;a=b",
	        "%22/", "\"/;", "//", "//a:b;", "/token x", ";=", "%3b", "/%2", "/%2522?"};
	for (size_t i = 0; i < ARRAY_LEN(REPEATED); i++) {
		struct buf text = {0};
		buf_append_char(&text, '/');
		while (text.len < 1 << 18) {
			buf_append_str(&text, REPEATED[i]);
		}
		buf_append_str(&text, ";token=hush");
		char *kept = privacy_target(buf_span(&text));
		cr_expect_null(strstr(kept, "hush"), "%s", REPEATED[i]);
		free(kept);
		buf_finish(&text);
	}
}

Test(privacy, knows_credentials_in_any_case)
{
	cr_expect(privacy_is_credential(SPAN("AUTHORIZATION")));
	cr_expect(privacy_is_credential(SPAN("OpenAI-Organization")));
	cr_expect_not(privacy_is_credential(SPAN("x-request-id")));
}

Test(privacy, a_field_that_sounds_like_a_secret_is_a_credential_unless_it_is_known_to_be_none)
{
	static const char *const secret[] = {"X-Portkey-Api-Key", "Helicone-Auth",
	        "x-litellm-token", "CF-Access-Client-Secret", "Authorization", "Cookie2",
	        "X-Jwt-Assertion", "X-Amzn-Oidc-Data", "X-Bearer", "X-Pwd", "X-Sid", "x_pass",
	        "X-DbPass", "X-Hmac"};
	static const char *const open[] = {"Idempotency-Key", "x-ratelimit-remaining-tokens",
	        "Accept", "X-Request-Id", "OpenAI-Beta", "X-Compass", "X-Session-Affinity",
	        "X-Spinner", "X-Design", "X-Session-Id", "X-Pass-Through", "X-Pin-Version",
	        "X-Author"};
	for (size_t i = 0; i < ARRAY_LEN(secret); i++) {
		cr_expect(privacy_is_credential(span_of(secret[i])), "%s", secret[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(open); i++) {
		cr_expect_not(privacy_is_credential(span_of(open[i])), "%s", open[i]);
	}
}
