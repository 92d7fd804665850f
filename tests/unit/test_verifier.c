#include "capture/verifier.h"

#include "copied.h"

struct findings {
	size_t n;
	struct buf text;
};

static void on_finding(void *arg, struct id segment, const char *sentence)
{
	struct findings *f = arg;
	f->n++;
	buf_printf(&f->text, "%s\n", sentence);
}

/* Returns the verifier's findings in a copy of a capture with altered rows. */
static void find(copied_fn alter, struct findings *ret, struct verifier_figures *figures)
{
	static const struct verifier_events events = {on_finding, NULL, NULL};
	char dir[64];
	copied_make(dir, 0, alter);
	*ret = (struct findings){0};
	struct verifier *s = verifier_create(dir, &events, ret);
	struct id *ids;
	size_t n;
	cr_assert_eq(segment_list(dir, &ids, &n), 0);
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(verifier_segment(s, ids[i]), 0);
	}
	verifier_end(s, figures);
	verifier_destroy(s);
	free(ids);
	captured_remove(dir);
}

static void expect_findings(copied_fn alter, size_t n, uint64_t damaged, const char *words)
{
	struct findings f;
	struct verifier_figures figures;
	find(alter, &f, &figures);
	const char *text = f.n ? buf_cstr(&f.text) : "";
	cr_assert_eq(f.n, n, "%s", text);
	cr_assert_eq(figures.damaged, damaged, "%s", text);
	cr_assert(strstr(text, words), "%s", text);
	buf_finish(&f.text);
}

static enum segment_table altered;
static bool done;

/* Changes the beginning of the first row's key of a table: time, name or hash. */
static bool misname(enum segment_table t, struct buf *key, struct buf *value)
{
	if (t == altered && !done) {
		key->data[0] ^= 1;
		done = true;
	}
	return true;
}

static bool leave_out(enum segment_table t, struct buf *key, struct buf *value)
{
	bool it = t == altered && !done;
	done |= it;
	return !it;
}

static bool misdirect(enum segment_table t, struct buf *key, struct buf *value)
{
	if (t == altered && !done) {
		value->data[value->len - 1] ^= 1;
		done = true;
	}
	return true;
}

static bool renumber(enum segment_table t, struct buf *key, struct buf *value)
{
	if (t == TABLE_LOG) {
		key->data[7] = (char)(key->data[7] + (key->data[7] > 4));
	}
	return true;
}

Test(verifier, finds_nothing_wrong_with_a_whole_segment)
{
	expect_findings(NULL, 0, 0, "");
}

Test(verifier, an_index_row_with_another_name_than_its_row_is_damage)
{
	static const struct {
		enum segment_table table;
		const char *wrong, *lacking;
	} tables[] = {
	        {TABLE_BY_TIME, "table by_time has another time for it",
	                "it is missing in table by_time"},
	        {TABLE_BY_BACKEND, "table by_backend has another backend for it",
	                "it is missing in table by_backend"},
	        {TABLE_BY_MODEL, "table by_model has another model for it",
	                "it is missing in table by_model"},
	        {TABLE_BY_PROMPT, "table by_prompt has another prompt hash for it",
	                "it is missing in table by_prompt"},
	};
	for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
		altered = tables[i].table;
		done = false;
		expect_findings(misname, 2, 2, tables[i].wrong);
		done = false;
		expect_findings(misname, 2, 2, tables[i].lacking);
		done = false;
		expect_findings(leave_out, 1, 1, tables[i].lacking);
	}
}

Test(verifier, a_log_that_does_not_name_the_rows_is_damage)
{
	altered = TABLE_LOG;
	done = false;
	expect_findings(misdirect, 2, 1, "the log or an index names it, but it is not there");
	done = false;
	expect_findings(misdirect, 2, 1, "it is missing in the log");
	done = false;
	expect_findings(leave_out, 2, 2, "it is missing in the log");
	expect_findings(renumber, 1, 1, "its number does not follow the one before");
}
