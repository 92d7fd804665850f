#include "answers/api/framing.h"

#include "tests/unit/readings.h"

static enum framing detected(const char *head, enum framing declared)
{
	return framing_of_bytes(span_of(head), declared);
}

Test(framing, a_type_tells_it_or_leaves_it_open)
{
	cr_assert_eq(framing_of_type(SPAN("text/event-stream; charset=utf-8")), FRAMING_SSE);
	cr_assert_eq(framing_of_type(SPAN("Application/X-NDJSON")), FRAMING_NDJSON);
	cr_assert_eq(framing_of_type(SPAN("application/json")), FRAMING_UNARY);
	cr_assert_eq(framing_of_type(SPAN("text/plain")), FRAMING_UNKNOWN);
	cr_assert_eq(framing_of_type(SPAN("")), FRAMING_UNKNOWN);
}

Test(framing, the_first_bytes_tell_more_than_the_type)
{
	static const enum framing all[] = {
	        FRAMING_UNKNOWN, FRAMING_UNARY, FRAMING_SSE, FRAMING_NDJSON};
	static const char *const events[] = {"data:", "event: x", ": ping", ":", "id: 1",
	        "retry: 3",
	        "\xef\xbb\xbf"
	        "data: {"};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		for (size_t k = 0; k < ARRAY_LEN(events); k++) {
			cr_assert_eq(detected(events[k], all[i]), FRAMING_SSE, "%s", events[k]);
		}
		enum framing one = all[i] == FRAMING_NDJSON ? FRAMING_NDJSON : FRAMING_UNARY;
		cr_assert_eq(detected("{\"a\"", all[i]), one);
		cr_assert_eq(detected("\n [", all[i]), one);
		cr_assert_eq(detected("", all[i]), FRAMING_UNKNOWN);
		cr_assert_eq(detected(" \r\n", all[i]), FRAMING_UNKNOWN);
	}
	cr_assert_eq(detected("dat", FRAMING_UNARY), FRAMING_UNKNOWN, "it may become data:");
	cr_assert_eq(detected("dato", FRAMING_UNKNOWN), FRAMING_UNARY);
	cr_assert_eq(detected("Internal Server Error", FRAMING_SSE), FRAMING_SSE);
}

Test(framing, a_body_is_lines_if_a_document_follows_another_on_a_new_line)
{
	cr_assert(framing_is_lines(SPAN("{\"a\":1}\n{\"b\":2}\n")));
	cr_assert(framing_is_lines(SPAN("{\"a\":1} \r\n\r\n{")));
	cr_assert_not(framing_is_lines(SPAN("{\"a\":1}\n")));
	cr_assert_not(framing_is_lines(SPAN("{\n  \"a\": {}\n}\n")));
	cr_assert_not(framing_is_lines(SPAN("{\"a\":1}\nnot json")));
	cr_assert_not(framing_is_lines(SPAN("")));
}

static void note_line(void *arg, struct span raw)
{
	buf_append_char(arg, '<');
	buf_append_span(arg, raw);
	buf_append_char(arg, '>');
}

Test(framing, lines_come_whole_however_they_are_fed)
{
	static const char text[] = "one\n\n \r\ntwo\r\nthree";
	for (size_t step = 1; step < sizeof(text); step++) {
		struct lines l = {.limit = 16};
		struct buf got = {0};
		for (size_t at = 0; at < sizeof(text) - 1; at += step) {
			size_t n = MIN(step, sizeof(text) - 1 - at);
			cr_assert_eq(
			        lines_feed(&l, (struct span){text + at, n}, note_line, &got), 0);
		}
		lines_end(&l, note_line, &got);
		cr_assert_str_eq(buf_cstr(&got), "<one\n><\n>< \r\n><two\r\n><three>");
		lines_finish(&l);
		buf_finish(&got);
	}
}

Test(framing, a_line_over_the_limit_ends_the_reading)
{
	struct lines l = {.limit = 4};
	struct buf got = {0};
	cr_assert_lt(lines_feed(&l, SPAN("ab\nabcd\n"), note_line, &got), 0);
	cr_assert_str_eq(buf_cstr(&got), "<ab\n>");
	lines_finish(&l);
	buf_finish(&got);
}

static struct reading *read_as(enum framing declared, const char *body)
{
	return read_with(
	        (struct reading_hints){
	                .endpoint = ENDPOINT_CHAT, .status = 200, .framing = declared},
	        body);
}

Test(framing, an_answer_is_read_as_what_it_is)
{
	static const enum framing all[] = {
	        FRAMING_UNKNOWN, FRAMING_UNARY, FRAMING_SSE, FRAMING_NDJSON};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct reading *r = read_as(all[i], DELTA("\"content\":\"a\"") FINISH);
		assert_text(&r->choices[0].text, "a");
		cr_assert(r->marks == 0 && r->n_events == 3);
		reading_destroy(r);

		r = read_as(all[i], CHOICE("\"text\":\"b\""));
		assert_text(&r->choices[0].text, "b");
		cr_assert_eq(r->marks & ~(uint32_t)READING_NO_DONE, 0);
		reading_destroy(r);

		r = read_as(all[i], "{\"error\":{\"message\":\"no\"}}");
		cr_assert_str_eq(r->error, "no");
		reading_destroy(r);

		r = read_as(all[i], "{\"response\":\"a\",\"done\":false}\n{\"response\":\"b\","
		                    "\"done\":true,\"done_reason\":\"stop\"}\n");
		assert_text(&r->choices[0].text, "ab");
		cr_assert(r->marks == 0 && r->n_events == 2);
		reading_destroy(r);
	}
}
