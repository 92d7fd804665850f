/*
 * recorder - submits answers of 32 KiB to a recorder at a rate, or as fast as it can read them.
 *
 *	recorder DIR RATE SECONDS
 *
 * RATE is in answers a second; the program submits once a millisecond, as an event loop does. With
 * RATE 0 it submits only as fast as the recorder reads.
 *
 * Prints one JSON object: handed, refused, stored, unread: answers submitted, refused because the
 * queue was full, stored, and stored raw because the recorder was behind; in, on_disk: bytes
 * submitted and stored; late_...: how late the submitting thread started its milliseconds, in us.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/thread_sched.h"
#include "capture/recorder/recorder.h"

#define BODY ((size_t)32 << 10)
#define BODIES 64 /* different bodies */
#define TICK_NS UINT64_C(1000000)
#define QUEUE ((size_t)64 << 20)
#define LIMIT ((size_t)256 << 20)
#define STOP_NS (60 * UINT64_C(1000000000))
#define DRAIN_NS (10 * UINT64_C(1000000000)) /* longest wait without a written row */

struct bench {
	struct recorder *recorder;
	struct ledger_book *book;
	struct budget budget;
	struct buf bodies[BODIES];
	uint64_t handed, refused;
	double *late; /* us, one per tick */
	size_t ticks;
};

static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Makes one of some thousand words of two to seven letters. */
static void put_word(struct buf *to, uint32_t *random)
{
	uint32_t n = 2 + next(random) % 6, word = next(random) % 1000;
	for (uint32_t i = 0; i < n; i++, word = word * 31 + 7) {
		buf_append_char(to, (char)('a' + word % 26));
	}
}

static void put_token(struct buf *to, uint32_t *random)
{
	buf_append_str(to, "{\"token\":\" ");
	put_word(to, random);
	buf_printf(to, "\",\"logprob\":-%u.%06u", next(random) % 9, next(random) % 1000000);
}

/* Writes an answer with five alternatives per token; it ends with the token that exceeds the length. */
static void write_body(struct buf *to, uint32_t *random)
{
	buf_append_str(to, "{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":"
	                   "\"m\",\"choices\":[{\"index\":0,"
	                   "\"message\":{\"role\":\"assistant\",\"content\":\"");
	for (unsigned i = 0; i < 100; i++) {
		buf_append_char(to, ' ');
		put_word(to, random);
	}
	buf_append_str(to, "\"},\"finish_reason\":\"stop\",\"logprobs\":{\"content\":[");
	for (bool more = false; to->len < BODY - 400; more = true) {
		buf_append_str(to, more ? "," : "");
		put_token(to, random);
		buf_append_str(to, ",\"top_logprobs\":[");
		for (unsigned k = 0; k < 5; k++) {
			buf_append_str(to, k ? "," : "");
			put_token(to, random);
			buf_append_char(to, '}');
		}
		buf_append_str(to, "]}");
	}
	buf_append_str(to, "]}}]}");
}

static void hand_over(struct bench *b)
{
	const struct reading_hints hints = {
	        .endpoint = ENDPOINT_CHAT, .status = 200, .wants_logprobs = true};
	const struct buf *body = &b->bodies[b->handed % BODIES];
	struct chunk *chunk = chunk_try_make(&b->budget, body->data, body->len);
	struct chunks pieces = {0};
	struct leg_row row = {
	        .id = id_make(),
	        .exchange = id_make(),
	        .run = recorder_run(b->recorder),
	        .backend = xstrdup("primary"),
	        .url = xstrdup("http://127.0.0.1:8000"),
	        .role = ROLE_PRIMARY,
	        .outcome = OUTCOME_COMPLETE,
	        .status = 200,
	        .content_type = xstrdup("application/json"),
	        .usage = {-1, -1, -1, -1, -1},
	        .body_bytes = body->len,
	};
	recorder_leg_begin(b->recorder, row.id, &hints, NULL);
	if (chunk) {
		chunks_push(&pieces, chunk);
	}
	if (chunk && recorder_part(b->recorder, row.id, PART_RESPONSE_BODY, 0, &pieces)) {
		row.body_parts = 1;
	} else {
		b->refused++;
		row.marks |= LEG_TRUNCATED;
	}
	chunks_finish(&pieces);
	recorder_leg(b->recorder, &row, true, b->book);
	b->handed++;
}

static void sleep_until(uint64_t ns)
{
	const struct timespec at = {
	        .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0) {
	}
}

static void at_a_rate(struct bench *b, uint64_t rate, uint64_t seconds)
{
	uint64_t begun = clock_mono();
	thread_sched_short_slice();
	for (uint64_t tick = 1; tick <= seconds * 1000; tick++) {
		uint64_t due = begun + tick * TICK_NS;
		sleep_until(due);
		b->late[b->ticks++] = (double)(clock_mono() - due) / 1e3;
		while (b->handed < tick * rate / 1000) {
			hand_over(b);
		}
	}
}

static void as_read(struct bench *b, uint64_t seconds)
{
	uint64_t end = clock_mono() + seconds * 1000 * TICK_NS;
	while (clock_mono() < end) {
		recorder_wait_for_room(b->recorder);
		hand_over(b);
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double late(const struct bench *b, double p)
{
	return b->ticks ? b->late[(size_t)(p * (double)(b->ticks - 1))] : 0;
}

static void print(struct bench *b, double seconds, const struct recorder_figures *f)
{
	qsort(b->late, b->ticks, sizeof(*b->late), ascending);
	printf("{\"handed\": %" PRIu64 ", \"refused\": %" PRIu64 ", \"stored\": %" PRIu64
	       ", \"unread\": %" PRIu64 ", \"seconds\": %.3f, \"in\": %" PRIu64
	       ", \"on_disk\": %" PRIu64 ", \"late_p50\": %.1f, \"late_p99\": %.1f, "
	       "\"late_p999\": %.1f, \"late_most\": %.1f}\n",
	        b->handed, b->refused, f->rows, f->unread, seconds, f->bytes_in, f->bytes_stored,
	        late(b, 0.5), late(b, 0.99), late(b, 0.999), late(b, 1));
}

static struct recorder *begin(const char *dir, struct budget *budget)
{
	const struct recorder_settings s = {
	        .path = dir,
	        .segment_size = UINT64_C(1) << 30,
	        .queue_limit = QUEUE,
	        .encoders = 1,
	        .budget = budget,
	        .settings_json = "{}",
	};
	char *error = NULL;
	struct recorder *r = recorder_create(&s, &error);
	if (!r) {
		fprintf(stderr, "%s\n", error);
		exit(3);
	}
	return r;
}

/* Waits until all answers are on the disk, or nothing more is written: dropped answers never are. */
static void drain(const struct bench *b, struct recorder_figures *f)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	uint64_t rows = 0, since = clock_mono();
	for (recorder_figures(b->recorder, f);
	        f->rows < b->handed && clock_mono() - since < DRAIN_NS;
	        recorder_figures(b->recorder, f)) {
		since = f->rows > rows ? clock_mono() : since;
		rows = f->rows;
		nanosleep(&nap, NULL);
	}
	if (f->rows < b->handed) {
		fprintf(stderr, "%" PRIu64 " of %" PRIu64 " were dropped\n", b->handed - f->rows,
		        b->handed);
		exit(3);
	}
}

int main(int argc, char **argv)
{
	if (argc != 4 || strtoul(argv[3], NULL, 10) == 0) {
		fputs("usage: recorder DIR RATE SECONDS\n", stderr);
		return 2;
	}
	uint64_t rate = strtoul(argv[2], NULL, 10), seconds = strtoul(argv[3], NULL, 10);
	struct ledger *ledger = ledger_create();
	struct bench b = {.book = ledger_book(ledger, "exchanges")};
	struct recorder_figures figures;
	uint32_t random = 1;
	budget_init(&b.budget, LIMIT);
	for (size_t i = 0; i < BODIES; i++) {
		write_body(&b.bodies[i], &random);
	}
	b.late = xcalloc(seconds * 1000, sizeof(*b.late));
	b.recorder = begin(argv[1], &b.budget);
	uint64_t begun = clock_mono();
	if (rate) {
		at_a_rate(&b, rate, seconds);
	} else {
		as_read(&b, seconds);
	}
	drain(&b, &figures);
	print(&b, (double)(clock_mono() - begun) / 1e9, &figures);
	recorder_stop(b.recorder, STOP_NS);
	ledger_destroy(ledger);
	for (size_t i = 0; i < BODIES; i++) {
		buf_finish(&b.bodies[i]);
	}
	free(b.late);
	return 0;
}
