/*
 * plumbline replay - sends recorded requests to another engine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backends/transport/base_url.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/terminal.h"
#include "capture/record_json.h"
#include "cli/commands.h"
#include "cli/engine_url.h"
#include "cli/known_backend.h"
#include "cli/verb.h"
#include "cli/written.h"
#include "cli/opinions/opinion_run.h"
#include "cli/opinions/score.h"
#include "cli/outfile.h"
#include "cli/replay/replay_backend_find.h"
#include "cli/replay/replay_option_rows.h"
#include "replay/campaign/replay_notice.h"
#include "replay/campaign/replay_steps.h"

/* Describes the replay for the segment. */
static char *describe(const struct campaign *c)
{
	const struct replay_job *j = &c->lanes->job;
	struct buf to = {0};
	struct json_writer w = {.to = &to};
	json_writer_open(&w, NULL, '{');
	json_writer_open(&w, "replay", '{');
	json_writer_string(&w, "source", span_of(j->o->source));
	if (c->n_targets == 1) {
		replay_backend_describe(c->backends, &w);
	}
	record_json_id(&w, "run", resume_run(j->sent));
	json_writer_count(&w, "concurrency", j->runner.concurrency);
	record_json_text(&w, "history", replay_job_takes_answers(j) ? "answered" : "recorded");
	json_writer_close(&w, "}");
	if (c->n_targets > 1) {
		campaign_put_references(c, &w);
	}
	json_writer_close(&w, "}");
	return buf_steal(&to);
}

/* Whether there were failed answers and no others. */
static bool all_failed(const struct replay_job *j)
{
	return load_figures_failed(&j->figures) > 0 && load_figures_answered(&j->figures) == 0;
}

/* Prints how to analyze the answers: together with the source, if that is a capture. */
static void print_analyze(const struct campaign *c, const struct replay_options *o)
{
	bool is_capture = c->captures[0];
	opinion_run_print_command(is_capture ? o->source : c->dir, is_capture ? o->capture : NULL,
	        NULL, NULL, stdout);
}

static int conclude(const struct campaign *c, const struct replay_options *o)
{
	const struct replay_job *j = &c->lanes->job;
	if (o->json) {
		replay_summary_json(&j->report, stdout);
	} else {
		replay_summary_text(&j->report, stdout);
		if (load_figures_answered(&j->figures) > 0) {
			print_analyze(c, o);
		}
	}
	if (o->save) {
		int code = replay_summary_save(&j->report, o->save);
		if (code < 0) {
			return verb_fail("replay", EXIT_RUNTIME,
			        xasprintf("%s can't be written: %s", o->save, strerror(-code)));
		}
		written_print("replay", o->save, WRITTEN_NO_TEXTS);
	}
	bool whole = replay_job_is_whole(j) && j->report.lost == 0;
	return verb_flush("replay", whole && !all_failed(j) ? EXIT_PASS : EXIT_RUNTIME);
}

static void print_nothing_to_send(const struct replay_job *j, FILE *to)
{
	replay_notice_nothing(j, to);
	error_tally_print(&j->unreplayable, "  ", "can't be replayed", to);
}

/* Ends a replay that has nothing left to send, or never had anything. */
static int conclude_idle(const struct replay_job *j)
{
	/* The file holds the figures that one call measured. If this call measured none, the file
	 * of an earlier call stays. */
	if (j->o->save) {
		fprintf(stderr,
		        "plumbline replay: nothing was sent, so there are no figures and %s is not "
		        "written\n",
		        j->o->save);
	}
	if (j->o->json) {
		replay_summary_json(&j->report, stdout);
		if (j->plan.n_sends == 0) {
			print_nothing_to_send(j, stderr);
		}
		return j->plan.n_sends ? EXIT_PASS : EXIT_NOT_ENOUGH;
	}
	if (j->plan.n_sends) {
		terminal_printf(stdout,
		        "This run is complete: %zu %s sent. --again sends everything again, in a "
		        "new run.\n",
		        j->plan.n_sends, plural(j->plan.n_sends, "request was", "requests were"));
		return EXIT_PASS;
	}
	print_nothing_to_send(j, stdout);
	return EXIT_NOT_ENOUGH;
}

/* Sends the only lane, at its load, and prints its result. */
static int send_one(struct campaign *c, const struct replay_options *o)
{
	struct replay_job *j = &c->lanes->job;
	struct steps steps;
	if (j->report.before == j->plan.n_sends) {
		return conclude_idle(j);
	}
	int code = campaign_record(c, describe(c));
	if (code != EXIT_PASS) {
		return code;
	}
	progress_view_init(&c->view, o->json);
	progress_view_begin(&c->view, &j->report);
	if (o->load == LOAD_RATE && pace_has_steps(&o->pace)) {
		replay_steps_send(j, &c->store, &steps);
	} else {
		replay_job_send(j, &c->store, REPLAY_JOB_ALL);
	}
	j->report.lost = recording_close(&c->store.to);
	return conclude(c, o);
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
		print_analyze(c, o);
	}
	if (!any && c->n_lanes > 0) {
		print_nothing_to_send(&c->lanes[0].job, o->json ? stderr : stdout);
	}
	return verb_flush("replay", failed ? EXIT_RUNTIME : any ? EXIT_PASS : EXIT_NOT_ENOUGH);
}

/* Finds errors that would otherwise be reported only after everything was sent. */
static int check_places(const struct replay_options *o)
{
	struct stat st;
	char *problem = o->save ? outfile_check("save-result", o->save, o->capture) : NULL;
	/* If the source does not exist, opening it reports that. */
	if (!problem && !o->capture && stat(o->source, &st) == 0 && !S_ISDIR(st.st_mode)) {
		problem = xasprintf(
		        "%s is not a capture: say with --capture DIR where to record the answers",
		        o->source);
	}
	return problem ? verb_fail("replay", EXIT_USAGE, problem) : EXIT_PASS;
}

/* Answers of two engines that have one name would count as one engine's, uncompared. NULL: there
 * is no capture. Returns whether it warned. */
static bool warn_of_shared_name(struct capture *known, const struct target *t)
{
	char *url = known ? known_backend_elsewhere(known, t->name, t->url) : NULL;
	bool shared = url;
	if (shared) {
		fprintf(stderr,
		        "plumbline replay: warning: the capture has answers of \"%s\" at %s; those "
		        "of %s will count as the same engine's. To compare the two, choose "
		        "another --name\n",
		        t->name, url, t->url);
	}
	free(url);
	return shared;
}

static void warn_of_shared_names(const struct campaign *c, const struct replay_options *o)
{
	char *error = NULL;
	struct capture *to = o->capture ? capture_open(&o->capture, 1, &error) : NULL;
	for (size_t i = 0; i < o->n_to; i++) {
		const struct target *t = &c->backends[i].target;
		if (base_url_is_one(o->to[i]) && !warn_of_shared_name(c->captures[0], t)) {
			warn_of_shared_name(to, t);
		}
	}
	capture_close(to);
	free(error);
}

/* Several backends, or several levels, are lanes of a campaign, whose order is random within each
 * repeat. A single lane may have any load. */
static int run(const struct replay_options *given)
{
	static const unsigned USUAL[] = {0};
	struct replay_options o = *given;
	bool spread = o.spread == SPREAD_ROUND_ROBIN;
	bool single = o.n_levels <= 1 && (o.n_to == 1 || spread);
	int code = check_places(&o);
	if (code != EXIT_PASS) {
		return code;
	}
	struct campaign_target targets[REPLAY_TARGETS];
	for (size_t i = 0; i < o.n_to; i++) {
		targets[i] = (struct campaign_target){.backend = o.backend, .keeps_role = true};
		targets[i].backend.to = o.to[i];
	}
	o.extends = !single;
	struct campaign c = {
	        .options = &o,
	        .sources = &o.source,
	        .n_sources = 1,
	        .targets = targets,
	        .n_targets = o.n_to,
	        .spread = spread,
	        .levels = o.n_levels ? o.levels : USUAL,
	        .n_levels = MAX(o.n_levels, (size_t)1),
	        .json = o.json,
	        .dir = o.capture ? o.capture : o.source,
	};
	code = replay_targets_find(&c);
	if (code == EXIT_PASS) {
		warn_of_shared_names(&c, &o);
	}
	if (code == EXIT_PASS && single) {
		code = send_one(&c, &o);
	} else if (code == EXIT_PASS) {
		code = campaign_run(&c);
		int lanes_code = conclude_lanes(&c, &o);
		code = code == EXIT_PASS ? lanes_code : code;
	}
	campaign_finish(&c);
	return code;
}

/* Has the target score the recorded answers, as `plumbline score` does. */
static int force_tokens(const struct replay_options *o)
{
	const char *option = replay_option_rows_beside_forced(o);
	if (option || o->n_to > 1 || o->n_levels > 1) {
		return verb_fail("replay", EXIT_USAGE,
		        xasprintf("--force-tokens excludes %s%s",
		                option        ? "--"
		                : o->n_to > 1 ? "several --to"
		                              : "several levels of --concurrency",
		                option ? option : ""));
	}
	if (o->concurrency > ANNOTATOR_WORKERS) {
		return verb_fail("replay", EXIT_USAGE,
		        xasprintf("--concurrency is at most %d with --force-tokens",
		                ANNOTATOR_WORKERS));
	}
	char *host = engine_url_host(o->backend.to);
	struct score_run score = {
	        .run = {.verb = "replay", .dir = o->source, .to = o->capture},
	        .asked_engine = {.name = o->backend.name ? o->backend.name
	                                 : host          ? host
	                                                 : o->backend.to,
	                .url = host ? o->backend.to : NULL,
	                .config = o->backend.config,
	                .key_variable = o->backend.api_key_env,
	                .dialect = o->backend.dialect},
	        .model = o->backend.model,
	        .job = {.concurrency = o->concurrency ? o->concurrency : SCORE_CONCURRENCY,
	                .limit = o->limit,
	                .scorer.top = o->top},
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
	if (!replay_option_rows_read(argc, argv, &o, &code)) {
		return code;
	}
	return o.force_tokens ? force_tokens(&o) : run(&o);
}
