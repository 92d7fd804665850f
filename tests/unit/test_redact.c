#include <criterion/criterion.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"
#include "redacting.h"

#define MAIL "ann@example.org"
#define CARD "4111 1111 1111 1111"
#define KEY "sk-proj-Ab12Cd34Ef56"

TestSuite(redact, .init = setup, .fini = teardown);

Test(redact, a_secret_goes_from_wherever_a_string_may_be)
{
	expect_gone("{\"messages\":[{\"role\":\"user\",\"content\":\"I am " MAIL ".\"}]}", MAIL);
	expect_gone(
	        "{\"messages\":[{\"content\":[{\"type\":\"text\",\"text\":\"" CARD "\"}]}]}", CARD);
	expect_gone("{\"user\":\"" MAIL "\",\"metadata\":{\"" MAIL "\":\"x\"}}", MAIL);
	expect_gone("{\"error\":{\"message\":\"Incorrect API key: " KEY "\"}}", KEY);
	expect_gone("{\"a\":4111111111111111}", "4111111111111111");
	expect_gone("{\"model\":\"" KEY "\"}", KEY);
	expect_gone("<html>mail " MAIL "</html>", MAIL);
	expect_gone("data: [DONE]\n\n: seen by " MAIL "\n\n", MAIL);
}

Test(redact, escapes_hide_nothing_and_stay_escapes)
{
	char *copy = redacted("{\"a\":\"ann\\u0040example.org \\ud83d\\ude00 \\\"x\\\"\"}");
	cr_expect(json_is_one_object(span_of(copy)), "%s", copy);
	cr_expect_null(strstr(copy, "example"));
	cr_expect_not_null(strstr(copy, " \\ud83d\\ude00 \\\"x\\\"\"}"), "%s", copy);
	free(copy);
	expect_gone("{\"a\":\"{\\\"mail\\\": \\\"" MAIL "\\\"}\"}", MAIL);
}

/* Returns the text escaped as a JSON string, `levels` times. */
static char *quoted(const char *text, int levels)
{
	char *whole = xstrdup(text);
	for (int i = 0; i < levels; i++) {
		struct buf b = {0};
		for (const char *p = whole; *p; p++) {
			if (*p == '\n') {
				buf_append_str(&b, "\\n");
			} else {
				buf_printf(&b, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
			}
		}
		free(whole);
		whole = buf_steal(&b);
	}
	return whole;
}

static const char *const EACH[] = {
        MAIL, CARD, KEY, "+49 151 23456789", "DE89370400440532013000", "Bearer abcdef1234567"};

Test(redact, a_document_in_a_string_hides_nothing_behind_its_escapes)
{
	static const char *const BEFORE[] = {"\n", "\\n", "\\t", "\\u000a", "\\u002F", "\\\\n",
	        "\"", "%20", "%22", "\\u001b", "."};
	for (size_t i = 0; i < ARRAY_LEN(EACH) * ARRAY_LEN(BEFORE) * 2; i++) {
		const char *secret = EACH[i % ARRAY_LEN(EACH)];
		const char *before = BEFORE[i / ARRAY_LEN(EACH) % ARRAY_LEN(BEFORE)];
		char *text = xasprintf("{\"a\": \"It is%s%s\"}", before, secret);
		char *inner = quoted(text, 1 + (int)(i / ARRAY_LEN(EACH) / ARRAY_LEN(BEFORE)));
		char *body = xasprintf("{\"arguments\":\"%s\"}", inner);
		expect_gone(body, span_is(span_of(secret), EACH[5]) ? "abcdef1" : secret);
		free(body);
		free(inner);
		free(text);
	}
}

Test(redact, what_a_document_in_a_string_spells_with_escapes_is_found)
{
	expect_gone("{\"a\":\"{\\\"x\\\":\\\"\\\\u002B4915123456789\\\"}\"}", "4915123456789");
	expect_gone("{\"a\":\"{\\\"x\\\":\\\"ann\\\\u0040example.org\\\"}\"}", "example");
	expect_gone(
	        "see https://x.org/?user=ann%40example.org&x=%2B49%20151%2023456789", "example");
	expect_gone(
	        "see https://x.org/?user=ann%40example.org&x=%2B49%20151%2023456789", "23456789");
	expect_gone("to=you&card=4111+1111+1111+1111&x=1", "1111+1111");
}

/* A document in a string must remain a document, whatever was replaced in it. */
Test(redact, a_document_in_a_string_stays_one)
{
	char *copy = redacted("{\"a\":\"{\\\"x\\\":\\\"so\\\\nann@example.org\\\\nsk-proj-"
	                      "Ab12Cd34Ef56\\\\u002B4915123456789 \\\\u00e9\\\"}\"}");
	static const char *const PATH[] = {"a"};
	struct json_token t;
	cr_assert(json_find(span_of(copy), PATH, 1, &t, NULL));
	char *text = json_token_dup(&t);
	cr_expect(json_is_one_object(span_of(text)), "%s", text);
	cr_expect_not_null(strstr(text, "\"so"), "%s", text);
	cr_expect_not_null(strstr(text, " \\u00e9\"}"), "%s", text);
	free(text);
	free(copy);
}

Test(redact, arguments_in_pieces_hide_nothing_behind_their_escapes)
{
	static const char TEXT[] =
	        "{\"x\": \"n:\\n" KEY "\\n+49 151 23456789\\nDE89370400440532013000\"}";
	for (size_t size = 1; size < 6; size++) {
		struct buf b = {0};
		for (size_t at = 0; at < strlen(TEXT); at += size) {
			char piece[8] = {0};
			memcpy(piece, TEXT + at, MIN(size, strlen(TEXT) - at));
			char *inner = quoted(piece, 1);
			buf_printf(&b,
			        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{"
			        "\"index\":0,\"function\":{\"arguments\":\"%s\"}}]}}]}\n\n",
			        inner);
			free(inner);
		}
		buf_append_str(&b, "data: [DONE]\n\n");
		char *copy = redacted(buf_cstr(&b));
		struct reading *r = read_body(copy, FRAMING_SSE);
		cr_assert_eq(r->n_choices, 1);
		cr_assert_eq(r->choices[0].n_calls, 1);
		const char *got = r->choices[0].calls[0].arguments;
		cr_expect_eq(strlen(got), strlen(TEXT));
		cr_expect(json_is_one_object(span_of(got)), "%s", got);
		cr_expect_null(strstr(got, "Ab12"), "%s", got);
		cr_expect_null(strstr(got, "2345"), "%s", got);
		cr_expect_null(strstr(got, "3704"), "%s", got);
		reading_destroy(r);
		free(copy);
		buf_finish(&b);
	}
}

Test(redact, what_is_no_secret_stays_to_the_byte)
{
	expect_same("{\"messages\":[{\"role\":\"user\",\"content\":\"Caf\xc3\xa9 \\u00e9\\n at "
	            "12:30\"}],"
	            "\"temperature\":0.1234567890123456,\"seed\":123}");
	expect_same("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: "
	            "[DONE]\n\n");
	expect_same("not JSON at all { [ \" ");
	expect_same("");
}

Test(redact, equal_secrets_get_equal_placeholders_and_others_part_where_they_did)
{
	char *a = redacted("{\"a\":\"" MAIL "\",\"b\":[\"so: " MAIL "\"]}");
	char *b = redacted("{\"a\":\"ann@exbmple.org\"}");
	cr_expect_eq(memcmp(a + 6, strchr(a, '[') + 6, strlen(MAIL)), 0, "%s", a);
	cr_expect_eq(memcmp(a + 6, b + 6, strlen("ann@ex")), 0, "%s %s", a, b);
	cr_expect_neq(memcmp(a + 6, b + 6, strlen("ann@exa")), 0);
	redaction.key[0] ^= 1;
	char *c = redacted("{\"a\":\"" MAIL "\",\"b\":[\"so: " MAIL "\"]}");
	cr_expect_neq(memcmp(a + 6, c + 6, strlen(MAIL)), 0, "the key has no say");
	free(a);
	free(b);
	free(c);
}

static void put_token(struct buf *b, const char *token, const char *other)
{
	buf_printf(b, "{\"token\":\"%s\",\"logprob\":-0.25,\"bytes\":[", token);
	for (const char *p = token; *p; p++) {
		buf_printf(b, "%s%u", p == token ? "" : ",", (unsigned char)*p);
	}
	buf_printf(b,
	        "],\"id\":77,\"top_logprobs\":[{\"token\":\"%s\",\"logprob\":-0.25},"
	        "{\"token\":\"%s\",\"logprob\":-1.5}]}",
	        token, other);
}

Test(redact, tokens_and_their_alternatives_go_with_the_text_and_stay_aligned)
{
	static const char *const TOKENS[] = {"To", " an", "n@", "example", ".org", "!"};
	struct buf b = {0};
	buf_append_str(&b, "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"To " MAIL
	                   "!\"},\"logprobs\":{\"content\":[");
	for (size_t i = 0; i < ARRAY_LEN(TOKENS); i++) {
		buf_append_str(&b, i ? "," : "");
		put_token(&b, TOKENS[i], i == 4 ? ".com" : i == 3 ? "exam" : "zz");
	}
	buf_append_str(&b, "]},\"finish_reason\":\"stop\"}]}");
	char *copy = redacted(buf_cstr(&b));
	cr_expect_null(strstr(copy, "exam"), "%s", copy);
	cr_expect_null(strstr(copy, ".com"), "%s", copy);
	cr_expect_null(strstr(copy, "101,120"), "its bytes are still there: %s", copy);
	struct reading *r = read_body(copy, FRAMING_UNARY);
	cr_assert_eq(r->n_choices, 1);
	const struct choice *c = &r->choices[0];
	cr_expect_eq(r->marks & READING_TOKENS_MISSPELL, 0, "%s", copy);
	cr_assert(c->has_columns);
	cr_expect_eq(c->columns.n, ARRAY_LEN(TOKENS));
	for (size_t i = 0; i < c->columns.n; i++) {
		cr_expect_eq(c->columns.flags[i] & (TOKEN_NOT_TOP | TOKEN_UNLISTED), 0,
		        "token %zu left its list: %s", i, copy);
	}
	reading_destroy(r);
	free(copy);
	buf_finish(&b);
}

Test(redact, alternatives_of_the_older_form_are_keys)
{
	const char *body =
	        "{\"choices\":[{\"text\":\"I am " MAIL "\",\"logprobs\":{\"tokens\":[\"I am\",\" "
	        "ann@ex\",\"ample.org\"],\"token_logprobs\":[-1,-1,-1],\"top_logprobs\":["
	        "{\"I am\":-1,\"He\":-2},{\" ann@ex\":-1,\" bob@\":-2},{\"ample.org\":-1,"
	        "\"ecutive.net\":-3}],\"text_offset\":[0,4,11]}}]}";
	char *copy = redacted(body);
	cr_expect(json_is_one_object(span_of(copy)));
	cr_expect_null(strstr(copy, "ample"), "%s", copy);
	cr_expect_null(strstr(copy, "bob"), "%s", copy);
	cr_expect_null(strstr(copy, "ecutive"), "%s", copy);
	cr_expect_not_null(strstr(copy, "{\"I am\":-1,\"He\":-2}"), "%s", copy);
	free(copy);
}

Test(redact, token_ids_spell_text_and_do_not_stay)
{
	char *copy = redacted(
	        "{\"prompt\":[15, 2, 777],\"prompt_token_ids\":[[1,22]],\"n\":1,\"bytes\":[]}");
	cr_expect_str_eq(copy,
	        "{\"prompt\":[0 , 0, 0  ],\"prompt_token_ids\":[[0,0 ]],\"n\":1,\"bytes\":[]}");
	free(copy);
}

Test(redact, members_go_whole_with_what_spells_them)
{
	cr_assert_null(redact_policy_add_member(policy, "metadata.name"));
	cr_assert_null(redact_policy_add_member(policy, "user"));
	expect_gone("{\"metadata\":{\"name\":\"Zoe\",\"x\":1}}", "Zoe");
	expect_gone("{\"metadata\":{\"name\":[{\"x\":\"Zoe\"},12345]}}", "12345");
	expect_gone("{\"messages\":[{\"us\\u0065r\":\"Zoe\"}]}", "Zoe");
	expect_same("{\"name\":\"Zoe\",\"metadata\":{\"other\":{\"name\":\"Zoe\"}}}");
	char *refused = redact_policy_add_member(policy, "a..b");
	cr_expect_not_null(refused);
	free(refused);
}

Test(redact, own_patterns_are_found_and_hostile_ones_end)
{
	char *error = redact_policy_add_pattern(policy, "(?i)projekt \\w+");
	cr_assert_null(error);
	expect_gone("{\"a\":\"Das ist Projekt Adler.\"}", "Adler");
	error = redact_policy_add_pattern(policy, "(unclosed");
	cr_assert_not_null(error);
	free(error);
	cr_assert_null(redact_policy_add_pattern(policy, "(a+)+$"));
	struct buf b = {0};
	buf_append_str(&b, "{\"x\":\"");
	for (int i = 0; i < 50000; i++) {
		buf_append_char(&b, 'a');
	}
	buf_append_str(&b, "!\"}");
	char *body = buf_steal(&b);
	size_t len = strlen(body);
	/* Either the redaction is refused, or nothing of it is kept. */
	cr_expect(!redact_body(&redaction, body, len) || !strstr(body, "aaaa"));
	free(body);
}

Test(redact, own_patterns_that_match_the_empty_text_are_refused)
{
	static const char *const EMPTY[] = {
	        "", "a*", "x{0,3}", "^", "\\b", "(?=a)", "(?i)", "|x", "$|foo"};
	static const char *const NOT[] = {
	        "a+", "\\bx", "\\w+(?=\\s*)", "(a)?(?(1)b|c)", "\\((?:[^()]++|(?R))*\\)"};
	for (size_t i = 0; i < ARRAY_LEN(EMPTY); i++) {
		char *error = redact_policy_add_pattern(policy, EMPTY[i]);
		cr_expect(error && strstr(error, "matches the empty text"), "%s", EMPTY[i]);
		free(error);
	}
	for (size_t i = 0; i < ARRAY_LEN(NOT); i++) {
		cr_expect_null(redact_policy_add_pattern(policy, NOT[i]), "%s", NOT[i]);
	}
}

/* The search ends by the number of matches or by the time, whichever comes first. */
Test(redact, matches_without_end_are_given_up)
{
	size_t len = 6 << 20;
	char *body = xmalloc(len);
	memset(body, '7', len);
	cr_assert_null(redact_policy_add_pattern(policy, "\\d"));
	uint64_t begun = clock_thread();
	cr_expect_not(redact_body(&redaction, body, len));
	cr_expect_lt(clock_thread() - begun, 20000000000u);
	cr_expect_eq(redaction.counts.refused, 1);
	free(body);
}

/* On a busy machine the recorder's thread may wait for seconds. */
Test(redact, time_in_which_the_thread_does_not_run_does_not_count)
{
	cr_assert_null(redact_policy_add_pattern(policy, "\\d"));
	size_t len = 4 << 20;
	char *body = xmalloc(len);
	for (size_t i = 0; i < len; i++) {
		body[i] = i % 32 ? 'a' : '7';
	}
	int begun[2];
	cr_assert_eq(pipe(begun), 0);
	pid_t child = fork();
	if (child == 0) {
		cr_assert_eq(write(begun[1], "", 1), 1);
		_exit(redact_body(&redaction, body, len) ? 0 : 1);
	}
	char byte;
	cr_assert_eq(read(begun[0], &byte, 1), 1);
	kill(child, SIGSTOP);
	nanosleep(&(struct timespec){.tv_sec = 2, .tv_nsec = 500000000}, NULL);
	kill(child, SIGCONT);
	int status = -1;
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	free(body);
}

/* Documents that begin with each other's texts take time in proportion to the body. */
Test(redact, many_short_documents_before_one_with_many_secrets_end_soon)
{
	struct buf body = {0};
	for (size_t i = 0; i < 500000; i++) {
		buf_append_str(&body, "{\"a\":\"x \"}\n");
	}
	buf_append_str(&body, "{\"a\":\"x ");
	for (size_t i = 0; i < 200000; i++) {
		buf_append_str(&body, "a@b.co ");
	}
	buf_append_str(&body, "\"}\n");
	uint64_t begun = clock_thread();
	cr_expect(redact_body(&redaction, body.data, body.len));
	cr_expect_lt(clock_thread() - begun, 20000000000u);
	cr_expect_null(strstr(buf_cstr(&body), "a@b.co"));
	buf_finish(&body);
}

Test(redact, what_cannot_be_looked_into_is_refused)
{
	char binary[] = "\x1f\x8b\x08\0\0\0\0\0\0\0";
	cr_expect_not(redact_body(&redaction, binary, sizeof(binary)));
	char latin[] = "caf\xe9 au lait, toujours";
	cr_expect_not(redact_body(&redaction, latin, strlen(latin)));
	struct buf deep = {0};
	for (int i = 0; i < 1000; i++) {
		buf_append_char(&deep, '[');
	}
	cr_expect_not(redact_body(&redaction, deep.data, deep.len));
	cr_expect_eq(redaction.counts.refused, 3);
	buf_finish(&deep);
}

Test(redact, broken_documents_keep_no_secret)
{
	expect_gone("{\"a\":\"" MAIL, MAIL);
	expect_gone("{\"a\":" MAIL "}", MAIL);
	expect_gone("{\"a\":{\"b\":\"\n" MAIL "\"}", MAIL);
	expect_gone(
	        "data: {\"choices\":[{\"delta\":{\"content\":\"x\n\ndata: {\"choices\":[{\"delta\":"
	        "{\"content\":\"" MAIL "\"}}]}\n\n",
	        MAIL);
	expect_gone("{\"a\" " MAIL " ] } \"" KEY, KEY);
}

Test(redact, names_that_are_written_with_escapes_are_those_that_they_spell)
{
	cr_assert_null(redact_policy_add_member(policy, "outside.metadata"));
	redact_policy_everything(policy);
	expect_gone("{\"a\\u0020name that is far longer than the one in it, so that it takes more "
	            "memory\":{\"m\\u0065tadata\":{\"Zebedee\":1}}}",
	        "Zebedee");
}

#ifdef __SANITIZE_ADDRESS__
#define KEEPS_WHAT_IS_FREED true
#else
#define KEEPS_WHAT_IS_FREED false
#endif

/* Small bodies whose redaction needs much memory. */
static const struct {
	const char *begin, *unit, *end;
	unsigned times;
} HOSTILE[] = {
        {"[", "[],", "0]", 900000},
        {"[", "\"\",", "0]", 900000},
        {"", "\"\"", "", 900000},
        {"{\"a\":\"", "a@b.cc ", "\"}", 300000},
        {"x=", "+", "", 4000000},
        {"{\"a\":\"", "\\u0041", "\"}", 600000},
        {"{\"", "\\n", "\":\"ann@example.org\"}", 2000000},
        {"", "data: x\n", "", 500000},
        {"{\"logprobs\":{\"content\":[",
                "{\"token\":\"a@b.cc \",\"top_logprobs\":[{\"token\":\"x\"}]},", "{}]}}", 90000},
        {"{\"x\":", "[1,", "", 200},
};

static struct buf hostile(size_t i)
{
	struct buf b = {0};
	buf_append_str(&b, HOSTILE[i].begin);
	for (unsigned n = 0; n < HOSTILE[i].times; n++) {
		buf_append_str(&b, HOSTILE[i].unit);
	}
	buf_append_str(&b, HOSTILE[i].end);
	return b;
}

static size_t resident(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (size_t)u.ru_maxrss * 1024;
}

Test(redact, what_a_hostile_body_takes_stays_within_the_budget)
{
	struct buf bodies[ARRAY_LEN(HOSTILE)];
	for (size_t i = 0; i < ARRAY_LEN(HOSTILE); i++) {
		bodies[i] = hostile(i);
	}
	struct budget budget;
	budget_init(&budget, 4 << 20);
	redaction.budget = &budget;
	cr_assert(redact_body(&redaction, (char[]){"{\"a\":\"" MAIL "\"}"}, sizeof(MAIL) + 7));
	size_t before = resident();
	for (size_t i = 0; i < ARRAY_LEN(HOSTILE); i++) {
		bool kept = redact_body(&redaction, bodies[i].data, bodies[i].len);
		cr_expect(!kept || i == ARRAY_LEN(HOSTILE) - 1, "body %zu", i);
		cr_expect_eq(budget_used(&budget), 0, "body %zu kept some of the budget", i);
		buf_finish(&bodies[i]);
	}
	cr_expect_eq(redaction.counts.no_room, ARRAY_LEN(HOSTILE) - 1);
	cr_expect_eq(redaction.counts.refused, 0);
	size_t grown = resident() - before;
	cr_expect(
	        KEEPS_WHAT_IS_FREED || grown <= budget.limit + (1 << 20), "%zu bytes more", grown);
}

Test(redact, a_body_that_there_was_no_room_for_is_redacted_once_there_is)
{
	struct budget budget;
	budget_init(&budget, 1000);
	redaction.budget = &budget;
	char body[] = "{\"a\":\"" MAIL "\"}";
	cr_expect_not(redact_body(&redaction, body, strlen(body)));
	cr_expect_eq(redaction.counts.no_room, 1);
	char again[] = "{\"a\":\"" MAIL "\"}";
	budget.limit = 1 << 20;
	cr_expect(redact_body(&redaction, again, strlen(again)));
	cr_expect_null(strstr(again, MAIL));
	cr_expect_eq(budget_used(&budget), 0);
}
