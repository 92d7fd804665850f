/*
 * plumbline capture compact, reread: rewrite a capture in fewer segments, and add the readings that
 * it lacks.
 *
 * The new capture is written next to the old one and verified. Then the two directories are
 * exchanged in one step, and the old capture is deleted. After a crash, either the old or the new
 * capture is complete at its path. The other directory next to it has a name that nobody takes for
 * that capture.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/plural.h"
#include "capture/compaction.h"
#include "capture/salvage.h"
#include "capture/segment.h"
#include "cli/input.h"
#include "cli/verb.h"
#include "cli/capture/capture_commands.h"
#include "cli/progress_count.h"
#include "cli/written.h"
#include "cli/atomic_directory.h"

struct rewriting {
	const struct verb *verb;
	const char *dir, *out;
	bool reread, all, json;
	uint64_t segment_size;
	struct atomic_directory draft;
	struct compaction_figures figures;
	struct progress_count progress;
};

static void on_progress(void *arg, uint64_t rows)
{
	progress_count(arg, rows);
}

/* Whether the file is a segment, which is rewritten, or belongs to one; or is "." or "..". */
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

/* Copies all other files: the marker with its date, and the files that replays keep next to the
 * segments. NULL, or an error message. */
static char *take_others(struct rewriting *w)
{
	DIR *d = opendir(w->dir);
	char *problem = d ? NULL : xasprintf("%s cannot be read: %s", w->dir, strerror(errno));
	for (const struct dirent *e; d && !problem && (e = readdir(d));) {
		if (!is_segments(e->d_name)) {
			problem = atomic_directory_copy(&w->draft, w->dir, e->d_name);
		}
	}
	if (d) {
		closedir(d);
	}
	return problem;
}

/* Exchanges the two directories. Exchanges them back if another process wrote to the old one in the
 * meantime. */
static char *change_places(struct rewriting *w, const struct id *ids, size_t n)
{
	char *problem = atomic_directory_exchange(&w->draft);
	struct id *now = NULL;
	size_t n_now = 0;
	if (problem) {
		return problem;
	}
	bool same = segment_list(w->draft.path, &now, &n_now) == 0 && n_now == n &&
	            (n == 0 || memcmp(ids, now, n * sizeof(*ids)) == 0);
	if (!same) {
		char *back = atomic_directory_exchange(&w->draft);
		/* the draft holds what was written in the meantime */
		w->draft.stays |= back != NULL;
		problem = back ? back : xasprintf("a process writes to %s; stop it first", w->dir);
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
	progress_count_end(&w->progress);
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
	printf("records: %" PRIu64 " %s, %" PRIu64 " %s\n", f->exchanges,
	        plural(f->exchanges, "exchange", "exchanges"), f->legs,
	        plural(f->legs, "answer", "answers"));
	printf("before: %" PRIu64 " %s, %" PRIu64 " bytes\n", f->segments,
	        plural(f->segments, "segment", "segments"), f->bytes);
	printf("after: %" PRIu64 " %s, %" PRIu64 " bytes\n", f->new_segments,
	        plural(f->new_segments, "segment", "segments"), f->new_bytes);
	printf("parts: %" PRIu64 " compressed; %" PRIu64 " of unfinished exchanges dropped\n",
	        f->packed, f->dropped);
	printf("answers: %" PRIu64 " read again, %" PRIu64 " still unread\n", f->reread, f->unread);
}

static int end(struct rewriting *w, char *problem, bool usage)
{
	bool kept = !problem;
	if (kept && w->out) {
		problem = atomic_directory_keep(&w->draft);
	} else {
		atomic_directory_drop(&w->draft);
	}
	if (problem) {
		fprintf(stderr, "plumbline %s: %s\n", w->verb->name, problem);
		free(problem);
		return usage ? EXIT_USAGE : EXIT_RUNTIME;
	}
	tell(w);
	if (w->out) {
		written_print_capture(w->verb->name, w->out);
	}
	return verb_flush("capture", EXIT_PASS);
}

static int run(struct rewriting *w)
{
	bool usage = false;
	int code = input_check(w->dir);
	if (code != EXIT_PASS) {
		return code;
	}
	char *problem = w->out ? atomic_directory_begin(&w->draft, w->out)
	                       : atomic_directory_begin_over(&w->draft, w->dir);
	if (problem) {
		return verb_fail(w->verb->name, EXIT_USAGE, problem);
	}
	problem = rewrite(w, &usage);
	return end(w, problem, usage);
}

static const struct option_row SHARED[] = {
        OPT_OPERAND("DIR", "a capture's directory; no process may write to it"),
        {"out", 0, "NEW", "write to NEW, which must not exist, and leave DIR as it is",
                OPT_TEXT(struct rewriting, out)},
        {"segment-size", 0, "SIZE",
                "the largest size of a segment, from 128MiB (1GiB); plumbline capture prune "
                "deletes whole segments",
                OPT_SIZE(struct rewriting, segment_size)},
        {"json", 0, NULL, "print one JSON object instead of lines",
                OPT_BOOL(struct rewriting, json)},
        OPT_END,
};

static const struct option_row REREAD_OPTIONS[] = {
        OPT_INCLUDE_SAME(SHARED),
        {"all", 0, NULL, "also parse answers that this version has parsed",
                OPT_BOOL(struct rewriting, all)},
        OPT_END,
};

#define EXIT_CODES                                                                                 \
	"0 done, 2 command line, not a capture, or one that is damaged or being written, 3 "       \
	"something could not be read or written (the capture stays as it was)"

static const struct verb COMPACT = {
        .name = "capture compact",
        .usage = "DIR [options]",
        .about = "Writes a capture again, in as few segments as possible. It drops unfinished "
                 "exchanges that a crash left behind, fills half-empty pages, and compresses "
                 "bodies that the recorder stored raw under load. Before it replaces the old "
                 "capture by the new one, it compares both row by row.",
        .options = SHARED,
        .examples = "plumbline capture compact capture\n"
                    "plumbline capture compact capture --out archive",
        .exit_codes = EXIT_CODES,
};

static const struct verb REREAD = {
        .name = "capture reread",
        .usage = "DIR [options]",
        .about = "Parses answers again from their raw bytes and stores the result: answers that "
                 "the recorder left unread under load, and answers that an older version parsed. "
                 "Without that, each command parses them again. It writes the capture again, as "
                 "plumbline capture compact does.",
        .options = REREAD_OPTIONS,
        .examples = "plumbline capture reread capture",
        .exit_codes = EXIT_CODES,
};

static int read_line(struct rewriting *w, int argc, char **argv)
{
	int code;
	if (!verb_read_dir(w->verb, argc, argv, w, &w->dir, &code)) {
		return code;
	}
	if (w->segment_size && w->segment_size < SALVAGE_SEGMENT_LEAST) {
		return verb_usage(w->verb, xstrdup("--segment-size is at least 128MiB"));
	}
	return run(w);
}

int command_capture_compact(int argc, char **argv)
{
	struct rewriting w = {.verb = &COMPACT, .progress.what = "exchanges written"};
	return read_line(&w, argc, argv);
}

int command_capture_reread(int argc, char **argv)
{
	struct rewriting w = {
	        .verb = &REREAD, .reread = true, .progress.what = "exchanges written"};
	return read_line(&w, argc, argv);
}
