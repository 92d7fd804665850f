#include "answers/request_signs.h"

#include <criterion/criterion.h>
#include <string.h>

static struct span text_of(const char *s)
{
	return (struct span){s, strlen(s)};
}

static struct system_text system_of(const char *body)
{
	struct system_text s;
	request_system_text(text_of(body), &s);
	return s;
}

static void assert_system(const char *body, uint32_t words, uint32_t bytes)
{
	struct system_text s = system_of(body);
	cr_expect_eq(s.words, words, "%s: %u words", body, s.words);
	cr_expect_eq(s.bytes, bytes, "%s: %u bytes", body, s.bytes);
}

Test(request_signs, system_texts_are_counted_in_every_form)
{
	assert_system("{\"messages\":[{\"role\":\"system\",\"content\":\"Be  brief.\\n\"},"
	              "{\"role\":\"user\",\"content\":\"Hello you\"}]}",
	        2, 11);
	assert_system("{\"messages\":[{\"content\":[{\"type\":\"text\",\"text\":\"a b\"},"
	              "{\"type\":\"text\",\"text\":\"c\"}],\"role\":\"developer\"}]}",
	        3, 5);
	assert_system("{\"messages\":[1,{\"role\":\"system\",\"content\":\"late\"}]}", 1, 4);
	assert_system("{\"instructions\":\"Be kind\",\"input\":\"x\"}", 2, 7);
	assert_system("{\"input\":[{\"role\":\"system\",\"content\":\"one\"}]}", 1, 3);
	assert_system(
	        "{\"system\":[{\"type\":\"text\",\"text\":\"one two\"}],\"messages\":[]}", 2, 7);
}

Test(request_signs, others_are_no_system_texts)
{
	static const char *const NONE[] = {"", "{", "[]", "null", "{\"messages\":{}}",
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"the system\"}]}",
	        "{\"messages\":[{\"role\":\"system\",\"content\":null}]}",
	        "{\"messages\":[{\"role\":\"system\",\"content\":[7,[\"a\"]]}]}",
	        "{\"messages\":[{\"role\":\"system\",\"content\":\"cut", "{\"prompt\":\"system\"}"};
	for (size_t i = 0; i < sizeof(NONE) / sizeof(*NONE); i++) {
		assert_system(NONE[i], 0, 0);
	}
}

static bool stops(const char *body, const char *text)
{
	return request_stops_at(text_of(body), text_of(text));
}

Test(request_signs, a_stop_sequence_is_one_that_is_asked_for)
{
	cr_expect(stops("{\"stop\":\"\\n\"}", "\n"));
	cr_expect(stops("{\"stop\":[\"a\",\"END\"]}", "END"));
	cr_expect(stops("{\"stop\":[null,\"END\"]}", "END"));
	cr_expect(stops("{\"stop_sequences\":[\"END\"]}", "END"));
	cr_expect(stops("{\"options\":{\"stop\":[\"END\"]}}", "END"));
	cr_expect_not(stops("{\"stop\":[\"a\",\"END\"]}", "EN"));
	cr_expect_not(stops("{\"stop\":[\"a\",\"END\"]}", "END."));
	cr_expect_not(stops("{\"stop\":null}", "null"));
	cr_expect_not(stops("{\"stop\":7}", "7"));
	cr_expect_not(stops("{\"stop\":[\"a\"", "b"));
	cr_expect_not(stops("", "a"));
}
