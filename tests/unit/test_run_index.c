#include "captured.h"

#include <criterion/criterion.h>

#include "capture/capture.h"
#include "capture/run_index.h"

static struct run_index_entry entry(const char *backend, uint8_t run, unsigned number)
{
	return (struct run_index_entry){
	        .backend = (char *)backend,
	        .run = {.bytes = {0xa0, run}},
	        .number = number,
	        .first_ns = number,
	};
}

static struct run_index_entry entries[4];
static struct run_index made(void)
{
	entries[0] = entry("prod", 1, 1);
	entries[1] = entry("new", 2, 2);
	entries[2] = entry("prod", 2, 2);
	entries[3] = entry("new", 3, 3);
	return (struct run_index){.entries = entries, .n = 4, .runs = 3};
}

static uint8_t run_of(const struct run_index *r, const char *backend, const char *name)
{
	struct id id = {0};
	char *problem = run_index_find(r, backend, name, &id);
	cr_expect_null(problem, "%s: %s", name, problem);
	free(problem);
	return id.bytes[1];
}

static void refused(
        const struct run_index *r, const char *backend, const char *name, const char *says)
{
	struct id id;
	char *problem = run_index_find(r, backend, name, &id);
	cr_expect(problem && strstr(problem, says), "%s: %s", name, problem ? problem : "found");
	free(problem);
}

Test(run_index, a_run_is_called_by_number_age_or_the_beginning_of_its_id)
{
	struct run_index r = made();
	cr_assert_eq(run_of(&r, "prod", "first"), 1);
	cr_assert_eq(run_of(&r, "prod", "last"), 2);
	cr_assert_eq(run_of(&r, "new", "first"), 2);
	cr_assert_eq(run_of(&r, "new", "3"), 3);
	cr_assert_eq(run_of(&r, NULL, "last"), 3);
	cr_assert_eq(run_of(&r, NULL, "a003"), 3);
	cr_assert_eq(run_of(&r, NULL, "a0020000-0000"), 2);
	cr_assert_eq(run_of(&r, NULL, "A002"), 2);
}

Test(run_index, what_is_no_run_is_told_with_those_that_there_are)
{
	struct run_index r = made();
	refused(&r, NULL, "9", "9 is no run; there are 1 (a001");
	refused(&r, "prod", "3", "3 is no run of prod; there are 1 (");
	refused(&r, NULL, "a0", "is a part of the ids of several runs");
	refused(&r, NULL, "", "is no run");
	refused(&r, NULL, "latest", "is no run");
	refused(&r, "nobody", "first", "is no run of nobody");
}

Test(run_index, an_unknown_backend_is_told_with_the_nearest_one)
{
	struct run_index r = made();
	cr_assert_null(run_index_check(&r, "new"));
	char *problem = run_index_check(&r, "prud");
	cr_assert_str_eq(problem,
	        "the capture has no answers of prud; did you mean prod? It has those of prod, new");
	free(problem);
}

Test(run_index, it_is_read_from_a_capture_which_is_rewound)
{
	char dir[64];
	captured_make(dir, NULL);
	const char *dirs[] = {dir};
	char *error = NULL;
	struct capture *c = capture_open(dirs, 1, &error);
	cr_assert_not_null(c, "%s", error);
	struct run_index r;
	struct capture_exchange e;
	cr_assert_eq(capture_next(c, &e), 1);
	struct id first = e.row.id;
	capture_exchange_finish(&e);
	run_index_read(&r, c);
	cr_assert_eq(r.n, 2);
	cr_assert_eq(r.runs, 1);
	cr_assert_str_eq(r.entries[0].backend, "primary");
	cr_assert_eq(r.entries[0].legs, CAPTURED_EXCHANGES);
	cr_assert_eq(r.entries[1].role, ROLE_REFERENCE);
	cr_assert(r.entries[0].first_ns > 0 && r.entries[0].first_ns <= r.entries[0].last_ns);
	cr_assert_eq(r.n_models, 1);
	cr_assert_str_eq(r.models[0], "model-m");
	cr_assert_eq(capture_next(c, &e), 1);
	cr_assert_eq(id_compare(e.row.id, first), 0);
	capture_exchange_finish(&e);
	run_index_finish(&r);
	capture_close(c);
	captured_remove(dir);
}
