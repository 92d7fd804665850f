#include "answers/flaw.h"

#include <string.h>

#include <criterion/criterion.h>

#include "base/check.h"
#include "answers/pulse.h"

#define CHUNK(rest) "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}," rest "}]}\n\n"
#define MESSAGE(rest) "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"}" rest "}]}"
#define DONE "data: [DONE]\n\n"

struct body {
	enum framing framing;
	enum flaw flaw;
	const char *text;
};

static enum flaw flaw_of(const struct body *b, enum endpoint endpoint)
{
	const struct reading_hints hints = {
	        .endpoint = endpoint, .status = 200, .framing = b->framing};
	struct reader *reader = reader_create(&hints);
	reader_feed(reader, b->text, strlen(b->text));
	struct reading *r = reader_end(reader, true);
	enum flaw f = flaw_of_marks(r->marks);
	reading_destroy(r);
	return f;
}

static enum flaw flaw_of_pulse(const struct body *b)
{
	struct pulse p;
	pulse_begin(&p, b->framing == FRAMING_SSE);
	pulse_feed(&p, 1, b->text, strlen(b->text));
	pulse_end(&p, 2);
	enum flaw f = flaw_of_marks(pulse_marks(&p));
	pulse_finish(&p);
	return f;
}

static void check(const struct body *bodies, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(flaw_of(&bodies[i], ENDPOINT_CHAT), bodies[i].flaw, "%s is %d",
		        bodies[i].text, flaw_of(&bodies[i], ENDPOINT_CHAT));
		cr_expect_eq(flaw_of_pulse(&bodies[i]), bodies[i].flaw, "pulse: %s is %d",
		        bodies[i].text, flaw_of_pulse(&bodies[i]));
	}
}

Test(flaw, a_stream_is_whole_when_each_of_its_choices_has_a_finish_reason)
{
	static const struct body bodies[] = {
	        {FRAMING_SSE, FLAW_NONE, CHUNK("\"finish_reason\":\"stop\"") DONE},
	        {FRAMING_SSE, FLAW_NONE, CHUNK("\"finish_reason\":\"length\"")},
	        {FRAMING_SSE, FLAW_NONE,
	                "data: \n\n" CHUNK("\"finish_reason\":\"stop\"") "data:\n\n"},
	        {FRAMING_SSE, FLAW_NONE,
	                CHUNK("\"finish_reason\":\"\"") CHUNK("\"finish_reason\":\"eos_token\"")
	                        DONE},
	        {FRAMING_SSE, FLAW_NONE,
	                CHUNK("\"finish_reason\":\"stop\"") CHUNK("\"finish_reason\":null") DONE},
	        {FRAMING_SSE, FLAW_UNFINISHED, CHUNK("\"finish_reason\":null")},
	        {FRAMING_SSE, FLAW_UNFINISHED, CHUNK("\"finish_reason\":null") DONE},
	        {FRAMING_SSE, FLAW_UNFINISHED, CHUNK("\"x\":1") DONE},
	        {FRAMING_SSE, FLAW_UNFINISHED, CHUNK("\"finish_reason\":\"\"") DONE},
	        {FRAMING_SSE, FLAW_UNFINISHED, CHUNK("\"finish_reason\":\"null\"") DONE},
	        {FRAMING_SSE, FLAW_UNFINISHED,
	                CHUNK("\"finish_reason\":\"stop\"") "data: "
	                                                    "{\"choices\":[{\"index\":1,\"delta\":{"
	                                                    "\"content\":\"b\"}}]}"
	                                                    "\n\n" DONE},
	};
	check(bodies, ARRAY_LEN(bodies));
}

Test(flaw, an_answer_that_the_engine_aborted_is_not_whole)
{
	static const struct body bodies[] = {
	        {FRAMING_SSE, FLAW_ABORTED, CHUNK("\"finish_reason\":\"abort\"") DONE},
	        {FRAMING_SSE, FLAW_ABORTED,
	                CHUNK("\"finish_reason\":{\"type\":\"abort\",\"message\":\"gone\"}") DONE},
	        {FRAMING_SSE, FLAW_ABORTED, CHUNK("\"finish_reason\":\"error\"") DONE},
	        {FRAMING_UNARY, FLAW_ABORTED, MESSAGE(",\"finish_reason\":\"abort\"")},
	        {FRAMING_UNARY, FLAW_ABORTED,
	                MESSAGE(",\"finish_reason\":\"insufficient_system_resource\"")},
	        {FRAMING_UNARY, FLAW_UNKNOWN_FINISH, MESSAGE(",\"finish_reason\":\"tired\"")},
	        {FRAMING_SSE, FLAW_UNKNOWN_FINISH, CHUNK("\"finish_reason\":\"tired\"") DONE},
	        {FRAMING_UNARY, FLAW_NONE, MESSAGE(",\"finish_reason\":\"content_filter\"")},
	        {FRAMING_UNARY, FLAW_NONE, MESSAGE(",\"finish_reason\":{\"type\":\"stop\"}")},
	};
	check(bodies, ARRAY_LEN(bodies));
}

Test(flaw, an_answer_with_an_error_or_with_nothing_in_it_is_not_whole)
{
	static const struct body bodies[] = {
	        {FRAMING_SSE, FLAW_ERROR,
	                CHUNK("\"finish_reason\":null") "data: "
	                                                "{\"error\":{\"message\":\"x\"}}\n\n"},
	        {FRAMING_SSE, FLAW_ERROR,
	                CHUNK("\"finish_reason\":\"stop\"") "data: {\"error\":\"x\"}\n\n" DONE},
	        {FRAMING_SSE, FLAW_ERROR, "event: error\ndata: {\"message\":\"x\"}\n\n"},
	        {FRAMING_UNARY, FLAW_ERROR,
	                "{\"object\":\"error\",\"message\":\"x\",\"code\":400}"},
	        {FRAMING_UNARY, FLAW_ERROR, "{\"code\":\"Throttling\",\"message\":\"x\"}"},
	        {FRAMING_UNARY, FLAW_EMPTY, "{\"code\":200,\"msg\":\"ok\",\"data\":{\"x\":\"y\"}}"},
	        {FRAMING_UNARY, FLAW_EMPTY, "{\"choices\":[],\"message\":\"x\"}"},
	        {FRAMING_SSE, FLAW_EMPTY, DONE},
	        {FRAMING_SSE, FLAW_EMPTY, ": ping\n\n"},
	        {FRAMING_SSE, FLAW_EMPTY, "data: {\"choices\":[],\"usage\":{}}\n\n" DONE},
	        {FRAMING_UNARY, FLAW_EMPTY, "{\"choices\":[]}"},
	        {FRAMING_UNARY, FLAW_EMPTY, "{\"id\":\"x\"}"},
	        {FRAMING_UNARY, FLAW_MALFORMED, "<html>busy</html>"},
	        {FRAMING_UNARY, FLAW_MALFORMED, "{\"choices\":[{\"message\":{\"content\":\"a\""},
	        {FRAMING_SSE, FLAW_MALFORMED,
	                "data: {\"choices\":[{\n\n" CHUNK("\"finish_reason\":\"stop\"") DONE},
	        {FRAMING_UNARY, FLAW_NONE, MESSAGE(",\"finish_reason\":\"stop\"")},
	};
	check(bodies, ARRAY_LEN(bodies));
}

Test(flaw, an_answer_that_comes_whole_may_lack_a_reason_but_not_deny_one)
{
	static const struct body bodies[] = {
	        {FRAMING_UNARY, FLAW_NONE, MESSAGE("")},
	        {FRAMING_UNARY, FLAW_UNFINISHED, MESSAGE(",\"finish_reason\":null")},
	};
	static const struct body native[] = {
	        {FRAMING_UNARY, FLAW_NONE, "{\"generated_text\":\"a\"}"},
	        {FRAMING_UNARY, FLAW_NONE, "{\"model\":\"m\",\"response\":\"a\",\"done\":true}"},
	        {FRAMING_UNARY, FLAW_UNFINISHED,
	                "{\"model\":\"m\",\"response\":\"a\",\"done\":false}"},
	        {FRAMING_UNARY, FLAW_ABORTED,
	                "{\"text\":\"a\",\"meta_info\":{\"id\":\"1\",\"finish_reason\":{\"type\":"
	                "\"abort\",\"message\":\"x\"}}}"},
	        {FRAMING_NDJSON, FLAW_UNFINISHED,
	                "{\"model\":\"m\",\"response\":\"a\",\"done\":false}\n"},
	};
	check(bodies, ARRAY_LEN(bodies));
	for (size_t i = 0; i < ARRAY_LEN(native); i++) {
		cr_expect_eq(flaw_of(&native[i], ENDPOINT_NATIVE_GENERATE), native[i].flaw, "%s",
		        native[i].text);
	}
}

Test(flaw, other_services_owe_no_choices)
{
	static const struct body models = {
	        FRAMING_UNARY, FLAW_NONE, "{\"object\":\"list\",\"data\":[]}"};
	static const enum endpoint others[] = {
	        ENDPOINT_OTHER, ENDPOINT_MESSAGES, ENDPOINT_EMBEDDING, ENDPOINT_NATIVE_GENERATE};
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		cr_expect_eq(flaw_of(&models, others[i]), FLAW_NONE);
	}
}

Test(flaw, its_words_name_the_reason_in_plain_characters)
{
	char text[FLAW_TEXT_SIZE];
	flaw_print(FLAW_ABORTED, "abort", text);
	cr_assert_str_eq(text, "aborted by the engine: finish reason \"abort\"");
	flaw_print(FLAW_UNKNOWN_FINISH, "tired\033[31m\"\xff", text);
	cr_assert_str_eq(text, "unknown finish reason \"tired?[31m??\"");
	flaw_print(FLAW_UNKNOWN_FINISH, NULL, text);
	cr_assert_str_eq(text, "unknown finish reason");
	flaw_print(FLAW_UNFINISHED, "stop", text);
	cr_assert_str_eq(text, "no finish reason");
	char longest[300] = {0};
	memset(longest, 'a', sizeof(longest) - 1);
	flaw_print(FLAW_UNKNOWN_FINISH, longest, text);
	cr_assert_lt(strlen(text), sizeof(text));
}
