/*
 * Any text as an answer with marks of reasoning and of calls. The first byte says whether tools
 * were offered, whether their names are known, and how the answer ended. Results are within the
 * text; everything but reasoning and calls is the answer.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/mem.h"
#include "answers/calls/text_calls.h"
#include "answers/reasoning_marks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The number of bytes of reasoning, with its marks. */
static size_t check_thoughts(const struct choice *c)
{
	size_t from = 0, sum = 0;
	for (size_t i = 0; i < c->n_thoughts; i++) {
		const struct thought *t = &c->thoughts[i];
		expect(from <= t->open && t->open <= t->from && t->from <= t->to);
		expect(t->to <= t->close && t->close <= c->text.len);
		from = t->close;
		sum += t->close - t->open;
	}
	return sum;
}

static size_t check_places(const struct choice *c, const struct buf *all)
{
	const struct text_place *places = (const struct text_place *)(const void *)all->data;
	size_t from = 0, sum = 0;
	for (size_t i = 0; i < all->len / sizeof(*places); i++) {
		expect(from <= places[i].from && places[i].from < places[i].to);
		expect(places[i].to <= c->text.len);
		from = places[i].to;
		sum += places[i].to - places[i].from;
	}
	return sum;
}

static void check_calls(const struct choice *c)
{
	for (size_t i = 0; i < c->n_calls; i++) {
		expect(c->calls[i].in_text && c->calls[i].name && c->calls[i].name[0]);
	}
}

static void check(const struct choice *c)
{
	struct buf answer = {0}, reasoning = {0}, places = {0};
	size_t thoughts = check_thoughts(c), calls = 0;
	check_calls(c);
	if (c->n_calls) {
		expect((text_calls_places(c, &places), places.len > 0));
		calls = check_places(c, &places);
		expect(calls > 0);
	}
	choice_answer(c, &answer);
	choice_reasoning(c, &reasoning);
	expect(thoughts + calls + answer.len <= c->text.len && reasoning.len <= thoughts);
	buf_finish(&answer);
	buf_finish(&reasoning);
	buf_finish(&places);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2) {
		return 0;
	}
	struct draft d;
	struct reading_hints hints = {.endpoint = ENDPOINT_CHAT, .has_tools = data[0] & 1};
	if (data[0] & 8) {
		/* Forms without a mark are recognised by the names alone. */
		offered_add(&hints.offered, SPAN("f"));
		offered_add(&hints.offered, SPAN("get_weather"));
	}
	draft_init(&d, &hints);
	struct reading *r = xcalloc(1, sizeof(*r));
	struct choice *c = r->choices = xcalloc(1, sizeof(*c));
	r->n_choices = 1;
	c->finish = data[0] & 2 ? xstrdup(data[0] & 4 ? "length" : "stop") : NULL;
	/* Exactly as long as the text, so that a sanitizer detects a read past the end. */
	c->text =
	        (struct buf){.data = xmemdup(data + 1, size - 1), .len = size - 1, .cap = size - 1};
	reasoning_marks_find(&d, c, NULL, 0, false);
	check(c);
	reading_destroy(r);
	draft_finish(&d);
	return 0;
}
