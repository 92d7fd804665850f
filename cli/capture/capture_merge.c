/*
 * plumbline capture merge: combine several captures in one directory.
 *
 * Segments have ids of their own and never change once they are sealed. So a merge takes them over
 * as they are, with their runs, manifests, settings and seals. Where the file system allows it, no
 * byte is copied. The new directory is made next to its destination and renamed when it is
 * complete. The source captures stay.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/plural.h"
#include "capture/marker.h"
#include "capture/seal.h"
#include "capture/segment.h"
#include "cli/verb.h"
#include "cli/capture/capture_commands.h"
#include "cli/progress_count.h"
#include "cli/written.h"
#include "cli/atomic_directory.h"

struct merge {
	const char *to;
	uint8_t hash_key[32]; /* of the first capture */
	size_t captures, segments, twice, other_keys;
	struct progress_count progress;
	char *error; /* the first error */
};

static void fail(struct merge *m, char *sentence)
{
	if (m->error) {
		free(sentence);
	} else {
		m->error = sentence;
	}
}

static void take_file(struct merge *m, const char *dir, struct id id, const char *suffix)
{
	char *from = segment_path(dir, id, suffix), *to = segment_path(m->to, id, suffix);
	int r = 0;
	/* Sealed and orphaned segments never change again, so a hard link can replace a copy. */
	if (!m->error && link(from, to) < 0) {
		r = atomic_directory_copy_file(from, to);
	}
	if (r < 0) {
		fail(m, xasprintf("%s cannot be copied to %s: %s", from, m->to, strerror(-r)));
	}
	free(from);
	free(to);
}

/* A seal contains the hash and the size of its segment. Equal seals mean equal segments. */
static bool is_same_seal(const char *a, const char *b, struct id id)
{
	char text[2][128] = {{0}};
	const char *dirs[] = {a, b};
	for (size_t i = 0; i < 2; i++) {
		char *path = segment_path(dirs[i], id, "seal");
		FILE *f = fopen(path, "re");
		bool read = f && fgets(text[i], sizeof(text[i]), f);
		if (f) {
			fclose(f);
		}
		free(path);
		if (!read) {
			return false;
		}
	}
	return strcmp(text[0], text[1]) == 0;
}

static bool is_there(const struct merge *m, struct id id)
{
	char *path = segment_path(m->to, id, "seg");
	bool there = access(path, F_OK) == 0;
	free(path);
	return there;
}

static void take_segment(struct merge *m, const char *dir, struct id id)
{
	char name[ID_TEXT_SIZE];
	enum segment_state state = segment_state(dir, id);
	id_format(id, name);
	if (state == SEGMENT_LIVE) {
		fail(m, xasprintf("segment %s in %s is being written; stop its writer first", name,
		                dir));
	} else if (is_there(m, id) && is_same_seal(m->to, dir, id)) {
		m->twice++;
	} else if (is_there(m, id)) {
		fail(m, xasprintf("segment %s in %s differs from the segment of the same name in "
		                  "another capture",
		                name, dir));
	} else if (state == SEGMENT_SEALED && seal_verify(dir, id) < 0) {
		char *salvage = capture_salvage_command(dir);
		fail(m, xasprintf("segment %s in %s does not match its seal; `%s` recovers the "
		                  "intact records",
		                name, dir, salvage));
		free(salvage);
	} else {
		take_file(m, dir, id, "seg");
		if (state == SEGMENT_SEALED) {
			take_file(m, dir, id, "seal");
		}
		m->segments++;
	}
}

/* Takes over the segments that the capture has now. */
static void take_capture(struct merge *m, const char *dir, const struct marker *marker)
{
	struct id *ids;
	size_t n;
	int r = segment_list(dir, &ids, &n);
	if (r < 0) {
		fail(m, xasprintf("%s cannot be read: %s", dir, strerror(-r)));
		return;
	}
	m->other_keys += memcmp(m->hash_key, marker->hash_key, sizeof(m->hash_key)) != 0;
	for (size_t i = 0; i < n && !m->error; i++) {
		take_segment(m, dir, ids[i]);
		progress_count_now(&m->progress, m->segments);
	}
	free(ids);
	m->captures++;
}

/* Checks that all directories are captures before anything is created. */
static struct marker *read_markers(const char *const *dirs, size_t n_dirs, char **ret_error)
{
	struct marker *markers = xcalloc(n_dirs, sizeof(*markers));
	for (size_t i = 0; i < n_dirs; i++) {
		if (marker_read(dirs[i], &markers[i], ret_error) < 0) {
			free(markers);
			return NULL;
		}
	}
	return markers;
}

static void merge_all(
        struct merge *m, const char *const *dirs, size_t n_dirs, const struct marker *markers)
{
	struct marker made;
	char *error = NULL;
	memcpy(m->hash_key, markers[0].hash_key, sizeof(m->hash_key));
	if (marker_make(m->to, m->hash_key, &made, &error) < 0) {
		fail(m, error);
		return;
	}
	for (size_t i = 0; i < n_dirs && !m->error; i++) {
		take_capture(m, dirs[i], &markers[i]);
	}
}

static void tell(const struct merge *m, bool json)
{
	if (json) {
		printf("{\"captures\":%zu,\"segments\":%zu,\"segments_twice\":%zu,\"other_keys\":%"
		       "zu}\n",
		        m->captures, m->segments, m->twice, m->other_keys);
	} else {
		printf("merged: %zu %s, %zu %s (%zu in several)\n", m->captures,
		        plural(m->captures, "capture", "captures"), m->segments,
		        plural(m->segments, "segment", "segments"), m->twice);
	}
	if (m->other_keys) {
		fprintf(stderr,
		        "plumbline capture merge: %zu %s another hash key than the first, so equal "
		        "prompts do not match; give all proxies the same key with "
		        "capture.hash_key_env\n",
		        m->other_keys, plural(m->other_keys, "capture has", "captures have"));
	}
}

static int run(const char *const *dirs, size_t n_dirs, const char *out, bool json)
{
	struct atomic_directory draft;
	char *taken = atomic_directory_begin(&draft, out);
	if (taken) {
		return verb_fail("capture merge", EXIT_USAGE, taken);
	}
	struct merge m = {.to = draft.path, .progress = {.what = "segments merged"}};
	struct marker *markers = read_markers(dirs, n_dirs, &m.error);
	int code = markers ? EXIT_RUNTIME : EXIT_USAGE;
	if (markers) {
		merge_all(&m, dirs, n_dirs, markers);
		progress_count_end(&m.progress);
		free(markers);
	}
	if (m.error) {
		atomic_directory_drop(&draft);
	} else {
		m.error = atomic_directory_keep(&draft);
	}
	if (m.error) {
		fprintf(stderr, "plumbline capture merge: %s\n", m.error);
	} else {
		tell(&m, json);
		written_print_capture("capture merge", out);
		code = EXIT_PASS;
	}
	free(m.error);
	return verb_flush("capture", code);
}

struct merge_options {
	const char *out;
	bool json;
};

static const struct option_row OPTIONS[] = {
        OPT_OPERAND("DIR", "a capture's directory; no process may write to it"),
        {"out", 0, "DIR", "the merged capture; it must not exist, and appears when it is complete",
                OPT_TEXT(struct merge_options, out)},
        {"json", 0, NULL, "print one JSON object instead of a line",
                OPT_BOOL(struct merge_options, json)},
        OPT_END,
};

static const struct verb MERGE = {
        .name = "capture merge",
        .usage = "DIR... --out DIR [--json]",
        .about = "Joins captures, for example of several proxies, into one directory: all their "
                 "segments with their runs and manifests. Answers to one exchange can be in "
                 "several captures (plumbline replay --capture); merge puts them together. It "
                 "copies a segment that is in several captures once. The captures stay unchanged.",
        .options = OPTIONS,
        .examples = "plumbline capture merge host-1/capture host-2/capture --out all",
        .exit_codes = "0 done, 2 command line or not a capture, 3 something could not be read or "
                      "written: then there is no merged capture",
};

int command_capture_merge(int argc, char **argv)
{
	struct merge_options o = {0};
	struct operands dirs;
	int code;
	if (!verb_read_dirs(&MERGE, argc, argv, &o, &dirs, &code)) {
		return code;
	}
	return o.out ? run(dirs.words, dirs.n, o.out, o.json)
	             : verb_usage(&MERGE, xstrdup(CAPTURE_WITHOUT_OUT));
}
