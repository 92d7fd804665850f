/*
 * plumbline replay - sends recorded requests to another engine.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "capture/capture_meta.h"
#include "cli/replay/campaign.h"
#include "cli/commands.h"
#include "cli/verb.h"
#include "cli/contents.h"
#include "cli/opinions/annotation_store.h"
#include "cli/opinions/score.h"
#include "cli/outfile.h"
#include "cli/replay/replay_job.h"
#include "cli/replay/replay_notice.h"
#include "cli/replay/replay_steps.h"
#include "replay/replay_summary_text.h"

/* The state of one replay. It can be finished as a whole, whatever stage the replay reached. */
struct replay {
	const struct replay_options *o;
	struct capture *capture;         /* the source, or NULL */
	struct replay_backend *backends; /* one; with --spread, several */
	size_t n_backends;
	const char *dir; /* where answers go */
	struct marker marker;
	struct progress_view view;
	struct replay_job job;
	struct steps steps;
};

static int needs_capture(const struct replay_options *o)
{
	return verb_fail("replay", EXIT_USAGE,
	        xasprintf("%s is no capture, so --capture DIR is needed: "
	                  "where the answers are to be recorded",
	                o->source));
}

/* Opens the destination of the answers. If need be, creates it with the source's key. */
static int open_destination(struct replay *r)
{
	const struct replay_options *o = r->o;
	uint8_t key[32];
	char *error = NULL;
	if (!r->capture && !o->capture) {
		return needs_capture(o);
	}
	bool has_key = r->capture && capture_hash_key(o->source, key);
	r->dir = o->capture ? o->capture : o->source;
	return marker_make(r->dir, has_key ? key : NULL, &r->marker, &error) < 0
	               ? verb_fail("replay", EXIT_USAGE, error)
	               : EXIT_PASS;
}

/* Writes several backends like a configuration's references, so that their names can be looked
 * up. */
static void put_references(struct buf *to, const struct replay *r)
{
	buf_append_str(to, ", \"references\": [");
	for (size_t i = 0; i < r->n_backends; i++) {
		buf_append_str(to, i ? ", {" : "{");
		replay_backend_describe(&r->backends[i], to);
		buf_append_char(to, '}');
	}
	buf_append_char(to, ']');
}

static char *describe(const struct replay *r)
{
	char id[ID_TEXT_SIZE];
	const struct replay_job *j = &r->job;
	const struct target *t = &r->backends->target;
	struct buf to = {0};
	buf_append_str(&to, "{\"replay\": {\"source\": ");
	json_put_string(&to, span_of(r->o->source));
	if (r->n_backends == 1) {
		buf_append_str(&to, ", ");
		replay_backend_describe(r->backends, &to);
	}
	buf_printf(&to,
	        ", \"run\": \"%s\", \"align\": \"%s\", "
	        "\"concurrency\": %u, \"history\": \"%s\"}",
	        id_format(resume_run(j->sent), id), align_name(t->rules.align),
	        j->runner.concurrency, replay_job_takes_answers(j) ? "answered" : "recorded");
	if (r->n_backends > 1) {
		put_references(&to, r);
	}
	buf_append_char(&to, '}');
	return buf_steal(&to);
}

/* Whether there were failed answers and no others. */
static bool all_failed(const struct replay_job *j)
{
	return load_figures_failed(&j->figures) > 0 && load_figures_answered(&j->figures) == 0;
}

static int conclude(struct replay *r)
{
	if (r->o->json) {
		replay_summary_json(&r->job.report, stdout);
	} else {
		replay_summary_text(&r->job.report, stdout);
		if (load_figures_answered(&r->job.figures) > 0) {
			annotation_print_command(r->capture ? r->o->source : r->dir,
			        r->capture ? r->o->capture : NULL, stdout);
		}
	}
	if (r->o->save) {
		int code = replay_summary_save(&r->job.report, r->o->save);
		if (code < 0) {
			return verb_fail("replay", EXIT_RUNTIME,
			        xasprintf("%s can't be written: %s", r->o->save, strerror(-code)));
		}
		contents_print("replay", r->o->save, CONTENTS_NO_TEXTS);
	}
	bool whole = replay_job_is_whole(&r->job) && r->job.report.lost == 0;
	return verb_flush("replay", whole && !all_failed(&r->job) ? EXIT_PASS : EXIT_RUNTIME);
}

/* The file holds the figures that one call measured. If this call measured none, the file of an
 * earlier call stays. */
static void tell_unsaved(const struct replay_options *o)
{
	if (o->save) {
		fprintf(stderr,
		        "plumbline replay: %s is not written: nothing was sent, so nothing was "
		        "measured\n",
		        o->save);
	}
}

static void tell_nothing(const struct replay_job *j, FILE *to)
{
	replay_notice_nothing(j, to);
	for (size_t i = 0; i < j->unreplayable.n; i++) {
		fprintf(to, "  %" PRIu64 " can't be replayed: %s\n", j->unreplayable.items[i].n,
		        j->unreplayable.items[i].why);
	}
}

/* Ends a replay that has nothing left to send, or never had anything. */
static int conclude_idle(struct replay *r)
{
	tell_unsaved(r->o);
	if (r->o->json) {
		replay_summary_json(&r->job.report, stdout);
		if (r->job.plan.n_sends == 0) {
			tell_nothing(&r->job, stderr);
		}
		return r->job.plan.n_sends ? EXIT_PASS : EXIT_NOT_ENOUGH;
	}
	if (r->job.plan.n_sends) {
		terminal_printf(stdout,
		        "All %zu requests of this run have been sent; --again sends them again, in "
		        "a new run.\n",
		        r->job.plan.n_sends);
		return EXIT_PASS;
	}
	tell_nothing(&r->job, stdout);
	return EXIT_NOT_ENOUGH;
}

static int send_all(struct replay *r)
{
	struct replay_store store = {0};
	char *settings = describe(r);
	char *error = recording_open(&store.to, r->dir, r->marker.hash_key, settings, "replay");
	free(settings);
	if (error) {
		return verb_fail("replay", EXIT_RUNTIME, error);
	}
	progress_view_init(&r->view, r->o->json);
	progress_view_begin(&r->view, &r->job.report);
	for (size_t i = 0; i < r->n_backends; i++) {
		replay_backend_record(&r->backends[i], store.to.recorder);
	}
	if (r->o->load == LOAD_RATE && pace_has_steps(&r->o->pace)) {
		replay_steps_send(&r->job, &store, &r->steps);
	} else {
		replay_job_send(&r->job, &store, REPLAY_JOB_ALL);
	}
	r->job.report.lost = recording_close(&store.to);
	keyset_finish(&store.written);
	return conclude(r);
}

/* Checks this first, not only after everything was sent and measured. */
static int check_save(const struct replay_options *o)
{
	char *problem = o->save ? outfile_check("save-result", o->save, o->capture) : NULL;
	return problem ? verb_fail("replay", EXIT_USAGE, problem) : EXIT_PASS;
}

/* Checks a backend's name. Figures and legs identify backends by their names. */
static int check_name(const struct replay *r, size_t i)
{
	const char *name = r->backends[i].target.name;
	for (size_t k = 0; k < i; k++) {
		if (strcmp(r->backends[k].target.name, name) == 0) {
			return verb_fail("replay", EXIT_USAGE,
			        xasprintf("--to %s and --to %s are called %s: give them names in "
			                  "-c FILE",
			                r->o->to[k], r->o->to[i], name));
		}
	}
	return EXIT_PASS;
}

static int find_backends(struct replay *r)
{
	int code = EXIT_PASS;
	for (size_t i = 0; i < r->n_backends && code == EXIT_PASS; i++) {
		struct replay_wish wish = r->o->wish;
		wish.to = r->o->to[i];
		code = replay_backend_find(&r->backends[i], r->capture, &wish);
		code = code == EXIT_PASS ? check_name(r, i) : code;
	}
	for (size_t i = 0; i < r->n_backends && code == EXIT_PASS; i++) {
		code = replay_backend_identify(&r->backends[i], &r->o->wish);
	}
	return code;
}

static int prepare(struct replay *r)
{
	int code = replay_check_places("replay", &r->o->concurrency, 1);
	if (code == EXIT_PASS) {
		code = check_save(r->o);
	}
	if (code == EXIT_PASS) {
		code = replay_job_open_source("replay", r->o->source, &r->capture);
	}
	if (code == EXIT_PASS) {
		code = find_backends(r);
	}
	if (code == EXIT_PASS) {
		code = open_destination(r);
	}
	r->job = (struct replay_job){
	        .o = r->o,
	        .backends = r->backends,
	        .n_backends = r->n_backends,
	        .capture = r->capture,
	        .dir = r->dir,
	        .marker = &r->marker,
	        .view = &r->view,
	};
	if (code == EXIT_PASS) {
		code = replay_job_scan(&r->job);
	}
	code = code == EXIT_PASS ? replay_job_open(&r->job, NULL) : code;
	if (code == EXIT_PASS) {
		replay_notice_load(&r->job);
	}
	return code;
}

static int run(const struct replay_options *o)
{
	struct replay r = {.o = o, .n_backends = o->n_to};
	r.backends = xcalloc(r.n_backends, sizeof(*r.backends));
	int code = prepare(&r);
	if (code == EXIT_PASS) {
		code = r.job.report.before < r.job.plan.n_sends ? send_all(&r) : conclude_idle(&r);
	}
	replay_job_finish(&r.job);
	if (r.marker.is_new) {
		marker_drop(r.dir);
	}
	for (size_t i = 0; i < r.n_backends; i++) {
		replay_backend_finish(&r.backends[i]);
	}
	free(r.backends);
	capture_close(r.capture);
	return code;
}

/* Concludes each lane, that is, one source sent to one target at one level. Returns the worst
 * exit code of all lanes. */
static int conclude_lanes(const struct campaign *c, const struct replay_options *o)
{
	bool any = false, failed = false;
	for (size_t i = 0; i < c->n_lanes; i++) {
		any |= c->lanes[i].job.plan.n_sends > 0;
		failed |= all_failed(&c->lanes[i].job);
	}
	for (size_t i = 0; i < c->n_lanes; i++) {
		const struct replay_job *j = &c->lanes[i].job;
		if (o->json) {
			replay_summary_json(&j->report, stdout);
		} else if (any) {
			printf("%s", i ? "\n" : "");
			replay_summary_text(&j->report, stdout);
		}
	}
	if (any && !failed && !o->json) {
		bool is_capture = c->lanes[0].job.capture;
		annotation_print_command(
		        is_capture ? o->source : c->dir, is_capture ? o->capture : NULL, stdout);
	}
	if (!any && c->n_lanes > 0) {
		tell_nothing(&c->lanes[0].job, o->json ? stderr : stdout);
	}
	return verb_flush("replay", failed ? EXIT_RUNTIME : any ? EXIT_PASS : EXIT_NOT_ENOUGH);
}

/* Replays to several backends, or at several levels. Within each repeat the order of the lanes
 * is random. */
static int run_several(const struct replay_options *o)
{
	static const unsigned USUAL[] = {0};
	struct stat st;
	const char *source = o->source;
	/* If the source does not exist, opening it reports that. */
	if (!o->capture && stat(source, &st) == 0 && !S_ISDIR(st.st_mode)) {
		return needs_capture(o);
	}
	struct campaign_target *targets = xcalloc(o->n_to, sizeof(*targets));
	for (size_t i = 0; i < o->n_to; i++) {
		targets[i] = (struct campaign_target){.wish = o->wish, .keeps_role = true};
		targets[i].wish.to = o->to[i];
	}
	struct campaign c = {
	        .options = o,
	        .sources = &source,
	        .n_sources = 1,
	        .targets = targets,
	        .n_targets = o->n_to,
	        .levels = o->n_levels ? o->levels : USUAL,
	        .n_levels = MAX(o->n_levels, (size_t)1),
	        .json = o->json,
	        .dir = o->capture ? o->capture : source,
	};
	int code = campaign_prepare(&c);
	if (code == EXIT_PASS) {
		code = campaign_run(&c);
		int said = conclude_lanes(&c, o);
		code = code == EXIT_PASS ? said : code;
	}
	campaign_finish(&c);
	free(targets);
	return code;
}

/* "host:8000" of "http://host:8000/v1"; NULL: it is a name. */
static char *host_of(const char *to)
{
	const char *host = strstr(to, "://");
	return host ? xstrndup(host + 3, strcspn(host + 3, "/?#")) : NULL;
}

/* Has the target score the recorded answers, as `plumbline score` does. */
static int force_tokens(const struct replay_options *o)
{
	const char *option = replay_options_beside_forced(o);
	if (option || o->n_to > 1 || o->n_levels > 1) {
		return verb_fail("replay", EXIT_USAGE,
		        xasprintf(
		                "--force-tokens scores the recorded tokens, and goes without %s%s",
		                option        ? "--"
		                : o->n_to > 1 ? "several --to"
		                              : "several levels of --concurrency",
		                option ? option : ""));
	}
	if (o->concurrency > SCORE_CONCURRENCY_LIMIT) {
		return verb_fail("replay", EXIT_USAGE,
		        xasprintf("--concurrency is at most %d with --force-tokens",
		                SCORE_CONCURRENCY_LIMIT));
	}
	char *host = host_of(o->wish.to);
	const struct score_options score = {
	        .verb = "replay",
	        .dir = o->source,
	        .engine = {.name = o->wish.name ? o->wish.name
	                           : host       ? host
	                                        : o->wish.to,
	                .url = host ? o->wish.to : NULL,
	                .config = o->wish.config,
	                .key_variable = o->wish.api_key_env,
	                .dialect = o->wish.dialect},
	        .model = o->wish.model,
	        .capture = o->capture,
	        .concurrency = o->concurrency ? o->concurrency : SCORE_CONCURRENCY,
	        .top = o->top,
	        .limit = o->limit,
	        .timeout_ns = o->timeout,
	        .json = o->json,
	};
	int code = score_run(&score);
	free(host);
	return code;
}

int command_replay(int argc, char **argv)
{
	struct replay_options o;
	int code;
	if (!replay_options_read(argc, argv, &o, &code)) {
		return code;
	}
	if (o.force_tokens) {
		return force_tokens(&o);
	}
	bool several = o.n_to > 1 && o.spread == SPREAD_ALL;
	return several || o.n_levels > 1 ? run_several(&o) : run(&o);
}
