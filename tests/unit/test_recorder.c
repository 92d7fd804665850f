#include "capture/recorder/recorder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include <criterion/criterion.h>

#include "capture/seal.h"
#include "capture/segment.h"
#include "recorder_bench.h"

/* What a reader finds about one leg. */
struct found_leg {
	struct id leg;
	struct leg_row row;
	bool found;
	struct buf parts[PART_READING + 1];
};

static void take_leg(void *arg, size_t segment, struct span key, struct span value)
{
	struct found_leg *f = arg;
	struct buf scratch = {0};
	struct span payload;
	if (memcmp(key.data + 16, f->leg.bytes, 16) == 0) {
		cr_assert_eq(record_unwrap(value, ROW_LEG, &scratch, &payload), 0);
		cr_assert_eq(record_get_leg(payload, &f->row), 0);
		f->found = true;
	}
	buf_finish(&scratch);
}

static void take_part(void *arg, size_t segment, struct span key, struct span value)
{
	struct found_leg *f = arg;
	struct buf scratch = {0};
	struct span payload;
	cr_assert_leq(value.len, PART_STORED_LIMIT);
	if (memcmp(key.data, f->leg.bytes, 16) == 0) {
		cr_assert_eq(record_unwrap(value, ROW_PART, &scratch, &payload), 0);
		buf_append_span(&f->parts[(uint8_t)key.data[16]], payload);
	}
	buf_finish(&scratch);
}

static struct found_leg find_leg(const char *dir, struct id leg)
{
	struct found_leg f = {.leg = leg};
	capture_dir_each(dir, TABLE_LEG, take_leg, &f);
	capture_dir_each(dir, TABLE_PART, take_part, &f);
	return f;
}

static void found_finish(struct found_leg *f)
{
	leg_row_finish(&f->row);
	for (size_t i = 0; i < ARRAY_LEN(f->parts); i++) {
		buf_finish(&f->parts[i]);
	}
}

Test(recorder, what_was_pushed_is_read_back)
{
	struct bench b;
	bench_init(&b);
	bench_start(&b);
	struct id exchange = id_make(), leg = id_make();
	cr_assert(push_leg(&b, exchange, leg, SPAN(answer), b.copies));
	bench_stop(&b);
	struct found_leg f = find_leg(b.dir, leg);
	cr_assert(f.found);
	cr_assert_str_eq(f.row.backend, "trusted");
	cr_assert_str_eq(f.row.finish, "stop");
	cr_assert_str_eq(f.row.model, "m");
	cr_assert_eq(f.row.usage.prompt_tokens, 9);
	cr_assert_eq(f.row.marks, 0);
	cr_assert(span_equal(buf_span(&f.parts[PART_RESPONSE_BODY]), SPAN(answer)));
	struct reading *reading;
	cr_assert_eq(record_get_reading(buf_span(&f.parts[PART_READING]), &reading), 0);
	cr_assert_eq(reading->n_choices, 1);
	cr_assert(span_is(buf_span(&reading->choices[0].text), "Hello there"));
	reading_destroy(reading);
	found_finish(&f);
	struct ledger_figures copies = figures_of(&b, 1);
	cr_assert_eq(copies.recorded, 1);
	bench_finish(&b);
}

Test(recorder, bodies_of_any_size_and_cut_come_back_whole)
{
	const size_t sizes[] = {1, 511, 65503, 65504, 65505, 196512, 196513, 700000};
	for (size_t compressible = 0; compressible < 2; compressible++) {
		struct bench b;
		bench_init(&b);
		bench_start(&b);
		struct id legs[ARRAY_LEN(sizes)];
		char *data = xmalloc(2 * sizes[ARRAY_LEN(sizes) - 1]);
		uint64_t seed = 88172645463325252u;
		for (size_t i = 0; i < 2 * sizes[ARRAY_LEN(sizes) - 1]; i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			data[i] = (char)(compressible ? 'a' + seed % 3 : seed);
		}
		for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
			legs[i] = id_make();
			/* Two pieces, the first of two chunks. */
			struct chunks list = piece(&b, data, sizes[i] / 2);
			chunks_push(&list, chunk_make(&b.budget, data + sizes[i] / 2,
			                           sizes[i] - sizes[i] / 2));
			cr_assert(recorder_part(b.recorder, legs[i], PART_RESPONSE_BODY, 0, &list));
			cr_assert(push(
			        &b, legs[i], PART_RESPONSE_BODY, 1, data + sizes[i], sizes[i]));
			struct leg_row row = {
			        .id = legs[i], .exchange = legs[i], .body_bytes = 2 * sizes[i]};
			recorder_leg(b.recorder, &row, false, b.copies);
		}
		bench_stop(&b);
		for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
			struct found_leg f = find_leg(b.dir, legs[i]);
			cr_assert(f.found);
			cr_assert(span_equal(buf_span(&f.parts[PART_RESPONSE_BODY]),
			        (struct span){data, 2 * sizes[i]}));
			cr_assert(f.row.marks & LEG_UNREAD);
			found_finish(&f);
		}
		free(data);
		bench_finish(&b);
	}
}

struct order {
	size_t segment;
	uint64_t number;
};

/* A row's parts must be there when its log row is; a leg's log row comes before its exchange's. */
static void check_log(void *arg, size_t segment, struct span key, struct span value)
{
	struct order *o = arg;
	uint64_t number = 0;
	for (size_t i = 0; i < 8; i++) {
		number = number << 8 | (uint8_t)key.data[i];
	}
	if (segment != o->segment) {
		o->segment = segment;
		o->number = 0;
	}
	cr_assert_eq(number, o->number + 1, "commit numbers have gaps");
	o->number = number;
	cr_assert(value.data[0] == ROW_EXCHANGE ? value.len == 17 : value.len == 33);
}

static void *push_many(void *arg)
{
	struct bench *b = arg;
	for (int i = 0; i < 200; i++) {
		push_exchange(b, SPAN(answer));
	}
	return NULL;
}

static void push_from_threads(struct bench *b, unsigned n)
{
	pthread_t threads[4];
	for (unsigned i = 0; i < n; i++) {
		cr_assert_eq(pthread_create(&threads[i], NULL, push_many, b), 0);
	}
	for (int i = 0; i < 20; i++) {
		figures_of(b, 0);
		struct recorder_figures f;
		recorder_figures(b->recorder, &f);
		usleep(500);
	}
	for (unsigned i = 0; i < n; i++) {
		pthread_join(threads[i], NULL);
	}
}

Test(recorder, keeps_parity_under_pushes_from_several_threads)
{
	struct bench b;
	bench_init(&b);
	b.settings.encoders = 3;
	bench_start(&b);
	push_from_threads(&b, 4);
	bench_stop(&b);
	struct ledger_figures exchanges = figures_of(&b, 0), copies = figures_of(&b, 1);
	cr_assert_eq(exchanges.completed, 800);
	cr_assert_eq(exchanges.recorded, 800);
	cr_assert_eq(copies.recorded, 800);
	cr_assert_eq(capture_dir_rows(b.dir, TABLE_EXCHANGE), 800);
	cr_assert_eq(capture_dir_rows(b.dir, TABLE_LEG), 1600);
	cr_assert_eq(capture_dir_rows(b.dir, TABLE_LOG), 2400);
	cr_assert_eq(capture_dir_rows(b.dir, TABLE_BY_TIME), 800);
	cr_assert_eq(capture_dir_rows(b.dir, TABLE_BY_BACKEND), 1600);
	cr_assert_eq(capture_dir_rows(b.dir, TABLE_BY_MODEL), 800);
	cr_assert_eq(capture_dir_rows(b.dir, TABLE_BY_PROMPT), 800);
	struct order order = {0};
	capture_dir_each(b.dir, TABLE_LOG, check_log, &order);
	bench_finish(&b);
}

Test(recorder, goes_on_in_a_new_segment_when_the_map_is_full)
{
	struct bench b;
	bench_init(&b);
	b.settings.segment_size = 1u << 20;
	bench_start(&b);
	push_from_threads(&b, 2);
	bench_stop(&b);
	cr_assert_eq(figures_of(&b, 0).recorded, 400);
	cr_assert_gt(capture_dir_count(b.dir), 1);
	cr_assert_eq(capture_dir_rows(b.dir, TABLE_EXCHANGE), 400);
	struct id *ids;
	size_t n = capture_dir_segments(b.dir, &ids);
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(segment_state(b.dir, ids[i]), SEGMENT_SEALED);
		cr_assert_eq(seal_verify(b.dir, ids[i]), 0);
	}
	free(ids);
	bench_finish(&b);
}

Test(recorder, a_limit_of_0_is_the_default)
{
	struct bench b;
	bench_init(&b);
	b.settings.segment_size = b.settings.queue_limit = b.settings.encoders = 0;
	bench_start(&b);
	for (int i = 0; i < 20; i++) {
		struct id leg = id_make();
		cr_assert(push_leg(&b, leg, leg, noise(60000), b.copies));
	}
	bench_stop(&b);
	cr_assert_eq(figures_of(&b, 1).recorded, 20);
	cr_assert_eq(capture_dir_count(b.dir), 1);
	bench_finish(&b);
}

Test(recorder, under_pressure_stores_raw_and_marks_the_leg_unread)
{
	struct bench b;
	bench_init(&b);
	b.settings.queue_limit = 1u << 20;
	bench_start(&b);
	size_t refused = 0;
	struct span body = noise(60000);
	for (int i = 0; i < 3000; i++) {
		struct id leg = id_make();
		refused += !push_leg(&b, leg, leg, body, b.copies);
	}
	struct recorder_figures f;
	wait_until_idle(&b);
	recorder_figures(b.recorder, &f);
	bench_stop(&b);
	struct ledger_figures copies = figures_of(&b, 1);
	cr_assert_eq(copies.completed, 3000);
	cr_assert_eq(copies.recorded + copies.dropped[DROP_MEMORY], 3000);
	cr_assert_gt(refused, 0);
	cr_assert_gt(f.unread, 0);
	cr_assert_gt(f.truncated, 0);
	cr_assert_eq(f.rows, copies.recorded);
	bench_finish(&b);
}

static atomic_bool disk_hangs, disk_is_slow;

/* Replaces fdatasync() for LMDB: this program's own symbol is found before the library's. */
int fdatasync(int fd);
int fdatasync(int fd)
{
	if (disk_is_slow) {
		usleep(200000);
	}
	while (disk_hangs) {
		usleep(1000);
	}
	return (int)syscall(SYS_fdatasync, fd);
}

Test(recorder, what_is_left_at_the_end_of_the_timeout_is_dropped_as_stopped)
{
	struct bench b;
	bench_init(&b);
	bench_start(&b);
	/* More than thirty commits, which take seconds: this thread may have to wait before it stops
	 * the recorder. */
	disk_is_slow = true;
	for (int i = 0; i < 3000; i++) {
		push_exchange(&b, SPAN(answer));
	}
	recorder_stop(b.recorder, 0);
	struct ledger_figures f = figures_of(&b, 0);
	cr_assert_eq(f.pending, 0);
	cr_assert_eq(f.recorded + f.dropped[DROP_STOPPED], 3000);
	cr_assert_gt(f.dropped[DROP_STOPPED], 0);
	cr_assert_eq(budget_used(&b.budget), 0);
	bench_finish(&b);
}

Test(recorder, stops_in_time_though_a_commit_hangs_and_settles_every_ticket)
{
	struct bench b;
	bench_init(&b);
	bench_start(&b);
	push_exchange(&b, SPAN(answer));
	wait_until_idle(&b);
	disk_hangs = true;
	push_exchange(&b, SPAN(answer));
	usleep(100000);
	for (int i = 0; i < 50; i++) {
		push_exchange(&b, SPAN(answer));
	}
	uint64_t began = clock_mono();
	recorder_stop(b.recorder, SECOND / 10);
	uint64_t took = clock_mono() - began;
	cr_assert_lt(took, RECORDER_STOP_GRACE_NS + 20 * SECOND, "it took %llu ms",
	        (unsigned long long)(took / 1000000));
	struct ledger_figures f = figures_of(&b, 0);
	cr_assert_eq(f.pending, 0);
	cr_assert_eq(f.recorded, 1);
	cr_assert_eq(f.dropped[DROP_STOPPED], 51);
	struct id *ids;
	cr_assert_eq(capture_dir_segments(b.dir, &ids), 1);
	cr_assert_neq(segment_state(b.dir, ids[0]), SEGMENT_SEALED);
	free(ids);
	bench_finish(&b);
}
