/*
 * The first bytes choose whether the rest is a stream, and how it is split. The split changes
 * neither the number of events nor the gaps between them.
 */
#include "answers/pulse.h"

#include "base/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct pulse run(struct span body, bool stream, size_t step)
{
	struct pulse p;
	uint64_t now = 1000;
	pulse_begin(&p, stream);
	for (size_t at = 0; at < body.len; at += step, now += 1000000) {
		pulse_feed(&p, now, body.data + at, MIN(step, body.len - at));
	}
	pulse_end(&p, now);
	expect(p.n_gaps == (p.n_choices ? p.n_choices - 1 : 0));
	expect(!p.first_choice == !p.n_choices && p.first_choice <= p.last_choice);
	expect(p.first_content <= p.last_content && p.last_choice <= now);
	expect(!p.first_output || p.first_output >= p.first_content);
	return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2) {
		return 0;
	}
	struct span body = {(const char *)data + 2, size - 2};
	bool stream = data[0] & 1;
	struct pulse whole = run(body, stream, body.len + 1);
	struct pulse split = run(body, stream, data[1] + 1u);
	expect(whole.n_choices == split.n_choices && whole.error == split.error);
	expect(whole.usage.prompt_tokens == split.usage.prompt_tokens);
	expect(whole.usage.completion_tokens == split.usage.completion_tokens);
	expect(!whole.first_content == !split.first_content);
	pulse_finish(&whole);
	pulse_finish(&split);
	return 0;
}
