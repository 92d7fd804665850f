/*
 * A malformed body is redacted as text: no secret remains, whatever is wrong with the body.
 */
#include "redacting.h"

#define MAIL "ann@example.org"
#define CARD "4111111111111111"
#define IBAN "DE89370400440532013000"

TestSuite(redact_malformed, .init = setup, .fini = teardown);

static const char *const SECRETS[] = {MAIL, CARD, IBAN};

/* Bodies with secrets in texts, tokens, names, numbers, lists of ids and prompts. */
static const char *const BODIES[] = {
        "{\"choices\":[{\"text\":\"" MAIL "\",\"logprobs\":{\"tokens\":2[\"" MAIL "\",\"x\"],"
        "\":op_logprobs\":[{\"" MAIL "\":-0,\"x\":-2},{\"" MAIL "\":-1}]}}],"
        "\"prompt_logprobs\":[null,{\"12 " MAIL " \":{\"decoded_token\":\"a\"}}]}",
        "{\"prompt_logprobs\":[null,{\"12 " MAIL "\":{\"logprob\":-1,\"decoded_token\":\"" MAIL
        "\"}}],\"choices\":[]}",
        "{\"prompt_token_ids\":[1,\"" MAIL "\",2],\"tokens\":[[3,\"" CARD "\"]]}",
        "{\"choices\":[{\"logprobs\":{\"content\":[{\"token\":\"token_id:" MAIL "\"}],"
        "\"prompt_logprobs\":[{\"token\":\"" MAIL "\",\"id\":7}]}}]}",
        "{\"a\":" CARD ",\"" IBAN "\":{\"b\":[true,\"" MAIL "\",{\"c\":\"" CARD "\"}]}}",
        "data: {\"choices\":[{\"delta\":{\"content\":\"x " MAIL "\"}}]}\n\ndata: {\"" MAIL
        "\":\"" IBAN "\"}\n\ndata: [DONE]\n\n",
        "{\"message\":{\"content\":\"" MAIL "\"},\"done\":false}\n{\"" MAIL "\":" CARD "}\n",
        "[{\"generated_text\":\"" IBAN "\",\"details\":{\"prefill\":[{\"id\":1,\"text\":\"" MAIL
        "\"}]}}]",
};

/* A letter or digit next to a secret may make it a different word, or a part of one. */
static bool stands_alone(const char *body, const char *at, size_t len)
{
	unsigned char before = at == body ? ' ' : (unsigned char)at[-1];
	unsigned char after = (unsigned char)at[len];
	return !strchr("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-+.%",
	               before) &&
	       (!after || !strchr("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"
	                          "+.%",
	                          after));
}

static void check(const char *body, size_t len)
{
	char *was = xmemdup(body, len + 1), *is = xmemdup(body, len + 1);
	was[len] = is[len] = '\0';
	bool kept = redact_body(&redaction, is, len);
	for (size_t i = 0; kept && i < ARRAY_LEN(SECRETS); i++) {
		size_t n = strlen(SECRETS[i]);
		for (const char *p = was; (p = strstr(p, SECRETS[i])); p += n) {
			bool stays = stands_alone(was, p, n) && memcmp(is + (p - was), p, n) == 0;
			cr_assert(!stays, "%s stays in\n%s\nof\n%s", SECRETS[i], is, was);
		}
	}
	free(was);
	free(is);
}

static void check_all_ways(void)
{
	static const char BYTES[] = "{}[]\",:\\ \n02e-";
	for (size_t b = 0; b < ARRAY_LEN(BODIES); b++) {
		size_t len = strlen(BODIES[b]);
		char *body = xmalloc(len + 2);
		check(BODIES[b], len);
		for (size_t at = 0; at < len; at++) {
			check(BODIES[b], at);
			check(BODIES[b] + at, len - at);
			memcpy(body, BODIES[b], at);
			memcpy(body + at, BODIES[b] + at + 1, len - at);
			check(body, len - 1);
			for (size_t i = 0; i + 1 < sizeof(BYTES); i++) {
				memcpy(body, BODIES[b], len + 1);
				body[at] = BYTES[i];
				check(body, len);
				memcpy(body + at + 1, BODIES[b] + at, len - at + 1);
				check(body, len + 1);
			}
		}
		free(body);
	}
}

Test(redact_malformed, no_secret_stays_in_a_body_that_was_cut_or_changed_by_a_byte)
{
	check_all_ways();
}

Test(redact_malformed, nor_where_every_text_is_private)
{
	redact_policy_everything(policy);
	check_all_ways();
}

Test(redact_malformed, numbers_side_by_side_are_text)
{
	expect_gone("{\"a\":4111 1111 1111 1111}", "1111");
	expect_gone("{\"a\":1 +4930123456}", "4930123456");
	expect_gone("{\"a\":[1 2 \"x\" " CARD "]}", CARD);
}

Test(redact_malformed, tokens_of_a_prompt_and_their_ids_go_wherever_they_are)
{
	expect_gone("{\"choices\":[{\"logprobs\":{\"prompt_logprobs\":[{\"token\":\"harmless\","
	            "\"id\":7042}]}}]}",
	        "harmless");
	expect_gone("{\"details\":{\"prefill\":[{\"id\":7042,\"text\":\"harmless\"}]}}", "7042");
	expect_gone("{\"prompt\":[7042,\"x\",8],\"n\":1}", "7042");
}

Test(redact_malformed, tokens_of_a_prompt_count_as_one_list)
{
	expect_gone(
	        "{\"prompt_logprobs\":[null,{\"11\":{\"logprob\":-1,\"decoded_token\":\"abc\"},"
	        "\"12\":{\"logprob\":-2,\"decoded_token\":\"de\"}}],\"prompt_token_ids\":[1,11]}",
	        "abc");
	cr_expect_eq(redact_counts_sum(&redaction.counts), 2);
}
