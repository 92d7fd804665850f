/* Secrets that are spread over the events of a stream. */
#include <criterion/criterion.h>

#include "redacting.h"

#define MAIL "ann@example.org"
#define CARD "4111 1111 1111 1111"
#define KEY "sk-proj-Ab12Cd34Ef56"

TestSuite(redact_events, .init = setup, .fini = teardown);

Test(redact_events, a_secret_is_found_over_the_events_of_a_stream)
{
	struct buf b = {0};
	const char *text = "Mail " MAIL " or " CARD " ok";
	for (const char *p = text; *p; p++) {
		buf_printf(&b,
		        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%c\"}},"
		        "{\"delta\":{\"content\":\"-\"},\"index\":1}]}\n\n",
		        *p);
	}
	buf_append_str(&b, "data: [DONE]\n\n");
	char *copy = redacted(buf_cstr(&b));
	struct reading *r = read_body(copy, FRAMING_SSE);
	cr_assert_eq(r->n_choices, 2);
	struct span got = span_of(buf_cstr(&r->choices[0].text));
	cr_expect_eq(got.len, strlen(text));
	cr_expect_null(strstr(got.data, "ann"), "%s", got.data);
	cr_expect_null(strstr(got.data, "4111"), "%s", got.data);
	cr_expect_eq(memcmp(got.data, "Mail ", 5), 0);
	cr_expect_str_eq(got.data + got.len - 3, " ok");
	/* The result must be as for one piece. */
	char *whole = redacted(
	        "{\"choices\":[{\"message\":{\"content\":\"Mail " MAIL " or " CARD " ok\"}}]}");
	cr_expect_not_null(strstr(whole, got.data), "%s / %s", whole, got.data);
	reading_destroy(r);
	free(whole);
	free(copy);
	buf_finish(&b);
}

static const char SPLIT[] = "Mail " MAIL " or " CARD " or " KEY " ok";

/* Writes the event, with its number in place of # and a piece of a text in place of ~. Returns
 * where the piece begins. */
static size_t put_event(struct buf *b, const char *event, size_t number, struct span piece)
{
	size_t at = 0;
	for (; *event; event++) {
		if (*event == '#') {
			buf_printf(b, "%zu", number);
		} else if (*event == '~') {
			at = b->len;
			buf_append_span(b, piece);
		} else {
			buf_append_char(b, *event);
		}
	}
	return at;
}

/* Tests pieces of all lengths. */
static void expect_found_in_events(const char *event)
{
	for (size_t size = 1; size < 6; size++) {
		struct buf b = {0}, got = {0};
		size_t places[sizeof(SPLIT)], n = 0;
		for (size_t at = 0; at < strlen(SPLIT); at += size, n++) {
			struct span piece = {SPLIT + at, MIN(size, strlen(SPLIT) - at)};
			places[n] = put_event(&b, event, n, piece);
		}
		char *copy = redacted(buf_cstr(&b));
		for (size_t i = 0; i < n; i++) {
			size_t left = strlen(SPLIT) - i * size;
			buf_append(&got, copy + places[i], MIN(size, left));
		}
		const char *text = buf_cstr(&got);
		cr_expect_null(strstr(text, "ann"), "%s", text);
		cr_expect_null(strstr(text, "example"), "%s", text);
		cr_expect_null(strstr(text, "1111"), "%s", text);
		cr_expect_null(strstr(text, "Cd34"), "%s", text);
		cr_expect_eq(memcmp(text, "Mail ", 5), 0, "%s", text);
		cr_expect_not_null(strstr(text, " or "), "%s", text);
		free(copy);
		buf_finish(&got);
		buf_finish(&b);
	}
}

Test(redact_events, a_secret_is_found_over_events_that_are_numbered)
{
	expect_found_in_events("data:{\"index\":#,\"token\":{\"id\":7,\"text\":\"~\","
	                       "\"logprob\":-0.5,\"special\":false},\"generated_text\":null}\n\n");
	expect_found_in_events("data: {\"index\":#,\"delta\":{\"text\":\"~\"}}\n\n");
	expect_found_in_events("data: {\"choices\":[{\"index\":#,\"text\":\"~\"}]}\n\n");
	expect_found_in_events("{\"item_id\":\"x#\",\"response\":\"~\"}\n");
}

Test(redact_events, a_secret_is_found_over_events_whose_lists_have_no_indexes)
{
	expect_found_in_events("data: {\"choices\":[{\"delta\":{\"content\":\"~\"}},"
	                       "{\"delta\":{\"content\":\"-\"}}]}\n\n");
	expect_found_in_events(
	        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{"
	        "\"arguments\":\"~\"}},{\"function\":{\"arguments\":\"-\"}}]}}]}\n\n");
}

/* The secret's pieces are at the same place as those of other texts between them. */
Test(redact_events, a_secret_is_found_in_calls_that_only_their_ids_tell_apart)
{
#define PIECE(id, text) "{\"id\":\"" id "\",\"function\":{\"arguments\":\"" text "\"}}"
#define CALLS(pieces) "data: {\"choices\":[{\"delta\":{\"tool_calls\":[" pieces "]}}]}\n\n"
	expect_gone(CALLS(PIECE("a", "ann")) CALLS(PIECE("b", "bob@")) CALLS(PIECE("a", "@exam"))
	                    CALLS(PIECE("b", "x.org")) CALLS(PIECE("a", "ple.org")),
	        "ann");
	expect_gone(CALLS(PIECE("a", "ann") "," PIECE("b", "{"))
	                    CALLS(PIECE("b", "}") "," PIECE("a", "@example.org")),
	        "ann");
	expect_gone(CALLS(PIECE("a", "{}")) CALLS(PIECE("b", "ann"))
	                    CALLS(PIECE("", "@example.org")),
	        "ann");
	expect_gone(CALLS(PIECE("a", "ann@")) CALLS(PIECE("b", "zz zz")) CALLS(PIECE("a", "exam"))
	                    CALLS(PIECE("", "ple.org")),
	        "ple.org");
	expect_gone(CALLS(PIECE("a", "zz zz") "," PIECE("b", "ann@")) CALLS(PIECE("b", "exam"))
	                    CALLS(PIECE("", "ple.org")),
	        "ple.org");
#undef CALLS
#undef PIECE
}

Test(redact_events, a_secret_is_found_over_events_with_a_text_or_its_parts)
{
#define CONTENT(value) "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":" value "}}]}\n\n"
	expect_gone(CONTENT("[{\"type\":\"text\",\"text\":\"ann\"}]") CONTENT("\"@exam\"")
	                    CONTENT("[{\"type\":\"text\",\"text\":\"ple.org\"}]"),
	        "ann");
#undef CONTENT
}

/* Each event has all text so far, as SGLang's native events and some messages do. */
static void expect_found_in_text_so_far(const char *before, const char *after, bool with_empty)
{
	struct buf b = {0};
	for (size_t len = 1; len <= strlen(SPLIT); len++) {
		buf_printf(&b, "data: {%s%.*s%s}\n\n", before, (int)len, SPLIT, after);
		if (with_empty) {
			buf_printf(&b, "data: {%s%s}\n\n", before, after);
		}
	}
	char *copy = redacted(buf_cstr(&b));
	cr_expect_null(strstr(copy, "\"Mail a"), "%s", copy);
	cr_expect_null(strstr(copy, "4111"), "%s", copy);
	cr_expect_null(strstr(copy, "or 4"), "%s", copy);
	cr_expect_null(strstr(copy, "or sk"), "%s", copy);
	cr_expect_not_null(strstr(copy, "\"Mail \""), "%s", copy);
	cr_expect_not_null(strstr(copy, " ok\""), "%s", copy);
	free(copy);
	buf_finish(&b);
}

Test(redact_events, a_secret_is_found_over_events_that_have_all_text_so_far)
{
	for (int with_empty = 0; with_empty < 2; with_empty++) {
		expect_found_in_text_so_far(
		        "\"text\":\"", "\",\"meta_info\":{\"id\":\"x\"}", with_empty);
		expect_found_in_text_so_far("\"choices\":[{\"index\":0,\"message\":{\"content\":\"",
		        "\"}}]", with_empty);
	}
}

Test(redact_events, a_secret_is_found_over_events_of_raw_text)
{
	expect_found_in_events("id: #\ndata: ~\n\n");
	expect_found_in_events("id: #\r\ndata: ~\r\n\r\n");
}
