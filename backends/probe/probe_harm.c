/* Tests what a request for logprobs does to a stream: does its text change, and how much longer
 * does it take? */
#include "backends/probe/probing.h"
#include "base/ascii.h"
#include "base/utf8.h"

/* Most vocabularies have no token for these characters. */
#define SIGNS                                                                                      \
	"\xf0\x93\x80\x80 \xf0\x93\x80\x81 \xf0\x9f\xa6\x8a \xf0\x93\x80\x80 \xf0\x93\x80\x81 "    \
	"\xf0\x9f\xa6\x8a \xf0\x93\x80\x80 \xf0\x93\x80\x81 \xf0\x9f\xa6\x8a "
#define SLOW_FACTOR 2
#define SLOW_US 200000 /* and at least so much longer */
#define SLOW_REPEATS 2
#define SHOWN 60
#define SHOWN_BEFORE 20 /* of it, at most so much before the difference */
/* repeats of a different text; where noise decides a tie, 1 probe of 100,000 passes them */
#define CONFIRMATIONS 8

struct stream_answer {
	bool good;
	struct reply reply;
};

static struct stream_answer ask_stream(struct probing *p, enum endpoint e, bool logprobs)
{
	struct stream_answer t = {0};
	t.good = probing_ask(p,
	        &(struct question){.endpoint = e,
	                .text = e == ENDPOINT_CHAT ? "Say this again: " SIGNS : SIGNS,
	                .members = "\"max_tokens\":32,\"temperature\":0",
	                .top = logprobs ? PROBE_TOP : 0,
	                .stream = true},
	        &t.reply);
	return t;
}

static bool is_same(const struct stream_answer *a, const struct stream_answer *b)
{
	return span_equal(reply_text(&a->reply), reply_text(&b->reply));
}

static void report_text(
        struct probing *p, const struct stream_answer *plain, const struct stream_answer *with)
{
	struct span a = reply_text(&plain->reply), b = reply_text(&with->reply);
	bool same = is_same(plain, with);
	size_t shared = span_shared(a, b);
	size_t from = same || shared < SHOWN_BEFORE ? 0 : utf8_cut(a, shared - SHOWN_BEFORE).len;
	const char *dots = from ? "…" : "";
	const char *was = probing_quote(p, span_from(a, from), SHOWN);
	const char *is = probing_quote(p, span_from(b, from), SHOWN);
	const char *evidence = probing_text(p, "%s -> \"%s%s\"; without logprobs \"%s%s\"",
	        with->reply.request, dots, is, dots, was);
	probing_capability(p, "logprobs.text", same ? STANDING_HONOURED : STANDING_WRONG,
	        same ? NULL : "another text", evidence);
	if (!same) {
		probing_finding(p, "logprobs.spoil", SEVERITY_FAULT,
		        "A stream with logprobs has another text than one without", evidence,
		        "Do not ask for logprobs in streams of this engine: logprobs.inject: off, "
		        "and replay without streams.");
	}
}

static bool is_slow(uint64_t us, uint64_t plain_us)
{
	return us >= SLOW_FACTOR * plain_us && us > plain_us + SLOW_US;
}

/* Returns the shortest time of streams with logprobs, of which `us` is the first. A stream that a
 * busy machine delayed is no slow one, so this asks again while all were slow. */
static uint64_t shortest_time(struct probing *p, enum endpoint e, uint64_t us, uint64_t plain_us)
{
	for (size_t i = 0; i < SLOW_REPEATS && is_slow(us, plain_us); i++) {
		struct stream_answer again = ask_stream(p, e, true);
		us = again.good ? MIN(us, again.reply.answer.total_us) : us;
		reply_finish(&again.reply);
	}
	return us;
}

/* us: the time with logprobs. True: it is too long. */
static bool report_time(
        struct probing *p, uint64_t plain_us, uint64_t us, const struct stream_answer *with)
{
	double ratio = (double)us / (double)(plain_us ? plain_us : 1);
	bool slow = is_slow(us, plain_us);
	const char *evidence = probing_text(p, "%s -> %.2f s; without logprobs %.2f s",
	        with->reply.request, (double)us / 1e6, (double)plain_us / 1e6);
	probing_capability(p, "logprobs.time", slow ? STANDING_WRONG : STANDING_HONOURED,
	        probing_text(p, "%.1f times as long", ratio), evidence);
	if (slow) {
		probing_finding(p, "logprobs.slow", SEVERITY_WARNING,
		        probing_text(p, "A stream takes %.1f times as long with logprobs", ratio),
		        evidence,
		        "As a primary it makes clients wait: logprobs.inject: references. As a "
		        "reference it needs a smaller sample.");
	}
	return slow;
}

static bool gives(const struct probing *p, const char *name)
{
	return probe_capability(p->report, name)->standing == STANDING_HONOURED;
}

/* Repeats both requests. True: all texts without logprobs are equal, and all texts with logprobs
 * differ from them. */
static bool is_confirmed(struct probing *p, enum endpoint e, const struct stream_answer *plain)
{
	bool confirmed = true;
	for (size_t i = 0; confirmed && i < CONFIRMATIONS; i++) {
		struct stream_answer with = ask_stream(p, e, true);
		struct stream_answer again = ask_stream(p, e, false);
		confirmed =
		        with.good && again.good && !is_same(plain, &with) && is_same(plain, &again);
		reply_finish(&with.reply);
		reply_finish(&again.reply);
	}
	return confirmed;
}

/* Asks without logprobs, with them, and without them again. If the two answers without them differ,
 * the comparison shows nothing. Returns whether harm was found. */
static bool compare(struct probing *p, enum endpoint e)
{
	struct stream_answer t[3];
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		t[i] = ask_stream(p, e, i == 1);
	}
	bool harm = false;
	if (t[0].good && t[1].good && t[2].good && is_same(&t[0], &t[2])) {
		uint64_t plain_us = MIN(t[0].reply.answer.total_us, t[2].reply.answer.total_us);
		uint64_t us = shortest_time(p, e, t[1].reply.answer.total_us, plain_us);
		bool same = is_same(&t[0], &t[1]);
		if (same || is_confirmed(p, e, &t[0])) {
			report_text(p, &t[0], &t[1]);
			harm = !same;
		}
		harm |= report_time(p, plain_us, us, &t[1]);
	}
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		reply_finish(&t[i].reply);
	}
	return harm;
}

void probe_harm(struct probing *p)
{
	/* Chats are more common. Completions are tested only if chats showed no harm. */
	bool harm = gives(p, "logprobs.chat_stream") && compare(p, ENDPOINT_CHAT);
	if (!harm && gives(p, "logprobs.completion_stream")) {
		compare(p, ENDPOINT_COMPLETION);
	}
}
