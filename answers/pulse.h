#pragma once
/*
 * pulse - measures the arrival times and the number of an answer's tokens while the bytes pass. It
 * does not read logprobs, and reads texts only to compare them (pulse_compare()).
 *
 * Call pulse_feed() with each piece of the body (without chunk frames) and its arrival time, then
 * pulse_end() once. Times are clock_mono() ns; 0: never. For an answer with a content coding the
 * times of tokens are not known. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/sse.h"
#include "answers/flaw.h"

struct pulse {
	bool stream; /* the answer is events: by its head, then by its first bytes */
	bool coded;  /* it has a content coding; set it after pulse_begin() */
	/* the first and last event with choices, as vLLM's benchmark counts */
	uint64_t first_choice, last_choice;
	/* first event with text, reasoning or a tool call: AIPerf's first token */
	uint64_t first_content;
	uint64_t first_output; /* first event with something other than reasoning */
	uint64_t last_content;
	uint32_t n_choices;  /* events with choices */
	uint32_t n_contents; /* events with content */
	uint32_t *gaps;      /* microseconds between events with choices: n_gaps, at most 2^20 */
	size_t n_gaps, gaps_cap;
	struct usage usage; /* complete after pulse_end() */
	/* an error object has arrived, perhaps in mid-stream */
	bool error;
	/* the finish reason, if it is FINISH_ABORTED or FINISH_UNKNOWN; cut to fit */
	char finish[32];
	/* internal: */
	bool framed; /* the first bytes have shown whether the body is events */
	bool compared, differs;
	struct span expected; /* the text to compare the first choice with */
	size_t expected_at;   /* bytes that arrived, up to the first difference */
	uint16_t half;        /* of a surrogate pair, at the end of the text so far */
	struct buf unescaped;
	uint32_t marks;
	struct {
		bool begun, ended; /* ended: there is a finish reason */
		int64_t tokens;    /* by the choice's own usage */
	} choices[READING_CHOICES_LIMIT];
	int64_t prompt_of_choices;
	struct sse sse;
	struct buf whole; /* a document, or the first bytes while the framing is not known */
	uint64_t now;
	bool overflow;
};

void pulse_begin(struct pulse *p, bool stream);
/* Compares the first choice's text with `text` while it arrives. text must outlive the pulse. Call
 * it after pulse_begin(), before the first byte. */
void pulse_compare(struct pulse *p, struct span text);
/* After pulse_end(): true if the first choice's text differs from that of pulse_compare(). *ret_at,
 * always set: the number of equal bytes at the beginning. */
bool pulse_differs(const struct pulse *p, size_t *ret_at);
void pulse_feed(struct pulse *p, uint64_t now, const char *data, size_t len);
void pulse_end(struct pulse *p, uint64_t now);
/* After pulse_end(): why the answer is not whole. Writes to `text` and returns it; NULL: it is
 * whole, or has a content coding. */
const char *pulse_failure(const struct pulse *p, char text[FLAW_TEXT_SIZE]);
/* After pulse_end(), for a chat or completion that ended as its framing said: the marks for
 * flaw_of_marks(), as a reader would set them. */
uint32_t pulse_marks(const struct pulse *p);
void pulse_finish(struct pulse *p);
