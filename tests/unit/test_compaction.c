#include "capture/compaction.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/mem.h"
#include "capture/capture.h"
#include "capture/capture_meta.h"
#include "capture/verifier.h"
#include "copied.h"
#include "recorder_bench.h"

static void on_finding(void *arg, struct id segment, const char *sentence)
{
	cr_assert(false, "%s", sentence);
}

static struct verifier_figures survey_of(const char *dir)
{
	const struct verifier_events events = {.on_finding = on_finding};
	struct verifier *s = verifier_create(dir, &events, NULL);
	struct verifier_figures f;
	struct id *ids;
	size_t n;
	cr_assert_eq(segment_list(dir, &ids, &n), 0);
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(verifier_segment(s, ids[i]), 0);
	}
	free(ids);
	verifier_end(s, &f);
	verifier_destroy(s);
	return f;
}

static struct capture *open_dir(const char *dir)
{
	char *error = NULL;
	struct capture *c = capture_open(&dir, 1, &error);
	cr_assert_not_null(c, "%s", error ? error : "");
	return c;
}

static void put_bytes(struct buf *to, int r, struct buf *bytes)
{
	buf_printf(to, "%d:%zu:", r, bytes->len);
	buf_append_span(to, buf_span(bytes));
	buf_clear(bytes);
}

/* Writes all that can be read of a capture, rows as they are stored; readings: those that are
 * stored. */
static void put_all(const char *dir, struct buf *to)
{
	struct capture *c = open_dir(dir);
	struct capture_exchange e;
	struct buf bytes = {0};
	while (capture_next(c, &e) > 0) {
		record_put_exchange(to, &e.row);
		put_bytes(to, capture_request_head(c, &e, &bytes), &bytes);
		put_bytes(to, capture_request_body(c, &e, &bytes), &bytes);
		for (size_t i = 0; i < e.n_legs; i++) {
			struct reading *reading;
			record_put_leg(to, &e.legs[i].row);
			put_bytes(to, capture_response_head(c, &e, i, &bytes), &bytes);
			put_bytes(to, capture_response_body(c, &e, i, &bytes), &bytes);
			put_bytes(to, capture_arrivals(c, &e, i, &bytes), &bytes);
			if (capture_reading(c, &e, i, &reading) == 0) {
				record_put_reading(to, reading);
				reading_destroy(reading);
			}
		}
		capture_exchange_finish(&e);
	}
	capture_close(c);
	buf_finish(&bytes);
}

/* Writes the model of each answer. */
static void put_models(const char *dir, struct buf *to)
{
	struct capture *c = open_dir(dir);
	struct capture_exchange e;
	while (capture_next(c, &e) > 0) {
		for (size_t i = 0; i < e.n_legs; i++) {
			struct reading *reading;
			if (capture_reading(c, &e, i, &reading) == 0) {
				buf_printf(to, "%s\n", reading->model);
				reading_destroy(reading);
			}
		}
		capture_exchange_finish(&e);
	}
	capture_close(c);
}

static struct compaction_figures compact(const struct compaction_settings *s)
{
	struct compaction_figures f;
	bool usage;
	char *problem = compaction_run(s, &f, &usage);
	cr_assert_null(problem, "%s", problem ? problem : "");
	return f;
}

/* A capture of several segments, with parts that have no row. */
static void make_segments(struct bench *b, unsigned n)
{
	bench_init(b);
	for (unsigned i = 0; i < n; i++) {
		bench_start(b);
		push_exchange(b, SPAN(answer));
		push_exchange(b, SPAN(answer));
		cr_assert(push(b, id_make(), PART_REQUEST_BODY, 0, "of nobody", 9));
		bench_stop(b);
	}
}

Test(compaction, many_segments_become_one_and_nothing_is_lost)
{
	struct bench b;
	make_segments(&b, 5);
	char *to = xasprintf("%s.new", b.dir);
	struct buf before = {0}, after = {0};
	put_all(b.dir, &before);
	const struct compaction_settings s = {.from = b.dir, .to = to};
	struct compaction_figures f = compact(&s);
	put_all(to, &after);
	cr_assert(before.len > 1000 && span_equal(buf_span(&before), buf_span(&after)));
	cr_assert(f.segments == 5 && f.new_segments == 1 && f.exchanges == 10 && f.legs == 20);
	cr_assert(f.new_bytes < f.bytes / 2);
	/* Rows without an owner are removed. */
	struct verifier_figures was = survey_of(b.dir), now = survey_of(to);
	cr_assert(was.dangling == 5 && now.dangling == 0 && f.dropped == 5);
	cr_assert(now.sealed == 1 && now.exchanges == 10 && now.legs == 20 &&
	          now.parts == was.parts - 5);
	buf_finish(&before);
	buf_finish(&after);
	capture_dir_remove(to);
	bench_finish(&b);
}

static size_t count_meta(const char *dir, const char *settings)
{
	struct capture *c = open_dir(dir);
	struct meta_row row;
	size_t n = 0;
	for (size_t i = 0; capture_meta(c, i, &row) != -ENOENT; i++) {
		n += row.settings && strcmp(row.settings, settings) == 0;
		meta_row_finish(&row);
	}
	capture_close(c);
	return n;
}

Test(compaction, who_wrote_the_old_segments_stays_known_through_several_compactions)
{
	struct bench b;
	make_segments(&b, 3);
	char *second = xasprintf("%s.second", b.dir), *third = xasprintf("%s.third", b.dir);
	cr_assert_eq(count_meta(b.dir, "{}"), 3);
	compact(&(struct compaction_settings){.from = b.dir, .to = second});
	cr_assert_eq(count_meta(second, "{}"), 3);
	compact(&(struct compaction_settings){.from = second, .to = third});
	cr_assert_eq(count_meta(third, "{}"), 3);
	survey_of(third);
	capture_dir_remove(second);
	capture_dir_remove(third);
	bench_finish(&b);
}

/* Counts the legs that are marked unread, and the rows that state how they ended. */
static void count_legs(const char *dir, size_t *ret_unread, size_t *ret_finish)
{
	struct capture *c = open_dir(dir);
	struct capture_exchange e;
	*ret_unread = *ret_finish = 0;
	while (capture_next(c, &e) > 0) {
		for (size_t i = 0; i < e.n_legs; i++) {
			*ret_unread += (e.legs[i].row.marks & LEG_UNREAD) != 0;
			*ret_finish += e.legs[i].row.finish != NULL;
		}
		capture_exchange_finish(&e);
	}
	capture_close(c);
}

Test(compaction, a_leg_left_unread_is_read_as_it_would_have_been)
{
	char dir[64];
	struct id ids[CAPTURED_EXCHANGES];
	captured_make(dir, ids);
	char *kept = xasprintf("%s.kept", dir), *reread = xasprintf("%s.reread", dir),
	     *again = xasprintf("%s.again", dir);
	size_t unread, ended, left, now;
	count_legs(dir, &unread, &ended);
	cr_assert_gt(unread, 0);
	struct compaction_figures f =
	        compact(&(struct compaction_settings){.from = dir, .to = kept});
	cr_assert(f.reread == 0 && f.unread == unread);
	f = compact(&(struct compaction_settings){.from = kept, .to = reread, .reread = true});
	count_legs(reread, &left, &now);
	cr_assert(f.reread == unread && f.unread == 0 && left == 0 && now == ended + unread,
	        "%zu reread of %zu, %zu and %zu left; ended %zu, then %zu", (size_t)f.reread,
	        unread, (size_t)f.unread, left, ended, now);
	/* Reads all of it again: the result is the same. */
	f = compact(&(struct compaction_settings){
	        .from = reread, .to = again, .reread = true, .reread_all = true});
	cr_assert_gt(f.reread, unread);
	struct buf first = {0}, second = {0};
	put_all(reread, &first);
	put_all(again, &second);
	cr_assert(span_equal(buf_span(&first), buf_span(&second)));
	survey_of(again);
	buf_finish(&first);
	buf_finish(&second);
	captured_remove(dir);
	capture_dir_remove(kept);
	capture_dir_remove(reread);
	capture_dir_remove(again);
}

Test(compaction, an_older_reading_of_a_body_that_is_not_whole_is_kept)
{
	char dir[64];
	copied_make(dir, 0, copied_older);
	char *kept = xasprintf("%s.kept", dir), *reread = xasprintf("%s.reread", dir);
	(void)compact(&(struct compaction_settings){.from = dir, .to = kept});
	struct compaction_figures f =
	        compact(&(struct compaction_settings){.from = kept, .to = reread, .reread = true});
	cr_expect_gt(f.reread, 0);
	struct buf first = {0}, second = {0};
	put_models(kept, &first);
	put_models(reread, &second);
	cr_expect_not_null(strstr(buf_cstr(&first), "older"));
	cr_expect(span_equal(buf_span(&first), buf_span(&second)));
	buf_finish(&first);
	buf_finish(&second);
	captured_remove(dir);
	capture_dir_remove(kept);
	capture_dir_remove(reread);
}

/* Under pressure bodies are stored raw, in as many values as they have pieces. */
Test(compaction, what_was_stored_raw_is_packed)
{
	struct bench b;
	static char text[300000];
	memset(text, 'x', sizeof(text));
	bench_init(&b);
	b.settings.queue_limit = 1; /* always over half full */
	bench_start(&b);
	struct id leg = id_make();
	struct chunks pieces = piece(&b, text, sizeof(text));
	bool taken = recorder_part(b.recorder, leg, PART_RESPONSE_BODY, 0, &pieces);
	if (!taken) { /* more than half full is a queue of twice the body, not of one byte */
		bench_stop(&b);
		b.settings.queue_limit = sizeof(text) + 1000;
		bench_start(&b);
		pieces = piece(&b, text, sizeof(text));
		cr_assert(recorder_part(b.recorder, leg, PART_RESPONSE_BODY, 0, &pieces));
	}
	struct leg_row row = {.id = leg, .exchange = id_make(), .body_bytes = sizeof(text)};
	recorder_leg(b.recorder, &row, false, b.copies);
	bench_stop(&b);
	char *to = xasprintf("%s.new", b.dir);
	struct compaction_figures f =
	        compact(&(struct compaction_settings){.from = b.dir, .to = to});
	struct buf before = {0}, after = {0};
	put_all(b.dir, &before);
	put_all(to, &after);
	cr_assert(before.len > sizeof(text) && span_equal(buf_span(&before), buf_span(&after)));
	cr_assert(f.packed == 1 && f.new_bytes + 250000 < f.bytes, "%zu packed, %zu of %zu bytes",
	        (size_t)f.packed, (size_t)f.new_bytes, (size_t)f.bytes);
	buf_finish(&before);
	buf_finish(&after);
	capture_dir_remove(to);
	bench_finish(&b);
}

Test(compaction, what_is_damaged_or_being_written_is_refused)
{
	struct bench b;
	struct compaction_figures f;
	bool usage = false;
	make_segments(&b, 1);
	char *to = xasprintf("%s.new", b.dir);
	const struct compaction_settings s = {.from = b.dir, .to = to};
	bench_start(&b);
	push_exchange(&b, SPAN(answer));
	for (int i = 0; i < 3000 && survey_of(b.dir).live == 0; i++) {
		usleep(10000);
	}
	char *problem = compaction_run(&s, &f, &usage);
	cr_assert(problem && strstr(problem, "being written") && usage, "%s", problem);
	free(problem);
	bench_stop(&b);
	struct id *ids;
	size_t n;
	cr_assert(segment_list(b.dir, &ids, &n) == 0 && n == 2);
	char *path = segment_path(b.dir, ids[0], "seg");
	FILE *file = fopen(path, "r+");
	cr_assert(fseek(file, 20000, SEEK_SET) == 0 && fwrite("damage", 1, 6, file) == 6);
	fclose(file);
	problem = compaction_run(&s, &f, &usage);
	cr_assert(problem && strstr(problem, "damaged") && usage, "%s", problem);
	free(problem);
	free(path);
	free(ids);
	free(to);
	bench_finish(&b);
}
