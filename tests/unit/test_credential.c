#include "capture/privacy/credential.h"

#include <criterion/criterion.h>
#include <string.h>

#include "rounds.h"

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
	        "X-Hmac-Sha256", "passWord", "api%5Fkey", "ToKen", "cookie", "X-Forwarded-Cookie",
	        "Set-Cookie2", "cookies");
	NONE(credential_sounds, "model", "X-Compass", "Spinner", "design", "", "session_id");
}

Test(credential, is_no_word_that_only_looks_like_one)
{
	NONE(credential_sounds, "X-Author", "authors", "X-Pass-Through", "passThrough",
	        "PASS_THROUGH", "X-Pin-Version", "max_tokens", "maxTokens", "max_new_tokens",
	        "max%5Ftokens", "keywords", "max_tokens_author", "maxtokens", "MAXTOKENS",
	        "n_tokens", "num_tokens", "numTokens", "top_tokens", "stop_token_ids", "stop_token",
	        "token_count", "sort_key", "sortKey", "monkey", "keyboard", "cookie_consent",
	        "X-Passthrough", "tokenize", "detokenize");
	ALL(credential_sounds, "Authorization", "author_token", "authorkey", "pass",
	        "pass-through-pin", "X-Pin", "version-pin", "token", "tokens", "access_tokens",
	        "max_token", "max_tokens_key", "tokens_max", "maxtokenskey", "sort_key_secret",
	        "monkeykey", "token_id", "xn_tokens");
}

Test(credential, is_told_by_its_form_and_in_urls)
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
	cr_expect_not(credential_in(SPAN("")));
	cr_expect_not(credential_in((struct span){0}));
}

Test(credential, is_the_value_of_a_pair_that_is_named_like_one)
{
	ALL(credential_in, "api_key=hush", "tenant=7, api_key=hush", "tenant=7 api_key=hush",
	        "tenant=7;api_key=hush", "api_key = hush", "api_key=\"hush\"", "(api_key=hush)",
	        "a/api_key=hush", "a pair such as key=value", "user[api_key]=hush", "keys[]=hush",
	        "api_key: hush", "Authorization: hush", "a=api_key=hush", "?key%20a=hush",
	        "a=1&auth[a]=hush", "?a key b=hush");
	NONE(credential_in, "text/html;q=0.9, */*;q=0.8", "multipart/form-data; boundary=--a-b",
	        "max-age=3600, no-cache", "api_key=", "api_key=&a=b", "api_key==", "max_tokens=5",
	        "http://keycloak:8080/x", "keycloak:8080", "auth", "the key is secret",
	        "for=192.0.2.60;proto=http;by=203.0.113.43", "a5key==", "session=5", "=hush", ":",
	        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/1",
	        "urn:a:params:key:b", "\"Chromium\";v=\"110\", \"Not A(Brand\";v=\"24\"",
	        "Root=1-67891233-abcdef012345678912345678;Sampled=1");
}

Test(credential, is_a_value_whatever_it_begins_with)
{
	ALL(credential_in, "/x?password=?hush", "/x?api_key=?hush", "/x?pass==?hush",
	        "/x?api_key=[#hush", "password=#hush", "password=;hush", "password=\"&hush\"",
	        "{\"password\":\"#1hush\"}", "{\"password\":\"&hush\"}", "{\"password\":\";hush\"}",
	        "password: #1hush", "password: &hush", "password: ?hush");
	NONE(credential_in, "password=", "password=;", "password=&hush", "password=;&hush",
	        "password=\"", "password: ");
}

Test(credential, is_a_member_of_a_document_that_is_named_like_one)
{
	ALL(credential_in, "{\"api_key\":\"hush\"}", "{\"a\":{\"b\":1,\"api_key\" : \"hush\"}}",
	        "{'api_key': 'hush'}", "{\\\"api_key\\\":\\\"hush\\\"}",
	        "{\"\\u0061pi_k\\u0065y\":\"hush\"}", "{\"keys\":[\"hush\"]}", "{\"pin\":1234}",
	        "%7B%22api_key%22%3A%22hush%22%7D", "?a={\"x\":1,\"api_key\":\"hush\"}",
	        "?{\"x\":1,\"api_key\":\"hush\"}", "{\"auth\":{\"value\":\"hush\"}}");
	NONE(credential_in, "{\"max_tokens\":5}", "{\"a\":\"key\",\"b\":1}", "[\"key\",\"token\"]",
	        "{\"session\":\"5\"}", "{\"api_key\":\"", "{}");
}

Test(credential, is_seen_behind_three_levels_of_escapes)
{
	ALL(credential_in, "%73k-proj-4fA9cK2mQ7vX1bN8", "%2573k-proj-4fA9cK2mQ7vX1bN8",
	        "%252573k-proj-4fA9cK2mQ7vX1bN8", "a%253Fapi_key%253Dhush", "a=Bearer+abcdefgh0123",
	        "https%3A%2F%2Fme%3Ahush@h", "//me:hush@h", "https://me:hu,sh@h",
	        "https://me:hu'sh@h", "api_key=%00hush");
	NONE(credential_in, "%", "%zz", "100%25", "\\", "%00");
}

Test(credential, is_not_believed_absent_from_a_name_too_long_to_be_looked_through)
{
	char text[512];
	memset(text, 'a', 100);
	strcpy(text + 100, "=hush");
	cr_expect(credential_in(span_of(text)));
	strcpy(text + 100, "==");
	cr_expect_not(credential_in(span_of(text)));
}

Test(credential, is_what_follows_the_scheme_of_an_authorization)
{
	ALL(credential_in, "Bearer x", "bearer  hush ", "Token hush", "ApiKey hush",
	        "Negotiate YII=", "NTLM TlRM", "Basic dXNlcjpwYXNz", "Basic%20dXNlcjpwYXNz",
	        "?h=Basic+dXNlcjpwYXNz", "realm, Basic dXNlcjpwYXNz", "Basic YTpi",
	        "Basic bWU6cHc=", "basic  dTpwdw==", "Basic bWU6aPxzaA==");
	NONE(credential_in, "Bearer", "Basic", "Basic plan", "Basic Only", "a Basic YTpi",
	        "the bearer certificates", "Token limit reached", "tokens left");
}

Test(credential, is_an_authorization_as_the_value_of_a_pair_and_anywhere_in_a_url)
{
	ALL(credential_in, "h=Token hush", "h=\"Bearer hush\", more=1", "{\"h\": \"Token hush\"}",
	        "https://app/?h=Token%20hush", "https://app/?a=b%20c&h=Basic%20YTpi#top",
	        "https://app/?Bearer%20hush", "/v1/Bearer%20hush/x",
	        "https://app/v1/ApiKey%20hush");
	ALL(credential_in_url, "?h=Token%20hush", "&h=Bearer+hush", "/Bearer%20hush",
	        "/x;Token%20hush", "?Token%2520hush", "?u=http%3A%2F%2Fh%2F%3Fh%3DToken%2520hush");
	NONE(credential_in, "h=Token", "h=Token limit reached", "a token; a bearer x",
	        "n=Basic plan", "Mozilla/5.0 (X11; Token Ring)", "text/plain; token x");
	NONE(credential_in_url, "/Token", "?h=token%20a%20word", "/a%20token%20x", "/Basic%20plan");
}

Test(credential, is_a_session_in_a_url_alone)
{
	ALL(credential_in, "https://app/cb?a=b&code=hush", "https://app/x;jsessionid=hush",
	        "/x;session=hush", "<https://app/?session=hush>", "a=1&code=hush", "#code=hush",
	        "{\"u\":\"/x?session=hush\"}", "https%3A%2F%2Fh%2F%3Fsession%3Dhush");
	ALL(credential_in_url, "&session=hush", ";code=hush", "?ASP.NET_SessionId=hush",
	        "?user-session=hush", "?PHPSESSID=hush", "/x;my.session_id=hush");
	NONE(credential_in, "a=1; session=hush", "a=1;code=5", "text/plain; code=5", "a; session=7",
	        "*/*;code=5", "text/html;code=5", "</x?page=2>; session=5",
	        "sdk/1 (+https://app/bot; session=5)", "? session=5", "session=5", "code: 5");
	ALL(credential_in_url, "?usersession=hush", "?jobsession=hush", "?pos_session=hush",
	        "?superSession=hush", "?possession_session=hush");
	NONE(credential_in_url, "?status_code=5", "&postcode=5", "?sessions=5", "?encode=5",
	        "?possession=home", "&ball_possession=5", "/x;ballPossession=5", "?obsession=5",
	        "?OBSESSION=5", "?possession_id=5");
}

Test(credential, is_not_in_what_is_plainly_a_name)
{
	ALL(credential_is_name, "api_key", "api%5Fkey", "X-Amz-Signature", "user[api.key]",
	        "sch\xc3\xbcssel");
	NONE(credential_is_name, "", "api_key:hush", "api_key%3Ahush", "api_key%253Ahush",
	        "api_key/hush", "pass%20hush", "pass;hush", "a,b", KEY,
	        "%73k-proj-4fA9cK2mQ7vX1bN8");
}

Test(credential, is_looked_for_in_time_that_grows_with_the_text)
{
	static const char *const REPEATED[] = {"=", "a=", "abc=", "&abc=", "key",
	        "[=", "key=[=", "{\"a\":", "\\", "%25", "//", "//a:", "://@", "Basic AAAA ",
	        "\" :", "+=", "key ", ";session", "=basic =basic b c ", "/token b c ",
	        "?basic YTpi x", "/x;", "/\"", "[;", "& ",
	        "?-----------------------------------------------------------key=&",
	        "?t-t-t-t-t-t-t-t-t-t-t-t-t-t-t-t-t-t-t-t-t-t-t-t-t-t-t-t-t-tkey=&"};
	for (size_t i = 0; i < ARRAY_LEN(REPEATED); i++) {
		struct buf text = {0};
		while (text.len < ROUNDS(1 << 20)) {
			buf_append_str(&text, REPEATED[i]);
		}
		bool found = credential_in(buf_span(&text));
		cr_expect_eq(found, !strcmp(REPEATED[i], "key=[="), "%s", REPEATED[i]);
		buf_finish(&text);
	}
}

/* A name that is too long counts as a secret's; these texts consist only of characters that may
 * open a value. */
Test(credential, is_looked_for_once_behind_each_sign)
{
	struct buf text = {0};
	while (text.len < ROUNDS(1 << 22)) {
		buf_append_str(&text, text.len % 80 == 79 ? "=" : "[");
	}
	cr_expect_not(credential_in(buf_span(&text)));
	buf_finish(&text);
}
