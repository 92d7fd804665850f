#include "replay/campaign/replay_job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "base/mem.h"
#include "base/verb_fail.h"
#include "replay/campaign/replay_notice.h"
#include "capture/formats/input_formats.h"

int replay_check_levels(const char *command, const unsigned *levels, size_t n)
{
	unsigned most = runner_in_flight_limit();
	for (size_t i = 0; i < n; i++) {
		if (levels[i] > most) {
			return verb_fail(command, EXIT_USAGE,
			        xasprintf("--concurrency %u: this process can open only %u "
			                  "connections (ulimit -n)",
			                levels[i], most));
		}
	}
	return EXIT_PASS;
}

int replay_job_open_source(const char *command, const char *source, struct capture **ret)
{
	struct stat st;
	char *error = NULL;
	const char *dirs[] = {source};
	*ret = NULL;
	if (stat(source, &st) != 0) {
		return verb_fail(command, EXIT_USAGE,
		        errno == ENOENT
		                ? xasprintf("there is neither a file nor a capture %s", source)
		                : xasprintf("%s can't be read: %s", source, strerror(errno)));
	}
	if (!S_ISDIR(st.st_mode)) {
		return EXIT_PASS;
	}
	*ret = capture_open(dirs, 1, &error);
	if (!*ret) {
		return verb_fail(command, EXIT_USAGE, error);
	}
	const char *const *problems;
	size_t n_problems = capture_problems(*ret, &problems);
	verb_warn(command, problems, n_problems);
	return EXIT_PASS;
}

static int open_source(struct replay_job *j)
{
	const struct replay_options *o = j->o;
	char *error = NULL;
	if (j->capture && (o->units.time_ns || o->units.block_tokens)) {
		return verb_fail(o->backend.command, EXIT_USAGE,
		        xasprintf("--time-unit and --block-tokens are only for traces, and %s is a "
		                  "capture",
		                o->source));
	}
	j->source = j->capture ? source_capture(j->capture)
	                       : source_lines(o->source, j->marker->hash_key, &o->units, &error);
	const struct input_format *format = j->source ? source_format(j->source) : NULL;
	if (format && !j->is_repeated) {
		fprintf(stderr, "plumbline %s: %s is read as %s%s\n", o->backend.command, o->source,
		        format->requests,
		        format->made_up ? "; where it has only lengths, plumbline makes prompts of "
		                          "these lengths, a short word for each token"
		                        : "");
	}
	return j->source ? EXIT_PASS : verb_fail(o->backend.command, EXIT_USAGE, error);
}

#define REPEATS_MOST UINT32_C(1000000)

/* The number of repeats: as the user set it, else enough for the steps of an open loop. */
static uint32_t repeats_of(const struct replay_options *o, size_t n_requests)
{
	uint64_t wanted = pace_requests(&o->pace);
	if (o->repeats) {
		return o->repeats;
	}
	return n_requests ? (uint32_t)MIN(wanted / n_requests + 1, REPEATS_MOST) : 1;
}

static int make_plan(struct replay_job *j)
{
	const struct replay_options *o = j->o;
	j->scan = (struct source_scan){
	        .rules = &o->rules,
	        .limit = o->limit,
	        .even = o->even,
	        .plan = &j->plan,
	        .unfit = &j->unreplayable,
	        .placeholders = o->redacted,
	};
	int code = source_scan(j->source, &j->scan);
	if (code < 0) {
		return verb_fail(o->backend.command, EXIT_RUNTIME,
		        xasprintf("%s can't be read: %s", o->source,
		                code == -E2BIG ? "more requests than a replay can have"
		                               : strerror(-code)));
	}
	j->repeats = repeats_of(o, j->plan.n_requests);
	if (j->plan.n_requests > PLAN_LIMIT / j->repeats) {
		return verb_fail(o->backend.command, EXIT_USAGE,
		        xasprintf("%" PRIu32
		                  " times %zu requests are more than a replay can send (%" PRIu32
		                  "): %s",
		                j->repeats, j->plan.n_requests, PLAN_LIMIT,
		                o->repeats ? "fewer --repeats"
		                           : "the steps of --rate need that many; give lower rates "
		                             "or a shorter --step"));
	}
	plan_order(&j->plan, o->order, o->seed, j->repeats);
	plan_spread(&j->plan, (uint8_t)j->n_backends);
	return EXIT_PASS;
}

static int settle_models(struct replay_job *j)
{
	const struct replay_backend_options *backend = &j->o->backend;
	int code = EXIT_PASS;
	for (size_t i = 0; i < j->n_backends && code == EXIT_PASS; i++) {
		if (source_is_suite(j->source)) {
			code = replay_backend_choose_model(&j->backends[i], backend);
		}
		if (code == EXIT_PASS) {
			code = replay_backend_check_models(&j->backends[i], backend, &j->scan);
		}
	}
	return code;
}

int replay_job_scan(struct replay_job *j)
{
	const struct replay_options *o = j->o;
	int code = open_source(j);
	if (code == EXIT_PASS) {
		code = make_plan(j);
	}
	if (code == EXIT_PASS) {
		code = settle_models(j);
	}
	if (code == EXIT_PASS && o->load == LOAD_ORIGINAL && j->plan.n_requests > 0 &&
	        j->scan.timed == 0) {
		code = verb_fail(o->backend.command, EXIT_USAGE,
		        xasprintf("%s has no times of its requests: give --rate or --concurrency",
		                o->source));
	}
	return code;
}

#define KEY_SIZE 33

static void make_key(const struct replay_job *j, char ret[KEY_SIZE])
{
	struct buf text = {0};
	replay_options_put(j->o, &text);
	XXH128_hash_t hash = XXH3_128bits(text.data, text.len);
	snprintf(ret, KEY_SIZE, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64,
	        (uint64_t)hash.low64);
	buf_finish(&text);
}

bool replay_job_find_run(const struct replay_job *j, struct id *ret)
{
	char key[KEY_SIZE];
	make_key(j, key);
	return !j->o->again && resume_find_run(j->dir, key, ret);
}

/* Sets the members that each target's requests get. Returns the default number of requests in
 * flight. */
static unsigned set_targets(struct replay_job *j)
{
	const struct replay_options *o = j->o;
	unsigned usual = REPLAY_CONCURRENCY;
	for (size_t i = 0; i < j->n_backends; i++) {
		struct target *t = &j->backends[i].target;
		t->top = o->top;
		t->want_logprobs = !o->no_logprobs;
		t->want_usage = !o->no_usage;
		t->timeout = o->timeout;
		j->targets[i] = t;
		usual = t->dialect->abilities & ABILITY_ONE_AT_A_TIME ? 1 : usual;
	}
	if (j->n_backends > 1) {
		j->shares = xcalloc(j->n_backends, sizeof(*j->shares));
	}
	return usual;
}

static void set_load(struct replay_job *j)
{
	const struct replay_options *o = j->o;
	unsigned usual = set_targets(j);
	if (!o->no_compare) {
		source_load_answers(j->source);
	}
	j->figures.goals = o->goals;
	think_time_init(&j->think, &o->think, j->plan.n_delayed > 0, j->plan.n_sends);
	j->runner = (struct runner_settings){
	        .load = o->load,
	        .concurrency = o->concurrency || o->load != LOAD_CLOSED ? o->concurrency : usual,
	        .rate = o->pace.rates[0],
	        .ramp_to = o->pace.rates[1],
	        .ramp_over = o->pace.over,
	        .arrivals = o->arrivals,
	        .burstiness = o->burstiness,
	        .speed = o->speed,
	        .seed = o->seed,
	        .duration = o->duration,
	        .warm_up = o->warm_up,
	        .error_limit = o->error_limit,
	        .cancel = o->cancel,
	        .think = &j->think,
	        .retries = o->retries,
	        .fresh = o->fresh,
	        .targets = j->targets,
	        .n_targets = j->n_backends,
	        .shares = j->shares,
	        .source = j->source,
	        .plan = &j->plan,
	        .sent = j->sent,
	};
}

/* Lists the models under their names at the backend. There, the source's models may have other
 * names, or all share one. */
static void name_models(struct replay_job *j)
{
	j->models = xcalloc(j->scan.n_models + 1, sizeof(*j->models));
	for (size_t i = 0; i < j->scan.n_models; i++) {
		char *name = replay_backend_names(j->backends, j->scan.models[i]);
		bool known = !*name;
		for (size_t k = 0; k < j->n_models; k++) {
			known |= strcmp(j->models[k], name) == 0;
		}
		if (known) {
			free(name);
		} else {
			j->models[j->n_models++] = name;
		}
	}
}

static void begin_report(struct replay_job *j)
{
	struct replay_summary *p = &j->report;
	p->source = j->o->source;
	p->capture = j->dir;
	p->target = j->targets[0];
	p->version = j->shares ? NULL : replay_backend_version(j->backends);
	p->models = j->models;
	p->n_models = j->n_models;
	p->load = &j->runner;
	p->pace = &j->o->pace;
	p->figures = &j->figures;
	p->result = &j->result;
	p->scan = &j->scan;
	p->run = resume_run(j->sent);
	p->resumed = resume_is_resumed(j->sent);
	p->sends = j->plan.n_sends;
}

/* Finds what this run has already sent. It is not sent again. */
static void take_up(struct replay_job *j, struct capture *c)
{
	resume_read(j->sent, c, j->shares ? NULL : j->backends->target.name);
	j->done = xcalloc(j->plan.n_sends + 1, sizeof(*j->done));
	for (size_t i = 0; i < j->plan.n_sends; i++) {
		const struct plan_send *s = &j->plan.sends[i];
		j->done[i] = resume_has(j->sent, j->plan.requests[s->request].exchange, s->repeat);
		j->report.before += j->done[i];
	}
	j->report.again = resume_lost(j->sent);
}

int replay_job_open(struct replay_job *j, const struct id *run)
{
	const char *dirs[] = {j->dir};
	char *error = NULL;
	char key[KEY_SIZE];
	make_key(j, key);
	j->sent = resume_open(j->dir, key, run, j->o->again, &error);
	if (!j->sent) {
		return verb_fail(j->o->backend.command, EXIT_RUNTIME, error);
	}
	struct capture *c = capture_open(dirs, 1, &error);
	if (!c) {
		return verb_fail(j->o->backend.command, EXIT_USAGE, error);
	}
	set_load(j);
	take_up(j, c);
	capture_close(c);
	name_models(j);
	begin_report(j);
	replay_notice_warm_up(j);
	return EXIT_PASS;
}

static bool is_of(const struct replay_job *j, size_t send, uint32_t repeat)
{
	return repeat == REPLAY_JOB_ALL || j->plan.sends[send].repeat == repeat;
}

size_t replay_job_left(const struct replay_job *j, uint32_t repeat)
{
	size_t n = 0;
	for (size_t i = 0; i < j->plan.n_sends; i++) {
		n += is_of(j, i, repeat) && !j->done[i];
	}
	return n;
}

/* Reads an answer that this run already got, if a later turn is still to be sent with it in its
 * history. */
static void recall(struct replay_job *j, struct capture *c, uint32_t send)
{
	const struct plan_send *s = &j->plan.sends[send];
	const char *name = j->targets[s->target]->name;
	struct capture_exchange e;
	if (capture_find(c, j->plan.requests[s->request].exchange, &e) < 0) {
		return;
	}
	for (size_t i = 0; i < e.n_legs; i++) {
		const struct leg_row *leg = &e.legs[i].row;
		struct reading *reading;
		if (id_compare(leg->run, resume_run(j->sent)) != 0 ||
		        strcmp(leg->backend ? leg->backend : "", name) != 0 ||
		        leg->outcome == OUTCOME_STOPPED || leg->repeat != s->repeat ||
		        capture_reading(c, &e, i, &reading) < 0) {
			continue;
		}
		sessions_answer_read(j->sessions, send, e.row.facts.n_messages, reading);
		reading_destroy(reading);
		break;
	}
	capture_exchange_finish(&e);
}

bool replay_job_takes_answers(const struct replay_job *j)
{
	return j->o->history ? j->o->history == HISTORY_ANSWERED
	                     : source_is_suite(j->source) || j->scan.open > 0;
}

/* Runs once for all calls of send(), because the answers of one call are in the histories of the
 * next. Of the answers to earlier processes, only the needed ones are looked up. The capture is
 * opened only for that. */
static void begin_sessions(struct replay_job *j)
{
	const char *dirs[] = {j->dir};
	char *error = NULL;
	struct capture *c = NULL;
	if (j->sessions || !replay_job_takes_answers(j)) {
		return;
	}
	for (size_t i = 0; i < j->plan.n_sends; i++) {
		j->plan.sends[i].skipped = j->done[i];
	}
	j->sessions = sessions_create(&j->plan);
	for (uint32_t i = 0; i < j->plan.n_sends; i++) {
		if (!j->done[i]) {
			continue;
		}
		if (sessions_wants(j->sessions, i)) {
			c = c ? c : capture_open(dirs, 1, &error);
			if (c) {
				recall(j, c, i);
			}
		}
		sessions_send_ended(j->sessions, i);
	}
	free(error);
	capture_close(c);
}

static void send(struct replay_job *j, struct replay_store *store, uint32_t repeat,
        const struct runner_settings *runner, struct load_figures *figures)
{
	struct runner_settings settings = *runner;
	struct runner_result result;
	begin_sessions(j);
	for (size_t i = 0; i < j->plan.n_sends; i++) {
		j->plan.sends[i].skipped = j->done[i] || !is_of(j, i, repeat);
	}
	settings.sessions = j->sessions;
	settings.only_open = !j->o->history && !source_is_suite(j->source);
	settings.recorder = store->to.recorder;
	settings.budget = &store->to.budget;
	settings.book = store->to.book;
	settings.written = &store->written;
	uint64_t before = figures->sent;
	runner_run(&settings, figures, &result);
	/* The rest of the warm-up applies to the next repeat, if there is one. */
	j->runner.warm_up -= MIN(j->runner.warm_up, figures->sent - before);
	for (size_t i = 0; i < result.unfit.n; i++) {
		const struct error_count *why = &result.unfit.items[i];
		error_tally_add_many(&j->result.unfit, why->why, why->n);
	}
	j->result.end = result.end;
	j->result.left = result.left;
	error_tally_finish(&result.unfit);
	/* Sends that the runner marked as skipped need not be sent any more. */
	for (size_t i = 0; i < j->plan.n_sends; i++) {
		j->done[i] = j->done[i] || (is_of(j, i, repeat) && j->plan.sends[i].skipped);
	}
}

void replay_job_send(struct replay_job *j, struct replay_store *store, uint32_t repeat)
{
	struct runner_settings settings = j->runner;
	settings.on_tick = j->view ? progress_view_tick : NULL;
	settings.arg = j->view;
	send(j, store, repeat, &settings, &j->figures);
}

void replay_job_send_step(struct replay_job *j, struct replay_store *store,
        const struct replay_step *step, struct load_figures *figures)
{
	struct runner_settings settings = j->runner;
	settings.rate = step->rate;
	settings.duration = step->duration;
	settings.seed = step->seed;
	settings.on_tick = step->on_tick;
	settings.arg = step->arg;
	send(j, store, REPLAY_JOB_ALL, &settings, figures);
}

bool replay_job_is_whole(const struct replay_job *j)
{
	return j->result.end == RUNNER_TIME || j->report.measured ||
	       (j->result.end == RUNNER_DONE && j->result.left == 0);
}

void replay_job_finish(struct replay_job *j)
{
	error_tally_finish(&j->result.unfit);
	load_figures_finish(&j->figures);
	for (size_t i = 0; i < j->n_backends && j->shares; i++) {
		load_figures_finish(&j->shares[i]);
	}
	free(j->shares);
	for (size_t i = 0; i < j->n_models; i++) {
		free(j->models[i]);
	}
	free(j->models);
	source_scan_finish(&j->scan);
	error_tally_finish(&j->unreplayable);
	sessions_destroy(j->sessions);
	think_time_finish(&j->think);
	plan_finish(&j->plan);
	if (j->done && j->report.before == 0) {
		resume_drop_empty(j->sent);
	}
	resume_close(j->sent);
	source_destroy(j->source);
	free(j->done);
}
