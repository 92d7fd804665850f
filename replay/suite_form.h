#pragma once
/*
 * suite_form - the readers of the forms that suites have. For suite*.c only.
 *
 * Each fills in an empty item and gives NULL, or what is wrong with the record; the caller finishes the item.
 */
#include "base/json.h"
#include "replay/suite.h"

/* suite_item.c: our own. */
bool suite_item_is(struct span record);
uint32_t suite_item_turns(struct span record);
const char *suite_item_read(const struct suite *s, struct span record, uint32_t turn,
        struct suite_item *ret) MUST_CHECK;

/* suite_benchmark.c: each as its authors publish it. */
const char *suite_gsm8k_read(struct span record, struct suite_item *ret) MUST_CHECK;
const char *suite_livecodebench_read(struct span record, struct suite_item *ret) MUST_CHECK;
const char *suite_gpqa_read(
        const struct suite *s, struct span record, struct suite_item *ret) MUST_CHECK;
const char *suite_simpleqa_read(
        const struct suite *s, struct span record, struct suite_item *ret) MUST_CHECK;

/* suite.c */
/* The text of a member that is a string, appended. False: there is none. */
bool suite_text(struct span object, const char *name, struct buf *to) MUST_CHECK;
/* NULL, or that it is too long. */
const char *suite_label(struct span text, size_t limit, char **ret) MUST_CHECK;
/* A chat of one message, at temperature 0. */
void suite_ask(struct span question, unsigned max_tokens, struct suite_item *ret);
