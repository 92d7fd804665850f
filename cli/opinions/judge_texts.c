#include "cli/opinions/judge_texts.h"

#include "analyzer/compare/meaning/task.h"

void judge_texts_finish(struct judge_texts *t)
{
	buf_finish(&t->request);
	buf_finish(&t->base);
	buf_finish(&t->test);
}

/* Reads the answer in a leg's choice; empty if it cannot be read. */
static void read_answer(struct capture *c, const struct capture_exchange *e, struct id leg,
        int32_t choice, struct buf *to)
{
	struct reading *r = NULL;
	for (size_t i = 0; i < e->n_legs && !r; i++) {
		if (id_compare(e->legs[i].row.id, leg) == 0 && capture_reading(c, e, i, &r) < 0) {
			return;
		}
	}
	const struct choice *answer = r ? reading_choice(r, choice) : NULL;
	if (answer) {
		choice_answer(answer, to);
	}
	reading_destroy(r);
}

bool judge_texts_read(struct capture *c, const struct judge_item *item, struct judge_texts *ret)
{
	struct capture_exchange e;
	*ret = (struct judge_texts){0};
	if (capture_find(c, item->exchange, &e) < 0) {
		return false;
	}
	struct buf body = {0};
	if (capture_request_body(c, &e, &body) == 0) {
		task_words(e.row.endpoint, buf_span(&body), &ret->request);
	}
	buf_finish(&body);
	ret->body_bytes = capture_request_bytes(c, &e);
	read_answer(c, &e, item->base, item->choice, &ret->base);
	read_answer(c, &e, item->test, item->choice, &ret->test);
	capture_exchange_finish(&e);
	return ret->base.len > 0 && ret->test.len > 0;
}
