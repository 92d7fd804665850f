/*
 * plumbline capture compact, reread: a capture written anew, in fewer segments; with the readings that it lacks.
 *
 * It is written beside its place, looked at, and changes places with what was there in one step. What was there is
 * deleted then. So a crash leaves the one or the other, whole, and beside it something that nobody takes for a capture
 * of that name.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "capture/compaction.h"
#include "capture/marker.h"
#include "capture/salvage.h"
#include "capture/segment.h"
#include "commands/capture_verbs.h"
#include "commands/commands.h"
#include "commands/draft.h"

static const char COMPACT[] =
        "usage: plumbline capture compact DIR [--out NEW] [--segment-size SIZE] [--json]\n"
        "\n"
        "Writes a capture anew, in as few segments as it takes: what a crash left of exchanges "
        "that\n"
        "were under way stays behind, half-empty pages are filled, and bodies that were stored "
        "raw\n"
        "under pressure are packed. No exchange, answer, reading or manifest is lost: both "
        "captures\n"
        "are looked at row by row, before and after, and then they change places in one step.\n"
        "Nobody may be writing to it.\n"
        "\n"
        "  --out NEW            leaves the capture as it is; NEW must not exist\n"
        "  --segment-size SIZE  at most so large, from 128MiB (1GiB); prune deletes whole "
        "segments\n"
        "  --json               one object instead of lines\n"
        "\n"
        "examples:\n"
        "  plumbline capture compact capture\n"
        "  plumbline capture compact capture --out archive && plumbline capture verify archive\n"
        "\n"
        "Exit codes: 0 done, 2 usage, not a capture, one that is damaged or being written, 3 "
        "something\n"
        "could not be read or written (the capture is as it was).\n";

static const char REREAD[] =
        "usage: plumbline capture reread DIR [--all] [--out NEW] [--segment-size SIZE] [--json]\n"
        "\n"
        "Reads answers again out of their raw bytes and stores what they say: those that were "
        "left\n"
        "unread because the recorder was pressed, and those that another version's reader read. "
        "Until\n"
        "then every command does that anew each time. The capture is written anew as by compact.\n"
        "\n"
        "  --all                also what today's reader has read\n"
        "  --out, --segment-size, --json  as of plumbline capture compact\n"
        "\n"
        "example:\n"
        "  plumbline capture reread capture\n"
        "\n"
        "Exit codes: 0 done, 2 usage, not a capture, one that is damaged or being written, 3 "
        "something\n"
        "could not be read or written (the capture is as it was).\n";

struct rewriting {
	const char *verb, *dir, *out;
	bool reread, all, json;
	uint64_t segment_size;
	struct draft draft;
	struct compaction_figures figures;
	struct verbs_progress progress;
};

static void on_progress(void *arg, uint64_t rows)
{
	verbs_progress(arg, rows);
}

/* A file that is written anew, or speaks of a segment that is. */
static bool is_segments(const char *name)
{
	static const char *const ENDS[] = {".seg", ".seg-lock", ".seal", ".seal-new", ".writer"};
	const char *dot = strrchr(name, '.');
	for (size_t i = 0; dot && i < ARRAY_LEN(ENDS); i++) {
		if (strcmp(dot, ENDS[i]) == 0) {
			return true;
		}
	}
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* The marker with its date, and what replays keep beside the segments. NULL, or a sentence. */
static char *take_others(struct rewriting *w)
{
	DIR *d = opendir(w->dir);
	char *problem = d ? NULL : xasprintf("%s cannot be read: %s", w->dir, strerror(errno));
	for (const struct dirent *e; d && !problem && (e = readdir(d));) {
		if (!is_segments(e->d_name)) {
			problem = draft_copy(&w->draft, w->dir, e->d_name);
		}
	}
	if (d) {
		closedir(d);
	}
	return problem;
}

static bool is_same_list(const struct id *a, size_t n_a, const struct id *b, size_t n_b)
{
	return n_a == n_b && (n_a == 0 || memcmp(a, b, n_a * sizeof(*a)) == 0);
}

/* Changes places; back again if somebody wrote to the old one meanwhile. */
static char *change_places(struct rewriting *w, const struct id *ids, size_t n)
{
	char *problem = draft_exchange(&w->draft);
	struct id *now = NULL;
	size_t n_now = 0;
	if (problem) {
		return problem;
	}
	if (segment_list(w->draft.path, &now, &n_now) < 0 || !is_same_list(ids, n, now, n_now)) {
		char *back = draft_exchange(&w->draft);
		w->draft.stays |= back != NULL; /* what was written meanwhile is in there */
		problem = back ? back
		               : xasprintf("somebody writes to %s; stop the writer first", w->dir);
	}
	free(now);
	return problem;
}

static char *rewrite(struct rewriting *w, bool *ret_usage)
{
	const struct compaction_settings settings = {
	        .from = w->dir,
	        .to = w->draft.path,
	        .segment_size = w->segment_size,
	        .reread = w->reread,
	        .reread_all = w->all,
	        .on_progress = on_progress,
	        .arg = &w->progress,
	};
	struct id *ids = NULL;
	size_t n = 0;
	int r = segment_list(w->dir, &ids, &n);
	if (r < 0) {
		return xasprintf("%s cannot be read: %s", w->dir, strerror(-r));
	}
	char *problem = compaction_run(&settings, &w->figures, ret_usage);
	verbs_progress_end(&w->progress);
	problem = problem ? problem : take_others(w);
	if (!problem && !w->out) {
		problem = change_places(w, ids, n);
	}
	free(ids);
	return problem;
}

static void tell(const struct rewriting *w)
{
	const struct compaction_figures *f = &w->figures;
	if (w->json) {
		printf("{\"segments\":%" PRIu64 ",\"new_segments\":%" PRIu64 ",\"bytes\":%" PRIu64
		       ",\"new_bytes\":%" PRIu64 ",\"exchanges\":%" PRIu64 ",\"answers\":%" PRIu64
		       ",\"dropped\":%" PRIu64 ",\"packed\":%" PRIu64 ",\"reread\":%" PRIu64
		       ",\"unread\":%" PRIu64 "}\n",
		        f->segments, f->new_segments, f->bytes, f->new_bytes, f->exchanges, f->legs,
		        f->dropped, f->packed, f->reread, f->unread);
		return;
	}
	printf("%" PRIu64 " exchanges with %" PRIu64 " answers: %" PRIu64 " segments (%" PRIu64
	       " bytes) are %" PRIu64 " now (%" PRIu64 " bytes)\n",
	        f->exchanges, f->legs, f->segments, f->bytes, f->new_segments, f->new_bytes);
	printf("left behind: %" PRIu64 " pieces that belong to no record; packed: %" PRIu64
	       " parts; read again: %" PRIu64 " answers; unread: %" PRIu64 "\n",
	        f->dropped, f->packed, f->reread, f->unread);
}

static int end(struct rewriting *w, char *problem, bool usage)
{
	bool kept = !problem;
	if (kept && w->out) {
		problem = draft_keep(&w->draft);
	} else {
		draft_drop(&w->draft);
	}
	if (problem) {
		fprintf(stderr, "plumbline capture %s: %s\n", w->verb, problem);
		free(problem);
		return usage ? EXIT_USAGE : EXIT_RUNTIME;
	}
	tell(w);
	return verbs_flush(EXIT_PASS);
}

static int run(struct rewriting *w)
{
	struct marker marker;
	bool usage = false;
	char *problem = NULL;
	int r = marker_read(w->dir, &marker, &problem);
	if (r < 0) {
		fprintf(stderr, "plumbline capture: %s\n", problem);
		free(problem);
		return r == -EACCES || r == -EIO ? EXIT_RUNTIME : EXIT_USAGE;
	}
	problem = w->out ? draft_begin(&w->draft, w->out) : draft_begin_over(&w->draft, w->dir);
	if (problem) {
		verbs_usage(w->verb, "%s", problem);
		free(problem);
		return EXIT_USAGE;
	}
	problem = rewrite(w, &usage);
	return end(w, problem, usage);
}

static int read_line(struct rewriting *w, const char *usage, int argc, char **argv)
{
	const struct option_slot slots[] = {
	        {"out", .text = &w->out},
	        {"segment-size", .bytes = &w->segment_size},
	        {"json", .on = &w->json},
	        /* Last, so that compact has it not. */
	        {w->reread ? "all" : NULL, .on = &w->all},
	        {0},
	};
	struct operands dirs;
	int code;
	if (!verbs_line(w->verb, usage, argc, argv, slots, &dirs, &code)) {
		return code;
	}
	if (dirs.n != 1) {
		return verbs_usage(w->verb, "exactly one capture directory is needed");
	}
	if (w->segment_size && w->segment_size < SALVAGE_SEGMENT_LEAST) {
		return verbs_usage(w->verb, "--segment-size is at least 128MiB");
	}
	w->dir = dirs.words[0];
	return run(w);
}

int command_capture_compact(int argc, char **argv)
{
	struct rewriting w = {.verb = "compact", .progress.what = "exchanges written"};
	return read_line(&w, COMPACT, argc, argv);
}

int command_capture_reread(int argc, char **argv)
{
	struct rewriting w = {
	        .verb = "reread", .reread = true, .progress.what = "exchanges written"};
	return read_line(&w, REREAD, argc, argv);
}
