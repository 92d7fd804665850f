#pragma once
/*
 * pulse - when an answer's tokens came, and how many they were: what load tools measure, told while the
 * bytes pass. Texts and logprobs are the reading's business, not ours.
 *
 * pulse_feed() each piece of the de-chunked body with the time at which it came, pulse_end() once. Times
 * are clock_mono() ns; 0: never. An answer with a content coding tells nothing. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/sse.h"
#include "answers/flaw.h"

struct pulse {
	bool stream; /* the answer is events */
	bool coded;  /* it has a content coding: set after pulse_begin() */
	/* Events with choices, the first and the last: what vLLM's benchmark counts. */
	uint64_t first_choice, last_choice;
	uint64_t
	        first_content; /* with text, reasoning or a tool call in it: AIPerf's first token */
	uint64_t first_output; /* with anything but reasoning */
	uint64_t last_content;
	uint32_t n_choices;  /* events with choices */
	uint32_t n_contents; /* events with content */
	uint32_t *gaps;      /* microseconds between events with choices: n_choices - 1 of them */
	size_t n_gaps, gaps_room;
	int64_t prompt_tokens, completion_tokens; /* -1: not said */
	bool error;                               /* an error object came, also in mid-stream */
	char finish[32]; /* a finish reason that says aborted, or is not known; cut to fit */
	/* internal: */
	bool compared, parted;
	struct span script; /* what the first choice's text is held against */
	size_t script_at;   /* bytes of it that came; where it parted */
	struct buf heard;
	uint32_t marks;
	struct {
		bool begun, ended; /* ended: it has a finish reason */
	} choices[READING_CHOICES_LIMIT];
	struct sse sse;
	struct buf whole;
	uint64_t now;
	bool overflow;
};

void pulse_begin(struct pulse *p, bool stream);
/*
 * Holds the first choice's text against another while it comes; text must outlive the pulse. After
 * pulse_begin(), before the first byte.
 */
void pulse_compare(struct pulse *p, struct span text);
/* After pulse_end(): does it part from that text, and behind how many of its bytes? */
bool pulse_parted(const struct pulse *p, size_t *ret_at);
void pulse_feed(struct pulse *p, uint64_t now, const char *data, size_t len);
void pulse_end(struct pulse *p, uint64_t now);
/* Why the answer is not whole, in text, after pulse_end(); NULL: it is, or is coded. */
const char *pulse_failure(const struct pulse *p, char text[FLAW_TEXT_SIZE]);
/*
 * After pulse_end(), of an answer of a chat or a completion that ended as its framing said: the
 * marks that flaw_of_marks() knows, as a reader would set them.
 */
uint32_t pulse_marks(const struct pulse *p);
void pulse_finish(struct pulse *p);
