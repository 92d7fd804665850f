#pragma once
/*
 * suite_form - the readers of all forms of suites, and what they share. For suite*.c only.
 *
 * A reader (suite_..._read()) gets an empty item and fills it. It returns NULL, or what is wrong
 * with the record. The caller finishes the item in both cases.
 */
#include "base/json.h"
#include "replay/suite.h"

/* suite_item.c: plumbline's own suites. */
bool suite_item_is(struct span record);
uint32_t suite_item_turns(struct span record);
const char *suite_item_read(const struct suite *s, struct span record, uint32_t turn,
        struct suite_item *ret) MUST_CHECK;

/* suite_benchmark.c: benchmarks in the form in which their authors publish them. */
const char *suite_gsm8k_read(struct span record, struct suite_item *ret) MUST_CHECK;
const char *suite_livecodebench_read(struct span record, struct suite_item *ret) MUST_CHECK;
const char *suite_math_read(
        const struct suite *s, struct span record, struct suite_item *ret) MUST_CHECK;
const char *suite_gpqa_read(
        const struct suite *s, struct span record, struct suite_item *ret) MUST_CHECK;
const char *suite_simpleqa_read(
        const struct suite *s, struct span record, struct suite_item *ret) MUST_CHECK;

/* True if the object has this member. */
bool suite_has(struct span record, const char *name);
/* Appends the text of a string member. False: the object has no such member. */
bool suite_text(struct span object, const char *name, struct buf *to) MUST_CHECK;
/* Makes a label from the text: frees the old *ret and sets it to the label, which the caller frees.
 * Returns NULL, or a text: it is longer than limit bytes, or has a NUL. */
const char *suite_label(struct span text, size_t limit, char **ret) MUST_CHECK;
/* Fills *ret with a chat of one message at temperature 0. */
void suite_make_chat(struct span question, unsigned max_tokens, struct suite_item *ret);
