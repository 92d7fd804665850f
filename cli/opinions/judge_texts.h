#pragma once
/*
 * judge_texts - the texts of one pair of answers, read from the capture for a judge.
 */
#include "capture/capture.h"
#include "cli/opinions/judge_list.h"

struct judge_texts {
	uint64_t body_bytes; /* bytes of the exchange's request body */
	struct buf request, base, test;
};

/* Reads the request and both answers of the item as texts. False: the pair cannot be read. Call
 * judge_texts_finish() in both cases. */
bool judge_texts_read(struct capture *c, const struct judge_item *item, struct judge_texts *ret);
void judge_texts_finish(struct judge_texts *t);
