#pragma once
/*
 * cause_talk - does an answer say what belongs to another request? Looked for are runs of
 * CAUSE_WORDS_RUN words that an answer has and neither its own request nor the other side's answer
 * has, in the requests and answers of the exchanges around it. That these were under way at the same
 * time is what tells a mix-up from common phrases: exchanges that were not are the control.
 *
 * Bounded: the runs of the last CAUSE_TALK_WINDOW exchanges' texts, each cut to CAUSE_TALK_TEXT bytes; an
 * answer is held against a quarter as many before it and after it at least. Merged in order, the same
 * exchanges give the same counts.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/causes/cause_words.h"
#include "base/buf.h"

#define CAUSE_TALK_WINDOW 512
#define CAUSE_TALK_TEXT CAUSE_WORDS_TEXT

struct talk_record;

struct cause_talk_side {
	uint64_t heard;     /* answers with words of an exchange under way at the same time */
	uint64_t elsewhere; /* with words of others only */
	double chance;      /* sum over both: the share of exchanges that were under way */
	uint64_t greedy_heard;
	struct cause_exchanges exchanges;
};

struct cause_talk { /* zero-initialised is empty */
	struct talk_record *records;
	size_t n;
	size_t judged; /* of these, from the first on */
	struct cause_talk_side base, test;
};

struct cause_talk_time {
	uint64_t start_ns, end_ns;
};

struct cause_talk_pair {
	struct id exchange;
	struct cause_talk_time base_time, test_time; /* when each answer was under way */
	struct span request;                         /* the body */
	struct span base, test;                      /* answers */
	bool differ, greedy;
};

/* Exchanges come in order. At most CAUSE_TALK_WINDOW between two merges: more are let
 * go. */
void cause_talk_add(struct cause_talk *t, const struct cause_talk_pair *pair);
/*
 * other's exchanges came after; their texts are taken, and it is left with none. words: where those are indexed that are judged; empty
 * before and after, its memory may serve all talks of a thread, one after another.
 */
void cause_talk_merge(struct cause_talk *t, struct cause_talk *other, struct cause_words *words);
/* Once, after the last pair. */
void cause_talk_settle(struct cause_talk *t, struct cause_words *words);
void cause_talk_finish(struct cause_talk *t);
/* How likely so many answers would have met words of exchanges under way, were it all the same to them
 * which exchanges were; NaN: none met any. */
double cause_talk_p(const struct cause_talk_side *s);
