#include "redacting.h"

static void setup_everything(void)
{
	setup();
	redact_policy_everything(policy);
}

TestSuite(redact_everything, .init = setup_everything, .fini = teardown);

Test(redact_everything, leaves_form_and_lengths)
{
	char *copy = redacted(
	        "{\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
	        "\"content\":\"Sea w\xc3\xa4ter\"},\"finish_reason\":\"stop\"}]}");
	cr_expect_null(strstr(copy, "Sea"));
	cr_expect_not_null(strstr(copy, "\"role\":\"assistant\""));
	struct reading *r = read_body(copy, FRAMING_UNARY);
	cr_assert_eq(r->n_choices, 1);
	cr_expect_eq(r->choices[0].text.len, strlen("Sea w\xc3\xa4ter"));
	cr_expect_eq(r->choices[0].text.data[3], ' ');
	cr_expect_str_eq(r->choices[0].finish, "stop");
	reading_destroy(r);
	free(copy);
}

/* Each place of a document that may contain a user's word. */
static const char *const WRITTEN[] = {
        "{\"model\":\"m\"} MARK trailing words",
        "MARK {\"model\":\"m\"}",
        "[1,2] MARK words",
        "[MARK]",
        "data: MARK hello\n\ndata: more MARK text\n\n",
        "data: {\"a\":1} MARK\n: MARK\nevent: MARK\nid: MARK\nretry: MARK\nMARK: x\n\n",
        "data: [DONE] MARK\n\n",
        "\"MARK\"",
        "MARK",
        "{\"metadata\":{\"status\":\"MARK fired\",\"type\":\"MARK\",\"object\":\"MARK\","
        "\"effort\":\"MARK\",\"model\":\"MARK\",\"system_fingerprint\":\"MARK\"}}",
        "{\"messages\":[{\"role\":\"MARK\",\"tool_calls\":[{\"type\":\"MARK\",\"function\":{"
        "\"name\":\"MARK\",\"arguments\":{\"a\":{\"status\":\"MARK ill\"}}}}]}]}",
        "{\"role\":\"MARK\",\"type\":\"MARK\",\"object\":\"MARK\",\"finish_reason\":\"MARK\","
        "\"stop_reason\":\"MARK\",\"done_reason\":\"MARK\",\"status\":\"MARK\","
        "\"created_at\":\"MARK\",\"service_tier\":\"MARK\",\"reasoning_effort\":\"MARK\","
        "\"effort\":\"MARK\",\"tool_choice\":\"MARK\",\"encoding_format\":\"MARK\"}",
        "{\"model\":\"the MARK model\",\"user\":\"MARK\",\"id\":\"MARK\",\"stop\":[\"MARK\"]}",
        "{\"content\":[{\"type\":\"tool_use\",\"input\":{\"MARK\":{\"MARK\":\"MARK\"}}}]}",
        "{\"choices\":[{\"model\":\"MARK\",\"system_fingerprint\":\"MARK\"}]}",
        "{\"metadata\":{\"deep\":{\"MARK\":{\"MARK\":1}}}}",
        "{\"arguments\":{\"a\":{\"MARK\":[{\"MARK\":true}]}}}",
        "{\"tools\":[{\"function\":{\"parameters\":{\"type\":\"object\",\"$defs\":{\"MARK\":{"
        "\"properties\":{\"MARK\":{\"enum\":[\"MARK\"]}}}},\"required\":[\"MARK\"]}}}]}",
        "{\"chat_template_kwargs\":{\"MARK\":true}}",
        "{\"MARK\":{\"role\":\"user\",\"MARK\":1}}",
        "{\"unknown\":{\"role\":{\"MARK\":\"user\"}}}",
        "{\"m\\u0065tadata\":{\"deep\":{\"M\\u0041RK\":{\"MARK\":1}}}}",
        "{\"model\" MARK :\"m\" MARK ] } MARK \"MARK",
        "{\"messages\":[{\"content\":\"MARK\n\ndata: {\"MARK\":1}",
};

Test(redact_everything, takes_words_from_wherever_somebody_may_have_written_them)
{
	for (size_t i = 0; i < ARRAY_LEN(WRITTEN); i++) {
		expect_gone(WRITTEN[i], "MARK");
		char *copy = redacted(WRITTEN[i]);
		cr_expect_null(strstr(copy, "words"), "%s", copy);
		cr_expect_null(strstr(copy, "M\\u0041RK"), "%s", copy);
		free(copy);
	}
}

Test(redact_everything, takes_numbers_that_measure_nothing_known)
{
	expect_gone("{\"metadata\":{\"salary\":123456,\"seed\":123456}}", "123456");
	expect_gone("{\"arguments\":{\"a\":[{\"n\":123456}]}}", "123456");
	expect_gone("{\"user\":123456,\"salary\":[123456]}", "123456");
	expect_gone("[123456]", "123456");
}

Test(redact_everything, leaves_what_interfaces_define)
{
	expect_same("{\"model\":\"org/Model-7B:q4\",\"temperature\":0.5,\"seed\":42,\"logprobs\":"
	            "true,\"max_tokens\":100,\"stream\":true,\"response_format\":{\"type\":"
	            "\"json_object\"},\"tool_choice\":\"auto\",\"reasoning_effort\":\"low\"}");
	expect_same("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":"
	            "0,\"delta\":{\"type\":\"text_delta\",\"text\":\"\"}}\n\ndata: [DONE]\n\n");
	expect_same("data: {\"type\":\"response.completed\",\"response\":{\"object\":\"response\","
	            "\"model\":\"m\",\"status\":\"completed\",\"usage\":{\"input_tokens\":12345}}}"
	            "\r\n\r\n");
}

Test(redact_everything, leaves_calls_that_a_stream_names_again_one_call)
{
	char *copy = redacted(
	        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,"
	        "\"id\":\"call_1\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\n\n"
	        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,"
	        "\"id\":\"call_1\",\"function\":{\"name\":\"f\",\"arguments\":\"}\"}}]}}]}\n\n");
	cr_expect_null(strstr(copy, "call_1"));
	struct reading *r = read_body(copy, FRAMING_SSE);
	cr_assert_eq(r->n_choices, 1);
	cr_expect_eq(r->choices[0].n_calls, 1);
	reading_destroy(r);
	free(copy);
}
