#include "analyzer/annotate/grade_answers.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/compare/meaning/formula.h"
#include "analyzer/compare/meaning/program.h"
#include "analyzer/opinions/opinions.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "capture/leg_flaw.h"

#define GRADER "tests" /* name of the backend in the legs with grades of programs */
#define STRING_OF(n) STRING_OF_(n)
#define STRING_OF_(n) #n
/* the model that the record names as the grader of programs */
#define MODEL "plumbline grade " STRING_OF(GRADE_VERSION)

void grade_job_finish(struct grade_job *j)
{
	annotator_tally_finish(&j->tally);
	error_tally_finish(&j->failing);
	free(j->programs.items);
	free(j->values.items);
	free(j->library.version);
	free(j->base);
	free(j->test);
}

/* Whether the tests, or else the library, have graded this choice of the answer. */
static bool is_graded(const struct capture_exchange *e, struct id leg, int32_t choice, bool tests)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		const char *by = tests ? row->model : row->backend;
		if ((row->marks & LEG_GRADING) && !(row->marks & LEG_TRUNCATED) &&
		        row->score_at == (uint32_t)choice && id_compare(row->score_of, leg) == 0 &&
		        by && strcmp(by, tests ? MODEL : LIBRARY_NAME) == 0) {
			return true;
		}
	}
	return false;
}

static void list_leg(struct grade_job *j, const struct capture_exchange *e, size_t leg,
        enum grading grading, struct forms *forms)
{
	bool tests = grading == GRADING_TESTS;
	struct annotator_item item = {.exchange = e->row.id, .leg = e->legs[leg].row.id};
	struct reading *r = NULL;
	struct buf answer = {0};
	struct formula formula;
	if (capture_reading(j->capture, e, leg, &r) < 0) {
		error_tally_add(&j->tally.unable, "not in the capture");
		return;
	}
	for (size_t i = 0; i < r->n_choices; i++) {
		const struct choice *choice = &r->choices[i];
		item.choice = choice->index;
		buf_clear(&answer);
		choice_answer(choice, &answer);
		if (is_graded(e, item.leg, item.choice, tests)) {
			j->already++;
		} else if (tests || formula_read(forms, buf_span(&answer), &formula)) {
			annotator_items_add(tests ? &j->programs : &j->values, &item);
		} else {
			error_tally_add(&j->tally.unable,
			        meaning_is_cut(choice) ? "cut before the value"
			                               : "without a marked mathematical value");
		}
	}
	buf_finish(&answer);
	reading_destroy(r);
}

static void add_name(struct grade_job *j, const char *backend)
{
	if (backend && !j->base) {
		j->base = xstrdup(backend);
	} else if (backend && !j->test && strcmp(j->base, backend) != 0) {
		j->test = xstrdup(backend);
	}
}

/* True if the capture's sides are known without names. */
static bool list_exchange(
        struct grade_job *j, const struct capture_exchange *e, struct forms *forms)
{
	bool usable = !e->absent && endpoint_is_openai(e->row.endpoint), has_sides = false;
	enum grading grading = usable ? grading_of(&e->row.labels) : GRADING_NONE;
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *leg = &e->legs[i].row;
		if (leg->marks & LEG_SCORED) {
			continue;
		}
		j->answers++;
		has_sides |= leg->role != ROLE_CANDIDATE;
		add_name(j, leg->backend);
		if (grading != GRADING_NONE && leg_flaw(leg, NULL) == FLAW_NONE) {
			list_leg(j, e, i, grading, forms);
		}
	}
	return has_sides;
}

void grade_list(struct grade_job *j)
{
	struct capture_exchange e;
	struct format forms = {0};
	bool has_sides = false;
	while (capture_next(j->capture, &e) == 1) {
		has_sides |= list_exchange(j, &e, &forms.a);
		capture_exchange_finish(&e);
	}
	format_finish(&forms);
	if (has_sides || !j->test) {
		free(j->base);
		free(j->test);
		j->base = j->test = NULL;
	}
	j->n_programs = MIN(j->programs.n, j->limit);
	j->values.n = MIN(j->values.n, j->limit - j->n_programs);
	j->wanted = j->n_programs + j->values.n;
}

static struct annotator_settings settings_of(
        struct grade_job *j, const char *name, const struct annotator_items *list)
{
	return (struct annotator_settings){
	        .to = j->to,
	        .common = {.backend = name,
	                .url = "sandbox:",
	                .role = ROLE_REFERENCE,
	                .dialect = &dialect_generic,
	                .endpoint = ENDPOINT_CHAT,
	                .marks = LEG_SCORED | LEG_GRADING},
	        .workers = j->concurrency,
	        .items = list->n,
	        .arg = j,
	};
}

/* Reads the item's exchange and what its annotation says about it. False: it can no longer be
 * read. */
static bool find(struct annotator *a, const struct grade_job *j, const struct annotator_item *item,
        struct capture_exchange *ret, struct annotation *ret_about)
{
	*ret_about = annotator_common(a);
	if (capture_find(j->capture, item->exchange, ret) < 0) {
		return false;
	}
	ret_about->exchange = item->exchange;
	ret_about->body_bytes = capture_request_bytes(j->capture, ret);
	ret_about->of = item->leg;
	ret_about->at = (uint32_t)item->choice;
	return true;
}

/* Programs. */

/* Counts a failure by its message, without the number of the test and other details of the one
 * program. */
static void count_failing(struct error_tally *r, const char *why)
{
	static const struct {
		const char *mark, *kind;
	} kinds[] = {{"is right", "a wrong result"}, {"in time", "not finished in time"},
	        {"no program", "no program in the answer"}, {"without end", "output without end"}};
	const char *kind = "error or early exit";
	for (size_t i = 0; why && i < ARRAY_LEN(kinds); i++) {
		if (strstr(why, kinds[i].mark)) {
			kind = kinds[i].kind;
		}
	}
	error_tally_add(r, kind);
}

static bool record_program(struct annotator *a, struct annotation *about, struct span code,
        const struct grade *g, uint64_t took_us)
{
	struct buf request = {0}, words = {0};
	grade_put(g, &words);
	buf_append_str(&request, "{\"model\":\"" MODEL "\",\"program\":");
	json_put_string(&request, code);
	buf_append_str(&request, "}");
	about->request = buf_span(&request);
	bool good = annotator_record_words(a, about, MODEL, buf_span(&words), took_us);
	buf_finish(&request);
	buf_finish(&words);
	return good;
}

/* Runs one program, and counts its grade. */
static void grade_program(struct annotator *a, struct grade_job *j, struct annotation *about,
        struct span code, const struct code_tests *tests)
{
	struct grade_limits limits = j->limits;
	struct grade g;
	uint64_t began = clock_mono();
	about->start_ns = clock_wall();
	limits.stopped = annotator_stops(a);
	grade_run(&limits, code, tests, &g);
	bool known = g.verdict != GRADE_UNDECIDED;
	bool stored = known && record_program(a, about, code, &g, (clock_mono() - began) / 1000);
	annotator_lock(a);
	annotator_count(a,
	        stored                                  ? QUESTION_DONE
	        : known || !atomic_load(limits.stopped) ? QUESTION_FAILED
	                                                : QUESTION_STOPPED,
	        known ? "its grade could not be stored" : g.why);
	j->graded[g.verdict] += stored;
	if (stored && g.verdict == GRADE_WRONG) {
		count_failing(&j->failing, g.why);
	}
	annotator_unlock(a);
	grade_finish(&g);
}

/* Finds the program and the tests of its task. Returns NULL, or why it cannot be graded. */
static const char *read_program(struct annotator *a, const struct grade_job *j,
        const struct annotator_item *item, struct annotation *ret_about, struct buf *answer,
        struct code_tests *ret_tests, struct span *ret_code)
{
	struct capture_exchange e;
	char *gold = NULL;
	bool cut = false;
	annotator_lock(a);
	bool found = find(a, j, item, &e, ret_about);
	if (found) {
		found = annotator_read_choice(
		        j->capture, &e, item->leg, item->choice, answer, &cut);
		gold = xstrdup(e.row.labels.gold ? e.row.labels.gold : "");
		capture_exchange_finish(&e);
	}
	annotator_unlock(a);
	const char *why = code_tests_read(span_of(gold), ret_tests);
	free(gold);
	*ret_code = program_of(buf_span(answer), ret_tests->function);
	/* If the answer was cut, the missing part may have been its program. */
	return !found                      ? "not in the capture"
	       : why                       ? why
	       : cut && ret_code->len == 0 ? "cut before the program"
	                                   : NULL;
}

static bool ask_tests(struct annotator *a, void *arg, void *client, size_t from, size_t to)
{
	struct grade_job *j = arg;
	struct annotation about;
	struct code_tests tests;
	struct buf answer = {0};
	struct span code;
	const char *why =
	        read_program(a, j, &j->programs.items[from], &about, &answer, &tests, &code);
	if (why) {
		annotator_lock(a);
		annotator_count(a, QUESTION_UNABLE, why);
		annotator_unlock(a);
	} else {
		grade_program(a, j, &about, code, &tests);
	}
	buf_finish(&answer);
	code_tests_finish(&tests);
	return !why;
}

char *grade_programs(struct grade_job *j)
{
	struct annotator_settings s = settings_of(j, GRADER, &j->programs);
	s.noun = "programs";
	s.questions = j->n_programs;
	s.limit = j->limit;
	s.ask = ask_tests;
	return annotator_run(&s, &j->tally);
}

/* Values. */

/* False: the value can no longer be read. Call it under the lock. */
static bool read_value(struct annotator *a, const struct grade_job *j,
        const struct annotator_item *item, struct forms *forms, struct library_question *ret)
{
	struct capture_exchange e;
	struct buf right = {0}, answer = {0};
	struct formula formula;
	*ret = (struct library_question){0};
	if (!find(a, j, item, &e, &ret->about)) {
		return false;
	}
	bool good = annotator_read_choice(j->capture, &e, item->leg, item->choice, &answer, NULL) &&
	            formula_gold_read(span_of(e.row.labels.gold), &right) &&
	            formula_read(forms, buf_span(&answer), &formula);
	if (good) {
		ret->first = span_dup(buf_span(&right));
		ret->second = span_dup(formula.latex);
	}
	capture_exchange_finish(&e);
	buf_finish(&right);
	buf_finish(&answer);
	return good;
}

static bool ask_library(struct annotator *a, void *arg, void *client, size_t from, size_t to)
{
	struct grade_job *j = arg;
	struct library_question questions[MATHEMATICS_BATCH];
	struct format forms = {0};
	size_t n = 0;
	annotator_lock(a);
	for (size_t i = from; i < to; i++) {
		if (read_value(a, j, &j->values.items[i], &forms.a, &questions[n])) {
			n++;
		} else {
			annotator_count(a, QUESTION_UNABLE, "not in the capture");
		}
	}
	annotator_unlock(a);
	format_finish(&forms);
	library_ask(a, &j->library, MATHEMATICS_GOLD, questions, n);
	annotator_lock(a);
	for (size_t i = 0; i < n; i++) {
		j->graded[library_grade(questions[i].verdict)] += questions[i].recorded;
	}
	annotator_unlock(a);
	return true;
}

char *grade_values(struct grade_job *j)
{
	struct annotator_settings s = settings_of(j, LIBRARY_NAME, &j->values);
	s.noun = "values";
	s.questions = j->values.n;
	s.limit = UINT64_MAX;
	s.batch = library_batch(j->values.n, j->concurrency, 1);
	s.ask = ask_library;
	return annotator_run(&s, &j->tally);
}
