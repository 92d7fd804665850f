#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "capture/retention.h"
#include "capture/segment.h"
#include "cli/input.h"
#include "cli/verb.h"
#include "cli/capture/capture_commands.h"
#include "base/moment.h"
#include "base/plural.h"

#define NO_LIMIT UINT64_MAX
#define LEAST_SIZE (UINT64_C(1) << 20) /* bytes; smaller: probably a forgotten unit */

struct pruning {
	bool dry, json;
	uint64_t age;  /* ns, or NO_LIMIT */
	uint64_t size; /* bytes, or NO_LIMIT */
	size_t deleted, kept, held;
	uint64_t deleted_bytes, kept_bytes;
};

static void tell(const struct pruning *p, const struct retention_segment *s)
{
	char id[ID_TEXT_SIZE];
	struct buf time = {0};
	if (p->json) {
		return;
	}
	moment_put(&time, s->written_ns);
	printf("%s %s, %" PRIu64 " bytes, last written %s\n", p->dry ? "would delete" : "deleted",
	        id_format(s->id, id), s->bytes, buf_cstr(&time));
	buf_finish(&time);
}

/* 0, or -errno of the first segment that could not be deleted. The remaining ones are still
 * deleted. */
static int prune(struct pruning *p, const char *dir, const struct retention_segment *list, size_t n)
{
	uint64_t now = clock_wall(), left = 0;
	int result = 0;
	for (size_t i = 0; i < n; i++) {
		left += list[i].bytes;
	}
	for (size_t i = 0; i < n; i++) {
		const struct retention_segment *s = &list[i];
		bool old = p->age != NO_LIMIT && s->written_ns + p->age < now;
		bool due = old || left > p->size;
		bool held = segment_state(dir, s->id) == SEGMENT_LIVE;
		int r = !due ? 1 : held ? -EBUSY : p->dry ? 0 : segment_remove(dir, s->id);
		if (r == 0) {
			tell(p, s);
			left -= s->bytes;
			p->deleted++;
			p->deleted_bytes += s->bytes;
			continue;
		}
		p->kept++;
		p->kept_bytes += s->bytes;
		p->held += r == -EBUSY;
		if (r < 0 && r != -EBUSY) {
			char id[ID_TEXT_SIZE];
			fprintf(stderr, "plumbline capture: segment %s in %s: %s\n",
			        id_format(s->id, id), dir, strerror(-r));
			result = result ? result : r;
		}
	}
	return result;
}

static void print_totals(const struct pruning *p)
{
	if (p->json) {
		printf("{\"dry_run\":%s,\"deleted\":%zu,\"deleted_bytes\":%" PRIu64
		       ",\"kept\":%zu,\"kept_bytes\":%" PRIu64 ",\"being_written\":%zu}\n",
		        p->dry ? "true" : "false", p->deleted, p->deleted_bytes, p->kept,
		        p->kept_bytes, p->held);
		return;
	}
	printf("%s %zu segment%s (%" PRIu64 " bytes), %s %zu (%" PRIu64 " bytes)",
	        p->dry ? "would delete" : "deleted", p->deleted, plural(p->deleted, "", "s"),
	        p->deleted_bytes, p->dry ? "keep" : "kept", p->kept, p->kept_bytes);
	if (p->held) {
		printf("; %zu to be deleted %s still being written", p->held,
		        plural(p->held, "is", "are"));
	}
	putchar('\n');
}

static int run(struct pruning *p, const char *dir)
{
	struct retention_segment *list;
	size_t n;
	int code = input_check(dir);
	if (code != EXIT_PASS) {
		return code;
	}
	int r = retention_list(dir, &list, &n);
	if (r < 0) {
		return verb_fail("capture", EXIT_RUNTIME,
		        xasprintf("%s cannot be read: %s", dir, strerror(-r)));
	}
	r = prune(p, dir, list, n);
	free(list);
	print_totals(p);
	return verb_flush("capture", r < 0 ? EXIT_RUNTIME : EXIT_PASS);
}

static const struct option_row OPTIONS[] = {
        OPT_OPERAND("DIR", "a capture's directory"),
        {"older-than", 0, "TIME",
                "delete segments that no process has written to for this time, such as 7d or 12h",
                OPT_DURATION(struct pruning, age, 0)},
        {"max-size", 0, "SIZE",
                "delete the oldest segments until the capture is no larger, such as 10GiB",
                OPT_SIZE(struct pruning, size)},
        {"dry-run", 0, NULL, "print what would be deleted, and delete nothing",
                OPT_BOOL(struct pruning, dry)},
        {"json", 0, NULL, "print one JSON object instead of lines", OPT_BOOL(struct pruning, json)},
        OPT_END,
};

static const struct verb PRUNE = {
        .name = "capture prune",
        .usage = "DIR --older-than TIME [options]\n"
                 "DIR --max-size SIZE [options]",
        .about = "Deletes the oldest segments of a capture with all their exchanges. It keeps "
                 "segments that are being written.",
        .options = OPTIONS,
        .examples = "plumbline capture prune --older-than 7d capture\n"
                    "plumbline capture prune --max-size 10GiB --dry-run capture",
        .exit_codes = "0 done, 2 command line or not a capture, 3 a file cannot be deleted",
};

int command_capture_prune(int argc, char **argv)
{
	struct pruning p = {.age = NO_LIMIT, .size = NO_LIMIT};
	const char *dir;
	int code;
	if (!verb_read_dir(&PRUNE, argc, argv, &p, &dir, &code)) {
		return code;
	}
	if (p.age == NO_LIMIT && p.size == NO_LIMIT) {
		return verb_usage(&PRUNE,
		        xstrdup("nothing says what to delete: give --older-than or --max-size"));
	}
	if (p.size > 0 && p.size < LEAST_SIZE) {
		return verb_usage(&PRUNE, xstrdup("--max-size is 0, or at least 1MiB: a number "
		                                  "without a unit means bytes"));
	}
	return run(&p, dir);
}
