#include "replay/campaign/campaign.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/mem.h"
#include "base/moment.h"
#include "base/plural.h"
#include "base/rng.h"
#include "base/terminal.h"
#include "capture/capture_meta.h"
#include "capture/record_json.h"
#include "base/interrupt.h"
#include "base/verb_fail.h"
#include "replay/campaign/replay_notice.h"

/* Limits for the name of a new directory. */
#define TARGETS_SHOWN 4
#define TARGET_SHOWN 20 /* characters */

static const char *command_of(const struct campaign *c)
{
	return c->options->backend.command;
}

int campaign_open(struct campaign *c)
{
	int code = replay_check_levels(command_of(c), c->levels, c->n_levels);
	c->backends = xcalloc(c->n_targets, sizeof(*c->backends));
	c->captures = xcalloc(c->n_sources + 1, sizeof(struct capture *));
	for (size_t i = 0; i < c->n_sources && code == EXIT_PASS; i++) {
		code = replay_job_open_source(command_of(c), c->sources[i], &c->captures[i]);
	}
	return code;
}

/* Checks the targets' names. They identify engines in every figure. */
static int check_names(const struct campaign *c)
{
	for (size_t i = 0; i < c->n_targets; i++) {
		for (size_t k = 0; k < i; k++) {
			const char *name = c->backends[i].target.name;
			if (strcmp(name, c->backends[k].target.name) == 0) {
				return verb_fail(command_of(c), EXIT_USAGE,
				        xasprintf("two targets have the name %s: %s", name,
				                c->targets[i].keeps_role
				                        ? "give them names in -c FILE"
				                        : "give them different labels, as in "
				                          "LABEL=URL"));
			}
		}
	}
	return EXIT_PASS;
}

static int identify_targets(struct campaign *c)
{
	for (size_t i = 0; i < c->n_targets; i++) {
		if (!c->targets[i].keeps_role) {
			c->backends[i].target.role = c->targets[i].role;
		}
	}
	int code = check_names(c);
	for (size_t i = 0; i < c->n_targets && code == EXIT_PASS; i++) {
		code = replay_backend_identify(&c->backends[i], &c->targets[i].backend);
	}
	return code;
}

static void make_lanes(struct campaign *c)
{
	size_t n_targets = c->spread ? 1 : c->n_targets;
	c->n_lanes = c->n_levels * n_targets * c->n_sources;
	c->lanes = xcalloc(c->n_lanes + 1, sizeof(*c->lanes));
	for (size_t i = 0; i < c->n_lanes; i++) {
		struct campaign_lane *lane = &c->lanes[i];
		lane->source = i % c->n_sources;
		lane->target = i / c->n_sources % n_targets;
		lane->level = i / c->n_sources / n_targets;
		lane->options = *c->options;
		lane->options.source = c->sources[lane->source];
		lane->options.backend = c->targets[lane->target].backend;
		lane->options.concurrency = c->levels[lane->level];
	}
}

/* Writes the characters of a target's name that a file's name may contain. */
static void put_target(struct buf *to, const char *name)
{
	buf_append_char(to, '-');
	for (size_t i = 0; name[i] && i < TARGET_SHOWN; i++) {
		bool plain = strchr("._-", name[i]) || isalnum((unsigned char)name[i]);
		buf_append_char(to, plain ? name[i] : '-');
	}
}

/* "plumbline-compare-old-new-1f3a9c2e": the same for the same campaign. */
static char *dir_of(const struct campaign *c)
{
	struct buf text = {0}, dir = {0};
	for (size_t i = 0; i < c->n_lanes; i++) {
		replay_options_put(&c->lanes[i].options, &text);
	}
	uint64_t hash = XXH3_64bits(text.data, text.len);
	buf_finish(&text);
	buf_printf(&dir, "plumbline-%s", command_of(c));
	for (size_t i = 0; i < MIN(c->n_targets, (size_t)TARGETS_SHOWN); i++) {
		put_target(&dir, c->backends[i].target.name);
	}
	buf_printf(&dir, "-%08" PRIx64, hash >> 32);
	return buf_steal(&dir);
}

static int open_destination(struct campaign *c)
{
	uint8_t key[32];
	bool has_key = false;
	char *error = NULL;
	if (!c->dir) {
		c->dir = c->made_dir = dir_of(c);
	}
	for (size_t i = 0; i < c->n_sources && !has_key; i++) {
		has_key = c->captures[i] && capture_hash_key(c->sources[i], key);
	}
	return marker_make(c->dir, has_key ? key : NULL, &c->marker, &error) < 0
	               ? verb_fail(command_of(c), EXIT_USAGE, error)
	               : EXIT_PASS;
}

/* Scans what there is to send, lane by lane. */
static int scan(struct campaign *c)
{
	int code = EXIT_PASS;
	for (size_t i = 0; i < c->n_lanes && code == EXIT_PASS; i++) {
		struct campaign_lane *lane = &c->lanes[i];
		lane->job = (struct replay_job){
		        .o = &lane->options,
		        .backends = &c->backends[lane->target],
		        .n_backends = c->spread ? c->n_targets : 1,
		        .capture = c->captures[lane->source],
		        .dir = c->dir,
		        .marker = &c->marker,
		        .view = &c->view,
		        .is_repeated = lane->target + lane->level > 0,
		};
		code = replay_job_scan(&lane->job);
	}
	return code;
}

/* Finds the run of a level: that of the first lane of the level that has begun. False: none has
 * begun, and the first lane makes a new run. */
static bool find_run(const struct campaign *c, size_t level, struct id *ret)
{
	for (size_t i = 0; i < c->n_lanes; i++) {
		if (c->lanes[i].level == level && replay_job_find_run(&c->lanes[i].job, ret)) {
			return true;
		}
	}
	return false;
}

static int take_up(struct campaign *c)
{
	int code = EXIT_PASS;
	bool known[CAMPAIGN_LEVELS] = {false};
	for (size_t i = 0; i < c->n_levels; i++) {
		known[i] = find_run(c, i, &c->runs[i]);
	}
	for (size_t i = 0; i < c->n_lanes && code == EXIT_PASS; i++) {
		struct campaign_lane *lane = &c->lanes[i];
		code = replay_job_open(
		        &lane->job, known[lane->level] ? &c->runs[lane->level] : NULL);
		if (code == EXIT_PASS) {
			c->runs[lane->level] = resume_run(lane->job.sent);
			known[lane->level] = true;
			c->figures.sends += lane->job.plan.n_sends;
			c->figures.before += lane->job.report.before;
			c->figures.again += lane->job.report.again;
		}
	}
	return code;
}

/* Warns once per target, for the highest level. */
static void warn_of_load(const struct campaign *c, size_t target)
{
	const struct campaign_lane *highest = NULL;
	for (size_t i = 0; i < c->n_lanes; i++) {
		const struct campaign_lane *lane = &c->lanes[i];
		if (lane->target == target &&
		        (!highest || lane->options.concurrency > highest->options.concurrency)) {
			highest = lane;
		}
	}
	if (highest) {
		replay_notice_load(&highest->job);
	}
}

int campaign_prepare(struct campaign *c)
{
	int code = identify_targets(c);
	if (code != EXIT_PASS) {
		return code;
	}
	make_lanes(c);
	code = open_destination(c);
	if (code == EXIT_PASS) {
		code = scan(c);
	}
	code = code == EXIT_PASS ? take_up(c) : code;
	for (size_t i = 0; i < c->n_targets && code == EXIT_PASS; i++) {
		warn_of_load(c, i);
	}
	return code;
}

void campaign_put_references(const struct campaign *c, struct json_writer *w)
{
	json_writer_open(w, "references", '[');
	for (size_t i = 0; i < c->n_targets; i++) {
		json_writer_open(w, NULL, '{');
		replay_backend_describe(&c->backends[i], w);
		json_writer_close(w, "}");
	}
	json_writer_close(w, "]");
}

/* Describes the campaign for the segment. */
static char *describe(const struct campaign *c)
{
	struct buf to = {0};
	struct json_writer w = {.to = &to};
	json_writer_open(&w, NULL, '{');
	json_writer_open(&w, "campaign", '{');
	record_json_text(&w, "command", command_of(c));
	json_writer_open(&w, "sources", '[');
	for (size_t i = 0; i < c->n_sources; i++) {
		json_writer_text(&w, NULL, c->sources[i]);
	}
	json_writer_close(&w, "]");
	json_writer_open(&w, "levels", '[');
	for (size_t i = 0; i < c->n_levels; i++) {
		json_writer_open(&w, NULL, '{');
		json_writer_count(&w, "concurrency", c->levels[i]);
		record_json_id(&w, "run", c->runs[i]);
		json_writer_close(&w, "}");
	}
	json_writer_close(&w, "]");
	json_writer_count(&w, "repeats", c->options->repeats);
	json_writer_count(&w, "seed", c->options->seed);
	json_writer_close(&w, "}");
	campaign_put_references(c, &w);
	json_writer_close(&w, "}");
	return buf_steal(&to);
}

/* If a command runs several campaigns, announces only the first. */
static void print_beginning(const struct campaign *c)
{
	const struct campaign_figures *f = &c->figures;
	if (c->sent_before > 0) {
		return;
	}
	uint64_t sends = f->sends - f->before + c->sent_after;
	fprintf(stderr, "plumbline %s: %" PRIu64 " %s; recorded in %s\n", command_of(c), sends,
	        plural(sends, "request", "requests"), c->dir);
	for (size_t i = 0; i < c->n_targets; i++) {
		const struct replay_backend *b = &c->backends[i];
		const char *version = replay_backend_version(b);
		fprintf(stderr, "  %s: %s, %s%s%s\n", b->target.name, b->target.url,
		        b->target.dialect->title, version ? " " : "", version ? version : "");
	}
	if (f->before > 0) {
		fprintf(stderr, "  resumed: %" PRIu64 " recorded before", f->before);
		fprintf(stderr,
		        f->again ? ", %" PRIu64 " sent again, because the answers were lost\n"
		                 : "\n",
		        f->again);
	}
}

/* Sets the totals that this pass's progress is a part of. */
static void set_progress(struct campaign *c, const struct campaign_lane *now)
{
	c->view.total = c->sent_before + c->figures.sends - c->figures.before + c->sent_after;
	c->view.target = c->backends[now->target].target.name;
	c->view.done = c->sent_before;
	c->view.may_fail = c->may_fail;
	for (size_t i = 0; i < c->n_lanes; i++) {
		const struct load_figures *f = &c->lanes[i].job.figures;
		if (&c->lanes[i] != now) {
			c->view.done += load_figures_ended(f);
		}
	}
}

/* Runs one pass. False: the campaign ends here. */
static bool pass(struct campaign *c, struct campaign_lane *lane, uint32_t repeat)
{
	if (replay_job_left(&lane->job, repeat) == 0) {
		return true;
	}
	if (c->on_pass) {
		c->on_pass(c->arg, lane->target, repeat);
	}
	set_progress(c, lane);
	if (c->json) {
		progress_view_pass(&c->view, &lane->job.report, repeat);
	}
	replay_job_send(&lane->job, &c->store, repeat);
	interrupt_renew(); /* during a pass the runner handled signals */
	return replay_job_is_whole(&lane->job) && !interrupt_caught();
}

static bool send_repeat(struct campaign *c, uint32_t repeat)
{
	struct rng rng = rng_of(c->options->seed, repeat);
	size_t *order = xcalloc(c->n_lanes + 1, sizeof(*order));
	bool going = true;
	for (size_t i = 0; i < c->n_lanes; i++) {
		order[i] = i;
	}
	RNG_SHUFFLE(&rng, c->n_lanes, order[i]);
	for (size_t i = 0; i < c->n_lanes && going; i++) {
		going = pass(c, &c->lanes[order[i]], repeat);
	}
	free(order);
	return going;
}

static void sum_up(struct campaign *c)
{
	struct campaign_figures *f = &c->figures;
	for (size_t i = 0; i < c->n_lanes; i++) {
		const struct replay_job *j = &c->lanes[i].job;
		f->completed += load_figures_answered(&j->figures);
		f->failed += load_figures_failed(&j->figures);
		f->unfit += j->result.unfit.total;
		f->left += replay_job_left(j, REPLAY_JOB_ALL);
	}
}

/* Reports why the campaign ended early. */
static int print_campaign_end(const struct campaign *c)
{
	const char *why = "interrupted";
	for (size_t i = 0; i < c->n_lanes; i++) {
		const struct replay_job *j = &c->lanes[i].job;
		if (j->result.end == RUNNER_GONE) {
			return verb_fail(command_of(c), EXIT_RUNTIME,
			        xasprintf("%s can no longer be reached; %" PRIu64
			                  " %s left. Run the same command to continue",
			                c->backends[c->lanes[i].target].target.name,
			                c->figures.left,
			                plural(c->figures.left, "request is", "requests are")));
		}
		why = j->result.end == RUNNER_DISK     ? "the capture can't be written"
		      : j->result.end == RUNNER_ERRORS ? "too many answers are errors"
		                                       : why;
	}
	return verb_fail(command_of(c), EXIT_RUNTIME,
	        xasprintf("%s; %" PRIu64 " %s left. Run the same command to continue", why,
	                c->figures.left, plural(c->figures.left, "request is", "requests are")));
}

/* Reports for each target how many answers are errors, and the first reason. */
static void print_failures(const struct campaign *c)
{
	for (size_t i = 0; i < c->n_lanes && !c->may_fail; i++) {
		const struct replay_job *j = &c->lanes[i].job;
		const struct {
			const struct error_tally *reasons;
			const char *what;
		} all[] = {
		        {&j->figures.failed, "failed"},
		        {&j->figures.warm_up_failed, "of the warm-up failed"},
		        {&j->result.unfit, "could not be sent"},
		};
		for (size_t k = 0; k < ARRAY_LEN(all); k++) {
			if (all[k].reasons->n > 0) {
				fprintf(stderr, "plumbline %s: %s, %s: %" PRIu64 " %s: %s\n",
				        command_of(c), j->backends->target.name, j->o->source,
				        all[k].reasons->total, all[k].what,
				        all[k].reasons->items[0].why);
			}
		}
	}
}

int campaign_record(struct campaign *c, char *settings)
{
	char *error = recording_open(&c->store.to, c->dir, c->marker.hash_key, settings, "replay");
	free(settings);
	if (error) {
		return verb_fail(command_of(c), EXIT_RUNTIME, error);
	}
	for (size_t i = 0; i < c->n_targets; i++) {
		replay_backend_record(&c->backends[i], c->store.to.recorder);
	}
	return EXIT_PASS;
}

/* Nothing is left to send, so the report is about the answers that the capture has. If a command
 * runs several campaigns, the last one prints this. */
static void print_reuse(const struct campaign *c)
{
	char when[MOMENT_TEXT_SIZE];
	if (c->sent_before == 0 && c->sent_after == 0) {
		terminal_printf(stderr,
		        "plumbline %s: 0 requests sent: %s has the results of all of them, from %s "
		        "on. --again sends them again\n",
		        command_of(c), c->dir,
		        moment_format(id_time_ms(c->runs[0]) * 1000000, when));
	}
}

int campaign_run(struct campaign *c)
{
	struct interrupt interrupt;
	bool going = true;
	if (c->figures.before == c->figures.sends) {
		print_reuse(c);
		return EXIT_PASS;
	}
	int code = campaign_record(c, describe(c));
	if (code != EXIT_PASS) {
		return code;
	}
	print_beginning(c);
	progress_view_init(&c->view, c->json);
	progress_restart(&c->view.progress, c->view.progress.shown, c->sent_before);
	interrupt_begin(&interrupt);
	for (uint32_t repeat = 0; repeat < c->options->repeats && going; repeat++) {
		going = send_repeat(c, repeat);
	}
	c->figures.lost = recording_close(&c->store.to);
	interrupt_end(&interrupt);
	sum_up(c);
	print_failures(c);
	if (c->figures.lost > 0) {
		return verb_fail(command_of(c), EXIT_RUNTIME,
		        xasprintf("%" PRIu64 " %s could not be written to %s", c->figures.lost,
		                plural(c->figures.lost, "answer", "answers"), c->dir));
	}
	return going ? EXIT_PASS : print_campaign_end(c);
}

void campaign_finish(struct campaign *c)
{
	(void)recording_close(&c->store.to);
	keyset_finish(&c->store.written);
	for (size_t i = 0; i < c->n_lanes; i++) {
		replay_job_finish(&c->lanes[i].job);
	}
	for (size_t i = 0; i < c->n_targets && c->backends; i++) {
		replay_backend_finish(&c->backends[i]);
	}
	free(c->backends);
	for (size_t i = 0; i < c->n_sources && c->captures; i++) {
		capture_close(c->captures[i]);
	}
	free(c->lanes);
	free(c->captures);
	if (c->marker.is_new) {
		marker_drop(c->dir);
	}
	free(c->made_dir);
}

const char **campaign_dirs(const struct campaign *c, size_t *ret_n)
{
	const char **dirs = xcalloc(c->n_sources + 1, sizeof(char *));
	size_t n = 0;
	dirs[n++] = c->dir;
	for (size_t i = 0; i < c->n_sources; i++) {
		bool other = c->captures && c->captures[i];
		for (size_t k = 0; k < n && other; k++) {
			other = strcmp(dirs[k], c->sources[i]) != 0;
		}
		if (other) {
			dirs[n++] = c->sources[i];
		}
	}
	*ret_n = n;
	return dirs;
}
