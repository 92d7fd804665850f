#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "capture/marker.h"
#include "capture/retention.h"
#include "capture/segment.h"
#include "commands/capture_verbs.h"
#include "commands/commands.h"

#define NO_LIMIT UINT64_MAX

struct pruning {
	bool dry, json;
	uint64_t age;  /* ns, or NO_LIMIT */
	uint64_t size; /* bytes, or NO_LIMIT */
	size_t deleted, kept, held;
	uint64_t deleted_bytes, kept_bytes;
};

static const char USAGE[] =
        "usage: plumbline capture prune [--older-than TIME] [--max-size SIZE] [--dry-run] DIR\n"
        "\n"
        "Deletes a capture's oldest segments, whole ones, and what is in them for good. A segment "
        "that is being\n"
        "written is kept.\n"
        "\n"
        "  --older-than TIME  those that nobody has written into for so long, like 7d or 12h\n"
        "  --max-size SIZE    and the oldest ones until the capture is no larger, like 10GiB\n"
        "  --dry-run          only says what would be deleted\n"
        "  --json             one object instead of lines\n"
        "\n"
        "examples:\n"
        "  plumbline capture prune --older-than 7d capture\n"
        "  plumbline capture prune --max-size 10GiB --dry-run capture\n"
        "\n"
        "Exit codes: 0 done, 2 usage or not a capture, 3 a file cannot be deleted.\n";

static bool is_due(
        const struct pruning *p, const struct retention_segment *s, uint64_t now, uint64_t left)
{
	bool old = p->age != NO_LIMIT && s->written_ns + p->age < now;
	return old || left > p->size;
}

static void tell(const struct pruning *p, const struct retention_segment *s)
{
	char id[ID_TEXT_SIZE];
	struct buf time = {0};
	if (p->json) {
		return;
	}
	verbs_put_time(&time, s->written_ns);
	printf("%s %s, %" PRIu64 " bytes, last written %s\n", p->dry ? "would delete" : "deleted",
	        id_format(s->id, id), s->bytes, buf_cstr(&time));
	buf_finish(&time);
}

/* 0, or -errno of the first that could not be deleted: the rest is still done. */
static int prune(struct pruning *p, const char *dir, const struct retention_segment *list, size_t n)
{
	uint64_t now = clock_wall(), left = 0;
	int result = 0;
	for (size_t i = 0; i < n; i++) {
		left += list[i].bytes;
	}
	for (size_t i = 0; i < n; i++) {
		const struct retention_segment *s = &list[i];
		bool due = is_due(p, s, now, left);
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
	printf("%s %zu (%" PRIu64 " bytes), kept %zu (%" PRIu64 " bytes)",
	        p->dry ? "would delete" : "deleted", p->deleted, p->deleted_bytes, p->kept,
	        p->kept_bytes);
	if (p->held) {
		printf("; %zu that should go %s being written", p->held,
		        p->held == 1 ? "is" : "are");
	}
	putchar('\n');
}

static int run(struct pruning *p, const char *dir)
{
	char *error = NULL;
	struct marker marker;
	int r = marker_read(dir, &marker, &error);
	if (r < 0) {
		fprintf(stderr, "plumbline capture: %s\n", error);
		free(error);
		return r == -EACCES || r == -EIO ? EXIT_RUNTIME : EXIT_USAGE;
	}
	struct retention_segment *list;
	size_t n;
	r = retention_list(dir, &list, &n);
	if (r < 0) {
		fprintf(stderr, "plumbline capture: %s cannot be read: %s\n", dir, strerror(-r));
		return EXIT_RUNTIME;
	}
	r = prune(p, dir, list, n);
	free(list);
	print_totals(p);
	return verbs_flush(r < 0 ? EXIT_RUNTIME : EXIT_PASS);
}

int command_capture_prune(int argc, char **argv)
{
	struct pruning p = {.age = NO_LIMIT, .size = NO_LIMIT};
	const struct option_slot slots[] = {
	        {"older-than", .duration = &p.age},
	        {"max-size", .bytes = &p.size},
	        {"dry-run", .on = &p.dry},
	        {"json", .on = &p.json},
	        {0},
	};
	struct operands dirs;
	int code;
	if (!verbs_line("prune", USAGE, argc, argv, slots, &dirs, &code)) {
		return code;
	}
	if (p.age == NO_LIMIT && p.size == NO_LIMIT) {
		return verbs_usage("prune", "what is to go? Give --older-than or --max-size");
	}
	if (dirs.n != 1) {
		return verbs_usage("prune", "exactly one capture directory is needed");
	}
	return run(&p, dirs.words[0]);
}
