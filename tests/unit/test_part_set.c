#include "analyzer/part_set.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "made_lines.h"

struct folded {
	struct analysis analysis;
	struct part_set set;
};

static void begin(struct folded *f)
{
	*f = (struct folded){0};
	f->set.to = &f->analysis;
}

static void finish(struct folded *f)
{
	analysis_finish(&f->analysis);
	part_set_finish(&f->set);
}

/* Returns the error; valid until the next call. */
static const char *say(char *problem)
{
	static char said[300];
	snprintf(said, sizeof(said), "%s", problem ? problem : "");
	free(problem);
	return said;
}

static const char *put(struct folded *f, struct row row)
{
	struct buf line = {0};
	row_put_json(&line, &row);
	const char *said = say(part_set_read(&f->set, (struct span){line.data, line.len - 1}));
	buf_finish(&line);
	return said;
}

static void put_part(struct folded *f, uint32_t part, uint32_t of)
{
	cr_assert_str_eq(put(f, made_part(part, of)), "");
	cr_assert_str_eq(put(f, made_pair(10 * part)), "");
	cr_assert_str_eq(put(f, made_pair(10 * part + 5)), "");
	cr_assert_str_eq(put(f, made_end(part, of, 2)), "");
}

#define EXPECT_SAID(call, beginning)                                                               \
	do {                                                                                       \
		const char *said = (call);                                                         \
		cr_expect(*said &&strncmp(said, beginning, strlen(beginning)) == 0, "%s", said);   \
	} while (0)

Test(part_set, parts_in_any_order_make_one_whole)
{
	struct folded f;
	begin(&f);
	put_part(&f, 3, 3);
	EXPECT_SAID(say(part_set_end(&f.set, false)), "part 1 of 3 is missing");
	cr_expect_str_eq(say(part_set_end(&f.set, true)), "");
	put_part(&f, 1, 3);
	put_part(&f, 2, 3);
	cr_expect_str_eq(say(part_set_end_file(&f.set)), "");
	cr_expect_str_eq(say(part_set_end(&f.set, false)), "");
	cr_assert_eq(f.analysis.n_groups, 1);
	cr_expect_eq(f.analysis.groups[0].legs, 6);
	finish(&f);
}

Test(part_set, nothing_is_not_a_capture)
{
	struct folded f;
	begin(&f);
	EXPECT_SAID(say(part_set_end(&f.set, true)), "the files of --from-pairs hold no row");
	finish(&f);
}

Test(part_set, a_part_that_comes_twice_is_refused)
{
	struct folded f;
	begin(&f);
	put_part(&f, 1, 2);
	EXPECT_SAID(put(&f, made_part(1, 2)), "part 1 of 2 is given twice");
	finish(&f);
}

Test(part_set, a_row_that_comes_twice_is_refused)
{
	struct folded f;
	begin(&f);
	put_part(&f, 1, 2);
	(void)put(&f, made_part(2, 2));
	EXPECT_SAID(put(&f, made_pair(10)), "the row is given twice");
	finish(&f);
}

Test(part_set, thousands_of_rows_are_told_apart)
{
	struct folded f;
	begin(&f);
	(void)put(&f, made_part(1, 1));
	for (unsigned i = 0; i < 5000; i++) {
		cr_assert_str_eq(put(&f, made_pair(10 * i)), "");
	}
	EXPECT_SAID(put(&f, made_pair(10 * 4321)), "the row is given twice");
	finish(&f);
}

Test(part_set, a_cut_part_is_refused)
{
	struct folded f;
	begin(&f);
	(void)put(&f, made_part(1, 1));
	(void)put(&f, made_pair(10));
	EXPECT_SAID(say(part_set_end_file(&f.set)), "the file is cut");
	EXPECT_SAID(put(&f, made_part(2, 2)), "part 2 begins, and part 1 has not ended");
	EXPECT_SAID(
	        put(&f, made_end(1, 1, 2)), "the part was written with 2 rows, and the file has 1");
	finish(&f);
}

Test(part_set, rows_outside_of_a_part_are_refused)
{
	struct folded f;
	begin(&f);
	EXPECT_SAID(put(&f, made_pair(1)), "a row comes before the beginning of its part");
	EXPECT_SAID(put(&f, made_end(1, 1, 0)), "part 1 of 1 ends");
	finish(&f);
}

Test(part_set, parts_of_other_versions_captures_and_choices_are_refused)
{
	struct folded f;
	begin(&f);
	struct row part = made_part(1, 4);
	part.part.version = ROWS_VERSION + 1;
	EXPECT_SAID(put(&f, part), "the rows have version 2");
	EXPECT_SAID(put(&f, made_part(0, 4)), "there is no part 0 of 4");
	EXPECT_SAID(put(&f, made_part(5, 4)), "there is no part 5 of 4");
	EXPECT_SAID(put(&f, made_part(1, UINT32_MAX)), "there is no part 1 of 4294967295");
	put_part(&f, 1, 4);
	EXPECT_SAID(put(&f, made_part(2, 3)), "a part of 3, and others are of 4");
	part = made_part(2, 4);
	part.part.since_ns = 1;
	EXPECT_SAID(put(&f, part), "the rows have another selection");
	part = made_part(2, 4);
	part.part.capture[0] = 1;
	EXPECT_SAID(put(&f, part), "the part is of another capture");
	finish(&f);
}

Test(part_set, what_was_chosen_and_counted_comes_back)
{
	static const char *const WHERE[] = {"model=qwen*"};
	struct folded f;
	begin(&f);
	struct row part = made_part(1, 1), end = made_end(1, 1, 0);
	part.part.where = (struct text_list){WHERE, 1};
	part.part.since_ns = 7;
	end.end.counts.chosen = 12;
	end.end.segments = 3;
	(void)put(&f, part);
	(void)put(&f, end);
	cr_expect_eq(f.analysis.selection.since_ns, 7);
	cr_assert_eq(f.analysis.selection.filters.n, 1);
	cr_expect_str_eq(f.analysis.selection.filters.items[0].value, "qwen*");
	cr_expect_eq(f.analysis.counts.chosen, 12);
	cr_expect_eq(f.analysis.figures.segments, 3);
	cr_expect_eq(part_set_problems(&f.set).n, 0);
	finish(&f);
}
