#include "cli/opinions/grade_work.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/compare/meaning/program.h"
#include "backends/annotation.h"
#include "backends/dialect.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "capture/leg_flaw.h"
#include "cli/opinions/worker_threads.h"
#include "answers/finish.h"

#define STRING_OF(n) STRING_OF_(n)
#define STRING_OF_(n) #n
/* the model that the record names as the grader */
#define MODEL "plumbline grade " STRING_OF(GRADE_VERSION)

/* One program on its way to a worker. */
struct program {
	struct id exchange, leg;
	int32_t choice;
	uint64_t body_bytes; /* of the exchange's request */
	struct buf code;
	struct code_tests tests;
};

struct work {
	const struct grade_options *options;
	struct grade_limits limits;
	atomic_bool stopped;
	struct worker_threads *threads;
	struct grade_tally *tally; /* under the lock of the threads */
	uint64_t given;
};

void grade_tally_finish(struct grade_tally *t)
{
	error_tally_finish(&t->unfit);
	error_tally_finish(&t->failed);
	error_tally_finish(&t->failing);
	free(t->base);
	free(t->test);
	*t = (struct grade_tally){0};
}

static void program_destroy(struct program *p)
{
	buf_finish(&p->code);
	code_tests_finish(&p->tests);
	free(p);
}

static bool is_wanted(const struct capture_exchange *e, const struct leg_row *leg)
{
	return !e->absent && endpoint_is_openai(e->row.endpoint) && !(leg->marks & LEG_SCORED) &&
	       leg_flaw(leg, NULL) == FLAW_NONE && code_tests_are(span_of(e->row.labels.gold));
}

static bool is_graded(const struct capture_exchange *e, const struct leg_row *leg, int32_t choice)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		if (grade_is_of(row, leg->id, choice) && row->model &&
		        strcmp(row->model, MODEL) == 0) {
			return true;
		}
	}
	return false;
}

static void add_name(struct grade_tally *t, const char *backend)
{
	if (!backend) {
		return;
	}
	if (!t->base) {
		t->base = xstrdup(backend);
	} else if (!t->test && strcmp(t->base, backend) != 0) {
		t->test = xstrdup(backend);
	}
}

void grade_count(struct capture *c, const struct grade_options *w, struct grade_tally *ret)
{
	struct capture_exchange e;
	bool has_sides = false;
	while (capture_next(c, &e) == 1) {
		for (size_t i = 0; i < e.n_legs; i++) {
			const struct leg_row *leg = &e.legs[i].row;
			if (!(leg->marks & LEG_SCORED)) {
				ret->answers++;
				has_sides |= leg->role != ROLE_CANDIDATE;
				add_name(ret, leg->backend);
			}
			if (is_wanted(&e, leg)) {
				*(is_graded(&e, leg, 0) ? &ret->already : &ret->wanted) += 1;
			}
		}
		capture_exchange_finish(&e);
	}
	if (has_sides || !ret->test) {
		free(ret->base);
		free(ret->test);
		ret->base = ret->test = NULL;
	}
	ret->wanted = MIN(ret->wanted, w->limit);
	capture_rewind(c);
}

static bool record(const struct work *w, const struct program *p, const struct grade *g,
        uint64_t start_ns, uint64_t took_us)
{
	struct call_answer answer;
	struct buf request = {0}, words = {0};
	grade_put(g, &words);
	annotation_put_reply(MODEL, buf_span(&words), took_us, &answer);
	buf_append_str(&request, "{\"model\":\"" MODEL "\",\"program\":");
	json_put_string(&request, buf_span(&p->code));
	buf_append_str(&request, "}");
	const struct annotation a = {
	        .backend = GRADER,
	        .url = "sandbox:",
	        .role = ROLE_REFERENCE,
	        .dialect = &dialect_generic,
	        .endpoint = ENDPOINT_CHAT,
	        .in_flight = w->options->concurrency,
	        .exchange = p->exchange,
	        .body_bytes = p->body_bytes,
	        .request = buf_span(&request),
	        .answer = &answer,
	        .start_ns = start_ns,
	        .marks = LEG_SCORED | LEG_GRADING,
	        .of = p->leg,
	        .at = (uint32_t)p->choice,
	        .waits = true,
	};
	bool good = annotation_record(&a, w->options->to->recorder, w->options->to->book);
	call_answer_finish(&answer);
	buf_finish(&request);
	buf_finish(&words);
	return good;
}

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

/* Called under the lock of the threads. */
static void count_grade(struct work *w, const struct grade *g, bool stored)
{
	struct grade_tally *t = w->tally;
	if (g->verdict == GRADE_UNDECIDED) {
		error_tally_add(&t->failed, g->why);
	} else if (!stored) {
		error_tally_add(&t->failed, "its grade could not be stored");
	} else {
		t->graded[g->verdict]++;
		if (g->verdict == GRADE_WRONG) {
			count_failing(&t->failing, g->why);
		}
	}
}

static void run(void *arg, unsigned worker, void *piece)
{
	struct work *w = arg;
	struct program *p = piece;
	struct grade g;
	uint64_t start_ns = clock_wall(), began = clock_mono();
	grade_run(&w->limits, buf_span(&p->code), &p->tests, &g);
	bool stored = g.verdict != GRADE_UNDECIDED &&
	              record(w, p, &g, start_ns, (clock_mono() - began) / 1000);
	if (!atomic_load(&w->stopped) || g.verdict != GRADE_UNDECIDED) {
		worker_threads_lock(w->threads);
		count_grade(w, &g, stored);
		worker_threads_unlock(w->threads);
	}
	grade_finish(&g);
	program_destroy(p);
}

static void drop(void *arg, void *piece)
{
	program_destroy(piece);
}

static void stop(void *arg)
{
	struct work *w = arg;
	atomic_store(&w->stopped, true);
}

static void count_done(const void *arg, struct worker_threads_count *ret)
{
	const struct work *w = arg;
	const struct grade_tally *t = w->tally;
	uint64_t done = t->graded[GRADE_RIGHT] + t->graded[GRADE_WRONG] + t->failed.total;
	*ret = (struct worker_threads_count){"programs", done, t->wanted, t->failed.total};
}

static void unfit(struct work *w, const char *why)
{
	worker_threads_lock(w->threads);
	error_tally_add(&w->tally->unfit, why);
	worker_threads_unlock(w->threads);
}

/* False: the work was cancelled. */
static bool give_choice(struct work *w, struct capture *c, const struct capture_exchange *e,
        const struct leg_row *leg, const struct choice *choice)
{
	struct code_tests tests;
	const char *why = code_tests_read(span_of(e->row.labels.gold), &tests);
	struct buf answer = {0};
	choice_answer(choice, &answer);
	struct span code = why ? (struct span){0} : program_of(buf_span(&answer), tests.function);
	/* If the answer was cut, the missing part may have been its program. */
	bool cut = finish_of(choice->finish) == FINISH_LENGTH;
	if (!why && cut && code.len == 0) {
		why = "cut before the program";
	}
	bool going = true;
	if (why) {
		unfit(w, why);
		code_tests_finish(&tests);
	} else {
		struct program *p = xcalloc(1, sizeof(*p));
		*p = (struct program){
		        .exchange = e->row.id,
		        .leg = leg->id,
		        .choice = choice->index,
		        .body_bytes = capture_request_bytes(c, e),
		        .tests = tests,
		};
		buf_append_span(&p->code, code);
		w->given++;
		going = worker_threads_submit(w->threads, p);
	}
	buf_finish(&answer);
	return going;
}

/* False: no more programs are needed, or the work was cancelled. */
static bool give_leg(
        struct work *w, struct capture *c, const struct capture_exchange *e, size_t leg)
{
	const struct leg_row *row = &e->legs[leg].row;
	struct reading *r = NULL;
	bool going = true;
	if (capture_reading(c, e, leg, &r) < 0) {
		unfit(w, "not in the capture");
	}
	for (size_t i = 0; going && r && i < r->n_choices; i++) {
		if (!is_graded(e, row, r->choices[i].index)) {
			going = w->given < w->options->limit &&
			        give_choice(w, c, e, row, &r->choices[i]);
		}
	}
	reading_destroy(r);
	return going;
}

void grade_work(struct capture *c, const struct grade_options *options, struct grade_tally *ret)
{
	struct work w = {.options = options, .limits = options->limits, .tally = ret};
	const struct worker_threads_settings settings = {
	        .n = options->concurrency,
	        .arg = &w,
	        .work = run,
	        .drop = drop,
	        .stop = stop,
	        .count_done = count_done,
	};
	struct capture_exchange e;
	uint64_t began = clock_mono();
	bool going = true;
	w.limits.stopped = &w.stopped;
	w.threads = worker_threads_start(&settings);
	while (going && worker_threads_wants_more(w.threads) && capture_next(c, &e) == 1) {
		for (size_t i = 0; going && i < e.n_legs; i++) {
			if (is_wanted(&e, &e.legs[i].row)) {
				going = give_leg(&w, c, &e, i);
			}
		}
		capture_exchange_finish(&e);
	}
	ret->stopped = worker_threads_finish(w.threads);
	ret->seconds = (clock_mono() - began) / SECOND_NS;
	capture_rewind(c);
}
