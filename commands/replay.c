/*
 * plumbline replay - what was recorded, sent to another engine.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "base/json.h"
#include "base/mem.h"
#include "capture/capture_meta.h"
#include "capture/marker.h"
#include "commands/commands.h"
#include "commands/replay_options.h"
#include "imports/requests.h"
#include "replay/summary.h"

#define STOP_NS (UINT64_C(60) * 1000000000)
#define DEFAULT_CONCURRENCY 4

/* All that one replay needs; finished whole, however far it came. */
struct replay {
	const struct replay_options *o;
	struct capture *capture; /* the source, or NULL */
	struct source *source;
	struct replay_backend backend;
	const char *dir; /* where answers go */
	struct marker marker;
	struct sent *sent;
	struct plan plan;
	struct reasons unreplayable;
	struct source_scan scan;
	struct budget budget;
	struct ledger *ledger;
	struct sessions *sessions;
	struct runner_settings runner;
	struct runner_result result;
	struct figures figures;
	struct summary report;
	struct view view;
};

static bool is_directory(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int open_source_capture(struct replay *r)
{
	const struct replay_options *o = r->o;
	char *error = NULL;
	if (!is_directory(o->source)) {
		return o->capture
		               ? EXIT_PASS
		               : commands_fail("replay", EXIT_USAGE,
		                         xasprintf("%s is no capture, so --capture DIR is needed: "
		                                   "where the answers are to be recorded",
		                                 o->source));
	}
	const char *dirs[] = {o->source};
	r->capture = capture_open(dirs, 1, &error);
	if (!r->capture) {
		return commands_fail("replay", EXIT_USAGE, error);
	}
	return EXIT_PASS;
}

/* Where the answers go: made if need be, with the source's key. */
static int open_destination(struct replay *r)
{
	const struct replay_options *o = r->o;
	uint8_t key[32];
	char *error = NULL;
	bool has_key = r->capture && capture_hash_key(o->source, key);
	r->dir = o->capture ? o->capture : o->source;
	if (marker_make(r->dir, has_key ? key : NULL, &r->marker, &error) < 0) {
		return commands_fail("replay", EXIT_USAGE, error);
	}
	r->source = r->capture ? source_capture(r->capture)
	                       : source_lines(o->source, r->marker.hash_key, &error);
	const struct request_format *format = r->source ? source_format(r->source) : NULL;
	if (format) {
		fprintf(stderr, "plumbline replay: %s is read as %s%s\n", o->source, format->title,
		        format->made_up ? "; where it tells lengths only, prompts are made up to "
		                          "them, a short word a token"
		                        : "");
	}
	return r->source ? EXIT_PASS : commands_fail("replay", EXIT_USAGE, error);
}

static int open_sent(struct replay *r)
{
	struct buf text = {0};
	char *error = NULL;
	char key[33];
	replay_options_put(r->o, &text);
	XXH128_hash_t hash = XXH3_128bits(text.data, text.len);
	snprintf(key, sizeof(key), "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64,
	        (uint64_t)hash.low64);
	buf_finish(&text);
	r->sent = sent_open(r->dir, key, r->o->again, &error);
	return r->sent ? EXIT_PASS : commands_fail("replay", EXIT_RUNTIME, error);
}

static int scan_source(struct replay *r)
{
	const struct replay_options *o = r->o;
	r->scan = (struct source_scan){
	        .rules = &o->rules,
	        .limit = o->limit,
	        .plan = &r->plan,
	        .unfit = &r->unreplayable,
	};
	int code = source_scan(r->source, &r->scan);
	if (code < 0) {
		return commands_fail("replay", EXIT_RUNTIME,
		        xasprintf("%s can't be read: %s", o->source,
		                code == -E2BIG ? "more requests than a replay holds"
		                               : strerror(-code)));
	}
	if (r->plan.n_requests > PLAN_LIMIT / o->repeats) {
		return commands_fail("replay", EXIT_USAGE,
		        xstrdup("more sends than a replay holds: fewer --repeats"));
	}
	plan_link(&r->plan);
	plan_order(&r->plan, o->order, o->seed, o->repeats);
	return EXIT_PASS;
}

/* What this run was answered before, where a later turn is still to be sent with it. */
static void recall(struct replay *r, struct capture *c, uint32_t send)
{
	const struct plan_send *s = &r->plan.sends[send];
	struct capture_exchange e;
	if (!sessions_wants(r->sessions, send) ||
	        capture_find(c, r->plan.requests[s->request].exchange, &e) < 0) {
		return;
	}
	for (size_t i = 0; i < e.n_legs; i++) {
		const struct leg_row *leg = &e.legs[i].row;
		struct reading *reading;
		if (id_compare(leg->run, sent_run(r->sent)) != 0 ||
		        leg->outcome == OUTCOME_STOPPED || leg->repeat != s->repeat ||
		        capture_reading(c, &e, i, &reading) < 0) {
			continue;
		}
		sessions_answer_read(r->sessions, send, e.row.facts.n_messages, reading);
		reading_destroy(reading);
		break;
	}
	capture_exchange_finish(&e);
}

static void begin_sessions(struct replay *r, struct capture *c)
{
	bool is_suite = source_is_suite(r->source);
	int history = r->o->history ? r->o->history : is_suite ? HISTORY_ANSWERED : 0;
	if (history != HISTORY_ANSWERED) {
		return;
	}
	r->sessions = sessions_create(&r->plan);
	for (uint32_t i = 0; i < r->plan.n_sends; i++) {
		if (r->plan.sends[i].skipped) {
			recall(r, c, i);
			sessions_over(r->sessions, i);
		}
	}
}

/* What this run has sent before is not sent again. */
static int take_up(struct replay *r)
{
	const char *dirs[] = {r->dir};
	char *error = NULL;
	struct capture *c = capture_open(dirs, 1, &error);
	if (!c) {
		return commands_fail("replay", EXIT_USAGE, error);
	}
	sent_read(r->sent, c);
	for (size_t i = 0; i < r->plan.n_sends; i++) {
		struct plan_send *s = &r->plan.sends[i];
		s->skipped = sent_has(r->sent, r->plan.requests[s->request].exchange, s->repeat);
		r->report.before += s->skipped;
	}
	r->report.again = sent_lost(r->sent);
	begin_sessions(r, c);
	capture_close(c);
	return EXIT_PASS;
}

static char *describe(const struct replay *r)
{
	char id[ID_TEXT_SIZE];
	const struct target *t = &r->backend.target;
	struct buf to = {0};
	buf_append_str(&to, "{\"replay\": {\"source\": ");
	json_put_string(&to, span_of(r->o->source));
	buf_append_str(&to, ", \"name\": ");
	json_put_string(&to, span_of(t->name));
	buf_append_str(&to, ", \"url\": ");
	json_put_string(&to, span_of(t->url));
	buf_append_str(&to, ", \"dialect\": ");
	json_put_string(&to, span_of(t->dialect->name));
	buf_printf(&to,
	        ", \"role\": \"%s\", \"run\": \"%s\", \"align\": \"%s\", "
	        "\"concurrency\": %u, \"history\": \"%s\"}}",
	        role_name(t->role), id_format(sent_run(r->sent), id), align_name(t->rules.align),
	        r->runner.concurrency, r->sessions ? "answered" : "recorded");
	return buf_steal(&to);
}

static int open_recorder(struct replay *r)
{
	char *error = NULL;
	char *settings = describe(r);
	budget_init(&r->budget, (size_t)512 << 20);
	const struct recorder_settings s = {
	        .path = r->dir,
	        .segment_size = (uint64_t)1 << 30,
	        .queue_limit = (size_t)64 << 20,
	        .encoders = 1,
	        .budget = &r->budget,
	        .settings_json = settings,
	        .hash_key = r->marker.hash_key,
	};
	r->runner.recorder = recorder_create(&s, &error);
	free(settings);
	if (!r->runner.recorder) {
		return commands_fail("replay", EXIT_RUNTIME, error);
	}
	r->ledger = ledger_create();
	r->runner.book = ledger_book(r->ledger, "replay");
	return EXIT_PASS;
}

static void set_load(struct replay *r)
{
	const struct replay_options *o = r->o;
	struct target *t = &r->backend.target;
	unsigned usual = t->dialect->abilities & ABILITY_ONE_AT_A_TIME ? 1 : DEFAULT_CONCURRENCY;
	t->top = o->top;
	t->want_logprobs = !o->no_logprobs;
	t->want_usage = !o->no_usage;
	t->timeout = o->timeout;
	r->figures.goals = o->goals;
	r->runner = (struct runner_settings){
	        .load = o->load,
	        .concurrency = o->concurrency || o->load != LOAD_CLOSED ? o->concurrency : usual,
	        .rate = o->rate,
	        .arrivals = o->arrivals,
	        .burstiness = o->burstiness,
	        .speed = o->speed,
	        .seed = o->seed,
	        .duration = o->duration,
	        .warm_up = o->warm_up,
	        .error_limit = o->error_limit,
	        .target = t,
	        .source = r->source,
	        .plan = &r->plan,
	        .sent = r->sent,
	        .sessions = r->sessions,
	        .budget = &r->budget,
	        .on_tick = view_tick,
	        .arg = &r->view,
	};
}

static void begin_report(struct replay *r)
{
	struct summary *p = &r->report;
	const struct identity *engine = r->backend.engine;
	const struct target *t = &r->backend.target;
	p->source = r->o->source;
	p->capture = r->dir;
	p->target = t;
	p->version = engine->dialect == t->dialect ? engine->version : NULL;
	p->model = r->o->wish.model   ? r->o->wish.model
	           : r->scan.n_models ? r->scan.models[0]
	                              : NULL;
	p->load = &r->runner;
	p->figures = &r->figures;
	p->result = &r->result;
	p->scan = &r->scan;
	p->run = sent_run(r->sent);
	p->resumed = sent_is_resumed(r->sent);
	p->sends = r->plan.n_sends;
}

static int conclude(struct replay *r)
{
	const struct runner_result *result = &r->result;
	if (r->o->json) {
		summary_json(&r->report, stdout);
	} else {
		summary_text(&r->report, stdout);
	}
	if (r->o->save) {
		int code = summary_save(&r->report, r->o->save);
		if (code < 0) {
			return commands_fail("replay", EXIT_RUNTIME,
			        xasprintf("%s can't be written: %s", r->o->save, strerror(-code)));
		}
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		return commands_fail(
		        "replay", EXIT_RUNTIME, xstrdup("the summary can't be written"));
	}
	bool whole = result->end == RUNNER_TIME || (result->end == RUNNER_DONE && !result->left);
	if (!whole || r->report.lost > 0) {
		return EXIT_RUNTIME;
	}
	if (r->figures.failed.total > 0 && r->figures.completed + r->figures.warm_up == 0) {
		return EXIT_RUNTIME;
	}
	return EXIT_PASS;
}

/* Nothing is left to do, or nothing ever was. */
static int conclude_idle(struct replay *r)
{
	if (r->o->json) {
		summary_json(&r->report, stdout);
		return r->plan.n_sends ? EXIT_PASS : EXIT_NOT_ENOUGH;
	}
	if (r->plan.n_sends) {
		printf("All %zu requests of this run have been sent; --again sends them anew, in a "
		       "run "
		       "of its own.\n",
		        r->plan.n_sends);
		return EXIT_PASS;
	}
	printf("Nothing to replay: of %" PRIu64 " requests, %" PRIu64 " were not chosen.\n",
	        r->scan.found, r->scan.not_chosen);
	for (size_t i = 0; i < r->unreplayable.n; i++) {
		printf("  %" PRIu64 " can't be replayed: %s\n", r->unreplayable.items[i].n,
		        r->unreplayable.items[i].why);
	}
	return EXIT_NOT_ENOUGH;
}

static int send_all(struct replay *r)
{
	int code = open_recorder(r);
	if (code != EXIT_PASS) {
		return code;
	}
	view_init(&r->view, r->o->json);
	view_begin(&r->view, &r->report);
	replay_backend_record(&r->backend, r->runner.recorder);
	runner_run(&r->runner, &r->figures, &r->result);
	recorder_stop(r->runner.recorder, STOP_NS);
	r->report.lost = ledger_lost(r->ledger);
	return conclude(r);
}

static int check_places(const struct replay_options *o)
{
	unsigned most = runner_places();
	return o->concurrency <= most
	               ? EXIT_PASS
	               : commands_fail("replay", EXIT_USAGE,
	                         xasprintf("--concurrency %u: this process may have %u connections "
	                                   "(ulimit -n)",
	                                 o->concurrency, most));
}

static int prepare(struct replay *r)
{
	int code = check_places(r->o);
	if (code == EXIT_PASS) {
		code = open_source_capture(r);
	}
	if (code == EXIT_PASS) {
		code = replay_backend_find(&r->backend, r->capture, &r->o->wish);
	}
	if (code == EXIT_PASS) {
		code = replay_backend_identify(&r->backend, &r->o->wish);
	}
	if (code == EXIT_PASS) {
		code = open_destination(r);
	}
	if (code == EXIT_PASS) {
		code = scan_source(r);
	}
	if (code == EXIT_PASS && source_is_suite(r->source)) {
		code = replay_backend_choose_model(&r->backend, &r->o->wish);
	}
	if (code == EXIT_PASS) {
		code = replay_backend_check_models(&r->backend, &r->o->wish, &r->scan);
	}
	if (code == EXIT_PASS && r->o->load == LOAD_ORIGINAL && r->plan.n_requests > 0 &&
	        r->scan.timed == 0) {
		code = commands_fail("replay", EXIT_USAGE,
		        xasprintf("%s does not say when its requests came: give --rate "
		                  "or --concurrency",
		                r->o->source));
	}
	return code;
}

static int run(const struct replay_options *o)
{
	struct replay r = {.o = o};
	int code = prepare(&r);
	if (code == EXIT_PASS) {
		code = open_sent(&r);
	}
	if (code == EXIT_PASS) {
		code = take_up(&r);
	}
	if (code == EXIT_PASS) {
		set_load(&r);
		begin_report(&r);
		code = r.report.before < r.plan.n_sends ? send_all(&r) : conclude_idle(&r);
	}
	reasons_finish(&r.result.unfit);
	figures_finish(&r.figures);
	ledger_destroy(r.ledger);
	source_scan_finish(&r.scan);
	reasons_finish(&r.unreplayable);
	sessions_destroy(r.sessions);
	plan_finish(&r.plan);
	sent_close(r.sent);
	source_destroy(r.source);
	replay_backend_finish(&r.backend);
	if (r.capture) {
		capture_close(r.capture);
	}
	return code;
}

int command_replay(int argc, char **argv)
{
	struct replay_options o;
	char *problem = replay_options_parse(argc, argv, &o);
	if (problem) {
		fprintf(stderr, "plumbline replay: %s; see plumbline replay --help\n", problem);
		free(problem);
		return EXIT_USAGE;
	}
	if (o.help) {
		replay_options_usage();
		return EXIT_PASS;
	}
	return run(&o);
}
