#include "analyzer/rows/selection.h"

#include <criterion/criterion.h>

#include "analyzer/stats/counts.h"

#include "base/mem.h"

#define SECOND UINT64_C(1000000000)

/* An exchange with two answers and scores of the second one. */
static struct capture_exchange made(uint64_t wall_ns, const char *model)
{
	struct capture_exchange e = {
	        .row = {.id = id_make(), .wall_ns = wall_ns, .endpoint = ENDPOINT_CHAT},
	        .legs = xcalloc(3, sizeof(struct capture_leg)),
	        .n_legs = 3,
	};
	e.row.model = xstrdup(model);
	e.legs[0].row = (struct leg_row){.id = id_make(), .backend = xstrdup("prod")};
	e.legs[1].row = (struct leg_row){.id = id_make(), .backend = xstrdup("trusted")};
	e.legs[2].row = (struct leg_row){
	        .id = id_make(),
	        .backend = xstrdup("judge"),
	        .marks = LEG_SCORED,
	        .score_of = e.legs[1].row.id,
	};
	return e;
}

static bool takes(
        const struct selection *s, uint64_t wall_ns, const char *model, struct selection_counts *n)
{
	struct capture_exchange e = made(wall_ns, model);
	bool taken = selection_apply(s, NULL, &e, n);
	capture_exchange_finish(&e);
	return taken;
}

static void rule(struct selection *s, const char *text)
{
	s->filters.known = SELECTION_KEYS;
	cr_assert_null(filters_parse(&s->filters, text));
}

Test(selection, without_a_wish_everything_is_judged_and_nothing_counted)
{
	struct selection s = {0};
	struct selection_counts n = {0};
	cr_assert(!selection_has_conditions(&s));
	cr_assert(takes(&s, SECOND, "m", &n));
	cr_assert(n.before + n.after + n.others + n.legs == 0);
}

Test(selection, a_window_includes_its_beginning_and_not_its_end)
{
	struct selection s = {.since_ns = 10 * SECOND, .until_ns = 20 * SECOND};
	struct selection_counts n = {0};
	cr_assert(!takes(&s, 10 * SECOND - 1, "m", &n));
	cr_assert(takes(&s, 10 * SECOND, "m", &n));
	cr_assert(takes(&s, 20 * SECOND - 1, "m", &n));
	cr_assert(!takes(&s, 20 * SECOND, "m", &n));
	cr_assert(n.before == 1 && n.after == 1 && n.others == 0);
}

Test(selection, an_exchange_without_a_time_has_that_of_its_first_answer)
{
	struct selection s = {.since_ns = 10 * SECOND};
	struct selection_counts n = {0};
	struct capture_exchange e = made(0, "m");
	for (size_t i = 0; i < e.n_legs; i++) {
		e.legs[i].row.start_ns = (12 - i) * SECOND;
	}
	cr_assert(selection_apply(&s, NULL, &e, &n));
	e.legs[1].row.start_ns = 9 * SECOND;
	cr_assert(!selection_apply(&s, NULL, &e, &n));
	capture_exchange_finish(&e);
}

Test(selection, filters_of_requests_leave_out_exchanges)
{
	struct selection s = {0};
	struct selection_counts n = {0};
	rule(&s, "model=llama*");
	cr_assert(takes(&s, SECOND, "llama-3", &n));
	cr_assert(!takes(&s, SECOND, "qwen", &n));
	cr_assert_eq(n.others, 1);
	cr_assert_eq(n.legs, 0);
}

Test(selection, filters_of_answers_leave_out_answers_with_their_scores)
{
	struct selection s = {0};
	struct selection_counts n = {0};
	rule(&s, "backend=prod");
	struct capture_exchange e = made(SECOND, "m");
	cr_assert(selection_apply(&s, NULL, &e, &n));
	cr_assert_eq(e.n_legs, 1);
	cr_assert_str_eq(e.legs[0].row.backend, "prod");
	cr_assert_eq(n.legs, 2);
	capture_exchange_finish(&e);

	struct selection other = {0};
	rule(&other, "backend=trusted");
	e = made(SECOND, "m");
	cr_assert(selection_apply(&other, NULL, &e, &n));
	cr_assert_eq(e.n_legs, 2, "the scores of an answer stay with it, whoever gave them");
	capture_exchange_finish(&e);
}

Test(selection, counts_of_several_threads_add_up)
{
	struct selection_counts a = {1, 2, 3, 4}, b = {10, 20, 30, 40};
	COUNTS_ADD(&a, &b);
	cr_assert(a.before == 11 && a.after == 22 && a.others == 33 && a.legs == 44);
}

Test(selection, answers_of_other_runs_than_those_named_are_left_out_with_their_scores)
{
	struct id runs[] = {id_make(), id_make()};
	struct selection s = {.runs = runs, .n_runs = ARRAY_LEN(runs)};
	struct selection_counts n = {0};
	struct capture_exchange e = made(SECOND, "m");
	e.legs[0].row.run = runs[1];
	e.legs[1].row.run = id_make();
	e.legs[2].row.run = runs[0]; /* scored in one of them, but not answered there */
	cr_assert(selection_apply(&s, NULL, &e, &n));
	cr_assert_eq(e.n_legs, 1);
	cr_assert_str_eq(e.legs[0].row.backend, "prod");
	cr_assert_eq(n.legs, 2);
	cr_assert(!selection_has_conditions(&s), "nobody chose by a flag");
	capture_exchange_finish(&e);
}
