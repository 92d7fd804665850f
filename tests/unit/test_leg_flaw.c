#include "capture/leg_flaw.h"

#include <criterion/criterion.h>

static enum flaw flaw_of(struct leg_row row, const char *text)
{
	enum flaw f = leg_flaw(&row, NULL);
	char words[FLAW_TEXT_SIZE] = "";
	if (f != FLAW_NONE) {
		leg_flaw_print(&row, NULL, f, words);
	}
	cr_expect_str_eq(words, text);
	return f;
}

#define ROW(...)                                                                                   \
	(struct leg_row)                                                                           \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define WHOLE .outcome = OUTCOME_COMPLETE, .status = 200

Test(leg_flaw, the_end_and_the_status_come_before_what_the_answer_says)
{
	cr_expect_eq(flaw_of(ROW(WHOLE, .finish = (char *)"stop"), ""), FLAW_NONE);
	cr_expect_eq(
	        flaw_of(ROW(.outcome = OUTCOME_COMPLETE, .status = 503), "HTTP 503"), FLAW_STATUS);
	cr_expect_eq(flaw_of(ROW(.outcome = OUTCOME_COMPLETE, .status = 0), "HTTP 0"), FLAW_STATUS);
	cr_expect_eq(flaw_of(ROW(.status = 200, .outcome = OUTCOME_TIMEOUT,
	                             .reading_marks = READING_CUT),
	                     "timeout"),
	        FLAW_OUTCOME);
	cr_expect_eq(flaw_of(ROW(.outcome = OUTCOME_COMPLETE, .status = 304), ""), FLAW_NONE,
	        "of other services");
}

Test(leg_flaw, a_row_tells_what_its_reading_says)
{
	cr_expect_eq(flaw_of(ROW(WHOLE, .reading_marks = READING_CUT), "no finish reason"),
	        FLAW_UNFINISHED);
	cr_expect_eq(
	        flaw_of(ROW(WHOLE, .reading_marks = READING_EMPTY), "an empty answer"), FLAW_EMPTY);
	cr_expect_eq(
	        flaw_of(ROW(WHOLE, .reading_marks = READING_ERROR_BODY), "an error in the answer"),
	        FLAW_ERROR);
	cr_expect_eq(flaw_of(ROW(WHOLE, .finish = (char *)"abort"),
	                     "aborted by the engine: finish reason \"abort\""),
	        FLAW_ABORTED, "also where an older version wrote the row");
	cr_expect_eq(flaw_of(ROW(WHOLE, .finish = (char *)"tired",
	                             .reading_marks = READING_UNKNOWN_FINISH),
	                     "unknown finish reason \"tired\""),
	        FLAW_UNKNOWN_FINISH);
}

Test(leg_flaw, what_was_not_read_or_not_said_is_not_held_against_an_answer)
{
	cr_expect_eq(flaw_of(ROW(WHOLE, .marks = LEG_UNREAD), ""), FLAW_NONE);
	cr_expect_eq(flaw_of(ROW(WHOLE, .marks = LEG_TRUNCATED, .reading_marks = READING_CUT), ""),
	        FLAW_NONE);
	cr_expect_eq(flaw_of(ROW(WHOLE, .marks = LEG_IMPORTED, .reading_marks = READING_CUT), ""),
	        FLAW_NONE);
	cr_expect_eq(flaw_of(ROW(WHOLE, .marks = LEG_IMPORTED, .finish = (char *)"error",
	                             .reading_marks = READING_ABORTED),
	                     "aborted by the engine: finish reason \"error\""),
	        FLAW_ABORTED);
}
