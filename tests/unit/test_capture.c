#include "copied.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "capture/capture.h"

static struct capture *open_one(const char *dir)
{
	char *error = NULL;
	struct capture *c = capture_open(&dir, 1, &error);
	cr_assert(c, "%s", error);
	return c;
}

static size_t count(struct capture *c, size_t *ret_legs)
{
	struct capture_exchange e;
	size_t n = 0;
	*ret_legs = 0;
	while (capture_next(c, &e) > 0) {
		n++;
		*ret_legs += e.n_legs;
		capture_exchange_finish(&e);
	}
	return n;
}

/* Returns the only file in the directory with that extension. */
static char *file_of(const char *dir, const char *suffix)
{
	struct id *ids;
	size_t n;
	cr_assert_eq(segment_list(dir, &ids, &n), 0);
	cr_assert_eq(n, 1);
	char *path = segment_path(dir, ids[0], suffix);
	free(ids);
	return path;
}

static void unseal(const char *dir)
{
	char *seal = file_of(dir, "seal");
	cr_assert_eq(unlink(seal), 0);
	free(seal);
}

Test(capture, gives_each_exchange_once_in_order_with_all_its_legs)
{
	char dir[64];
	struct id ids[CAPTURED_EXCHANGES];
	captured_make(dir, ids);
	struct capture *c = open_one(dir);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < CAPTURED_EXCHANGES; i++) {
			struct capture_exchange e;
			cr_assert_eq(capture_next(c, &e), 1);
			cr_assert_eq(id_compare(e.row.id, ids[i]), 0);
			cr_assert(!e.absent);
			cr_assert_eq(e.n_legs, 2);
			cr_assert_str_eq(e.legs[0].row.backend, "primary");
			capture_exchange_finish(&e);
		}
		struct capture_exchange none;
		cr_assert_eq(capture_next(c, &none), 0);
		capture_rewind(c);
	}
	capture_close(c);
	captured_remove(dir);
}

Test(capture, gives_bodies_as_they_came_and_as_they_were_sent)
{
	char dir[64];
	struct id ids[CAPTURED_EXCHANGES];
	captured_make(dir, ids);
	struct capture *c = open_one(dir);
	struct capture_exchange e;
	struct buf body = {0}, sent = {0};
	cr_assert_eq(capture_find(c, ids[3], &e), 0);
	cr_assert_eq(capture_request_body(c, &e, &body), 0);
	char *noise = captured_noise(CAPTURED_LARGE);
	cr_assert_gt(body.len, CAPTURED_LARGE);
	cr_assert_arr_eq(body.data + body.len - CAPTURED_LARGE, noise, CAPTURED_LARGE);
	cr_assert_eq(capture_sent_body(c, &e, 0, &sent), 0);
	cr_assert_eq(sent.len, body.len + 16);
	cr_assert_eq(memcmp(sent.data, "{\"logprobs\":true,\"model\"", 24), 0);
	e.legs[0].row.edits[0].at = body.len + 1;
	cr_assert_eq(capture_sent_body(c, &e, 0, &sent), -EBADMSG);
	free(noise);
	capture_exchange_finish(&e);

	buf_clear(&body);
	cr_assert_eq(capture_find(c, ids[1], &e), 0);
	cr_assert_eq(capture_response_body(c, &e, 0, &body), 0);
	struct buf whole = captured_answer(ENDPOINT_CHAT, true, "one");
	cr_assert(span_equal(buf_span(&body), buf_span(&whole)));
	buf_clear(&body);
	cr_assert_eq(capture_arrivals(c, &e, 0, &body), 0);
	cr_assert_eq(body.len, 16);
	buf_clear(&body);
	cr_assert_eq(capture_request_head(c, &e, &body), 0);
	cr_assert(body.len > 0);
	capture_exchange_finish(&e);
	buf_finish(&whole);
	buf_finish(&body);
	buf_finish(&sent);
	capture_close(c);
	captured_remove(dir);
}

Test(capture, gives_a_stored_reading_and_makes_one_for_a_leg_left_unread)
{
	char dir[64];
	struct id ids[CAPTURED_EXCHANGES];
	captured_make(dir, ids);
	struct capture *c = open_one(dir);
	static const size_t read[] = {1, 4};
	for (size_t i = 0; i < 2; i++) {
		struct capture_exchange e;
		cr_assert_eq(capture_find(c, ids[read[i]], &e), 0);
		cr_assert_eq(!!(e.legs[0].row.marks & LEG_UNREAD), i == 1);
		struct reading *reading;
		cr_assert_eq(capture_reading(c, &e, 0, &reading), 0);
		cr_assert_eq(reading->n_choices, 1);
		cr_assert(span_is(buf_span(&reading->choices[0].text), "one and more"));
		cr_assert(reading->choices[0].has_columns);
		cr_assert_eq(reading->choices[0].columns.n, 3);
		reading_destroy(reading);
		capture_exchange_finish(&e);
	}
	capture_close(c);
	captured_remove(dir);
}

Test(capture, reads_an_answer_again_for_a_newer_parser_only_if_its_body_is_whole)
{
	char dir[64];
	copied_make(dir, 0, copied_older);
	struct capture *c = open_one(dir);
	struct capture_exchange e;
	size_t kept = 0, again = 0;
	while (capture_next(c, &e) > 0) {
		for (size_t i = 0; i < e.n_legs; i++) {
			const struct leg_row *row = &e.legs[i].row;
			struct reading *reading;
			if (row->marks & LEG_UNREAD || row->outcome == OUTCOME_REFUSED) {
				continue;
			}
			bool part = row->marks & LEG_TRUNCATED;
			cr_assert_eq(capture_reading(c, &e, i, &reading), 0);
			cr_expect_str_eq(reading->model, part ? "older" : "m");
			kept += part;
			again += !part;
			capture_reading_done(c, reading);
		}
		capture_exchange_finish(&e);
	}
	cr_expect_gt(kept, 0);
	cr_expect_gt(again, 0);
	capture_close(c);
	captured_remove(dir);
}

Test(capture, reads_what_is_still_written_up_to_where_it_was_opened)
{
	char dir[64] = "/tmp/plumbline-test-XXXXXX";
	cr_assert(mkdtemp(dir));
	struct recorder *r = captured_begin(dir, 64u << 20);
	struct recorder_figures figures;
	captured_fill(r, NULL);
	do {
		usleep(2000);
		recorder_figures(r, &figures);
	} while (figures.rows < 3 * CAPTURED_EXCHANGES);
	struct capture *c = open_one(dir);
	struct capture_figures seen;
	capture_figures(c, &seen);
	cr_assert_eq(seen.live, 1);
	captured_fill(r, NULL);
	do {
		usleep(2000);
		recorder_figures(r, &figures);
	} while (figures.rows < 6 * CAPTURED_EXCHANGES);
	usleep(1100000); /* the snapshot is renewed, and now sees the later rows */
	size_t legs;
	cr_assert_eq(count(c, &legs), CAPTURED_EXCHANGES);
	cr_assert_eq(legs, 2 * CAPTURED_EXCHANGES);
	capture_close(c);
	c = open_one(dir);
	cr_assert_eq(count(c, &legs), 2 * CAPTURED_EXCHANGES);
	capture_close(c);
	recorder_stop(r, 30000000000);
	captured_remove(dir);
}

Test(capture, merges_directories_and_gives_no_exchange_twice)
{
	char dirs[2][64];
	captured_make(dirs[0], NULL);
	captured_make(dirs[1], NULL);
	const char *three[] = {dirs[0], dirs[1], dirs[0]};
	char *error = NULL;
	struct capture *c = capture_open(three, 3, &error);
	cr_assert(c, "%s", error);
	size_t legs;
	cr_assert_eq(count(c, &legs), 2 * CAPTURED_EXCHANGES);
	cr_assert_eq(legs, 4 * CAPTURED_EXCHANGES);
	capture_close(c);
	captured_remove(dirs[0]);
	captured_remove(dirs[1]);
}

Test(capture, reads_many_small_segments_as_one)
{
	char dir[64] = "/tmp/plumbline-test-XXXXXX";
	cr_assert(mkdtemp(dir));
	for (int i = 0; i < 3; i++) {
		struct recorder *r = captured_begin(dir, 64u << 20);
		captured_fill(r, NULL);
		recorder_stop(r, 30000000000);
	}
	struct capture *c = open_one(dir);
	struct capture_figures figures;
	capture_figures(c, &figures);
	cr_assert_eq(figures.segments, 3);
	size_t legs;
	cr_assert_eq(count(c, &legs), 3 * CAPTURED_EXCHANGES);
	cr_assert_eq(legs, 6 * CAPTURED_EXCHANGES);
	capture_close(c);
	captured_remove(dir);
}

Test(capture, finds_by_id_and_goes_on_from_an_id)
{
	char dir[64];
	struct id ids[CAPTURED_EXCHANGES];
	captured_make(dir, ids);
	struct capture *c = open_one(dir);
	struct capture_exchange e;
	cr_assert_eq(capture_find(c, id_make(), &e), -ENOENT);
	capture_seek(c, ids[4]);
	cr_assert_eq(capture_next(c, &e), 1);
	cr_assert_eq(id_compare(e.row.id, ids[4]), 0);
	capture_exchange_finish(&e);
	size_t legs;
	cr_assert_eq(count(c, &legs), 1);
	capture_close(c);
	captured_remove(dir);
}

Test(capture, refuses_what_is_no_capture_in_a_sentence)
{
	const char *dirs[] = {"/nowhere/at/all", "/tmp", "/etc/passwd"};
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		char *error = NULL;
		cr_assert_null(capture_open(&dirs[i], 1, &error));
		cr_assert(error && strstr(error, dirs[i]), "%s", error);
		free(error);
	}
}

static void flip(const char *path, off_t at, uint8_t mask)
{
	int fd = open(path, O_RDWR);
	uint8_t byte;
	cr_assert_eq(pread(fd, &byte, 1, at), 1);
	byte ^= mask;
	cr_assert_eq(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

Test(capture, leaves_out_a_sealed_segment_whose_trees_do_not_agree_with_its_seal)
{
	char dir[64];
	captured_make(dir, NULL);
	char *seg = file_of(dir, "seg");
	flip(seg, 4095, 1); /* the end of its first meta page, which holds nothing */
	struct capture *c = open_one(dir);
	size_t legs;
	cr_assert_eq(count(c, &legs), 0);
	struct capture_figures figures;
	capture_figures(c, &figures);
	cr_assert_eq(figures.refused, 1);
	const char *const *problems;
	cr_assert_eq(capture_problems(c, &problems), 1);
	cr_assert(strstr(problems[0], "checksum"), "%s", problems[0]);
	capture_close(c);
	free(seg);
	captured_remove(dir);
}

Test(capture, reads_all_but_the_damaged_value_of_an_unsealed_segment)
{
	char dir[64];
	struct id ids[CAPTURED_EXCHANGES];
	captured_make(dir, ids);
	unseal(dir);
	char *seg = file_of(dir, "seg");
	/* The large body lies on overflow pages, whose bytes are values only. */
	char *noise = captured_noise(CAPTURED_LARGE);
	struct stat st;
	cr_assert_eq(stat(seg, &st), 0);
	char *file = xmalloc((size_t)st.st_size);
	int fd = open(seg, O_RDONLY);
	cr_assert_eq(read(fd, file, (size_t)st.st_size), st.st_size);
	close(fd);
	const char *at = memmem(file, (size_t)st.st_size, noise + 1000, 64);
	cr_assert(at);
	flip(seg, at - file, 4);
	struct capture *c = open_one(dir);
	size_t legs;
	cr_assert_eq(count(c, &legs), CAPTURED_EXCHANGES);
	struct buf body = {0};
	for (size_t i = 0; i < CAPTURED_EXCHANGES; i++) {
		struct capture_exchange e;
		cr_assert_eq(capture_find(c, ids[i], &e), 0);
		cr_assert_eq(capture_request_body(c, &e, &body), i == 3 ? -EBADMSG : 0);
		buf_clear(&body);
		capture_exchange_finish(&e);
	}
	buf_finish(&body);
	capture_close(c);
	free(noise);
	free(file);
	free(seg);
	captured_remove(dir);
}

static void count_segment(void *arg, size_t n_checked, size_t n_segments)
{
	size_t *seen = arg;
	cr_assert_eq(n_checked, *seen);
	cr_assert_eq(n_segments, 1);
	++*seen;
}

Test(capture, tells_of_each_segment_before_it_is_checked)
{
	char dir[64];
	captured_make(dir, NULL);
	const char *dirs[] = {dir};
	char *error = NULL;
	size_t seen = 0;
	struct capture *c = capture_open_watched(dirs, 1, count_segment, &seen, &error);
	cr_assert(c, "%s", error);
	cr_assert_eq(seen, 1);
	capture_close(c);
	captured_remove(dir);
}
