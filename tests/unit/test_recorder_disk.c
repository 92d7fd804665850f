/*
 * The recorder and its directory: limits, full disks, foreign files, several writers, sudden
 * death.
 */
#include "capture/recorder/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <criterion/criterion.h>

#include "capture/capture.h"
#include "capture/segment.h"
#include "recorder_bench.h"

static uint64_t bytes_on_disk(const char *dir)
{
	struct id *ids;
	size_t n = capture_dir_segments(dir, &ids);
	uint64_t bytes = 0;
	for (size_t i = 0; i < n; i++) {
		struct stat st;
		char *path = segment_path(dir, ids[i], "seg");
		cr_assert_eq(stat(path, &st), 0);
		bytes += (uint64_t)st.st_size;
		free(path);
	}
	free(ids);
	return bytes;
}

Test(recorder_disk, drops_the_oldest_segments_at_max_size)
{
	struct bench b;
	bench_init(&b);
	b.settings.max_size = 8u << 20;
	b.settings.drop_oldest = true;
	bench_start(&b);
	struct id last = {{0}};
	for (int i = 0; i < 400; i++) {
		last = push_exchange(&b, noise(60000));
		if (i % 20 == 0) {
			wait_until_idle(&b);
			cr_assert_leq(bytes_on_disk(b.dir), 8u << 20);
		}
	}
	bench_stop(&b);
	struct ledger_figures f = figures_of(&b, 0);
	cr_assert_eq(f.recorded, 400);
	size_t left = capture_dir_rows(b.dir, TABLE_EXCHANGE);
	cr_assert(left > 10 && left < 100, "%zu left", left);
	struct id *ids;
	size_t n = capture_dir_segments(b.dir, &ids);
	struct segment_reader *r;
	struct span value;
	cr_assert_eq(segment_open(b.dir, ids[n - 1], &r), 0);
	cr_assert_eq(
	        segment_get(r, TABLE_EXCHANGE, (struct span){(char *)last.bytes, 16}, &value), 0);
	segment_close(r);
	free(ids);
	bench_finish(&b);
}

Test(recorder_disk, stops_recording_at_max_size_when_told_to)
{
	struct bench b;
	bench_init(&b);
	b.settings.max_size = 4u << 20;
	bench_start(&b);
	for (int i = 0; i < 100; i++) {
		push_exchange(&b, noise(60000));
		wait_until_idle(&b);
	}
	bench_stop(&b);
	struct ledger_figures f = figures_of(&b, 0);
	cr_assert_gt(f.recorded, 10);
	cr_assert_eq(f.recorded + f.dropped[DROP_CAPTURE_FULL], 100);
	cr_assert_gt(f.dropped[DROP_CAPTURE_FULL], 10);
	cr_assert_leq(bytes_on_disk(b.dir), 4u << 20);
	cr_assert_eq(capture_dir_rows(b.dir, TABLE_EXCHANGE), f.recorded);
	bench_finish(&b);
}

Test(recorder_disk, counts_losses_on_a_full_disk_and_resumes_by_itself)
{
	struct bench b;
	bench_init(&b);
	bench_start(&b);
	push_exchange(&b, noise(60000));
	wait_until_idle(&b);
	/* A limit on the size of files simulates a full disk: writes beyond it fail with EFBIG. */
	struct rlimit before, tight;
	getrlimit(RLIMIT_FSIZE, &before);
	tight = (struct rlimit){.rlim_cur = 20000, .rlim_max = before.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &tight), 0);
	for (int i = 0; i < 50; i++) {
		push_exchange(&b, noise(60000));
	}
	wait_until_idle(&b);
	struct recorder_figures f;
	recorder_figures(b.recorder, &f);
	cr_assert(f.failing);
	cr_assert_gt(f.errors, 0);
	cr_assert_gt(figures_of(&b, 0).dropped[DROP_DISK], 0);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
	uint64_t recorded = figures_of(&b, 0).recorded;
	for (int i = 0; i < 300 && figures_of(&b, 0).recorded == recorded; i++) {
		usleep(100000);
		push_exchange(&b, noise(60000));
	}
	struct id last = push_exchange(&b, noise(60000));
	wait_until_idle(&b);
	recorder_figures(b.recorder, &f);
	cr_assert(!f.failing);
	bench_stop(&b);
	struct ledger_figures l = figures_of(&b, 0);
	cr_assert_eq(l.pending, 0);
	cr_assert_gt(l.recorded, recorded);
	cr_assert_eq(capture_dir_rows(b.dir, TABLE_EXCHANGE), l.recorded);
	/* A primary leg for each recorded exchange, and the copies that are counted. */
	cr_assert_eq(capture_dir_rows(b.dir, TABLE_LEG) >= l.recorded + figures_of(&b, 1).recorded,
	        true);
	(void)last;
	bench_finish(&b);
}

Test(recorder_disk, two_recorders_share_a_directory)
{
	struct bench a, b;
	bench_init(&a);
	bench_init(&b);
	b.settings.path = a.dir;
	bench_start(&a);
	bench_start(&b);
	cr_assert_eq(memcmp(recorder_hash_key(a.recorder), recorder_hash_key(b.recorder), 32), 0);
	cr_assert_neq(id_compare(recorder_run(a.recorder), recorder_run(b.recorder)), 0);
	for (int i = 0; i < 50; i++) {
		push_exchange(&a, SPAN(answer));
		push_exchange(&b, SPAN(answer));
	}
	bench_stop(&a);
	bench_stop(&b);
	cr_assert_eq(capture_dir_count(a.dir), 2);
	cr_assert_eq(capture_dir_rows(a.dir, TABLE_EXCHANGE), 100);
	bench_finish(&b);
	bench_finish(&a);
}

static void write_file(const char *dir, const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	cr_assert_not_null(f);
	fputs(text, f);
	fclose(f);
	free(path);
}

static size_t count_entries(const char *dir)
{
	size_t n = 0;
	DIR *d = opendir(dir);
	while (readdir(d)) {
		n++;
	}
	closedir(d);
	return n;
}

static void assert_refused(struct bench *b, const char *what)
{
	size_t entries = count_entries(b->dir);
	char *error = NULL;
	cr_assert_null(recorder_create(&b->settings, &error));
	cr_assert_not_null(error);
	cr_assert_not_null(strstr(error, what), "%s", error);
	free(error);
	cr_assert_eq(count_entries(b->dir), entries, "the directory was touched");
}

Test(recorder_disk, refuses_a_foreign_directory_and_leaves_it_as_it_is)
{
	struct bench b;
	bench_init(&b);
	write_file(b.dir, "holiday.jpg", "x");
	assert_refused(&b, "other files");
	bench_finish(&b);
}

Test(recorder_disk, refuses_a_capture_of_a_newer_format)
{
	struct bench b;
	bench_init(&b);
	write_file(b.dir, "CAPTURE",
	        "{\"plumbline_capture\": 2, \"hash_key\": "
	        "\"0000000000000000000000000000000000000000000000000000000000000000\"}");
	assert_refused(&b, "of format 2");
	bench_finish(&b);
}

Test(recorder_disk, refuses_a_damaged_marker_and_a_path_that_is_no_directory)
{
	struct bench b;
	bench_init(&b);
	write_file(b.dir, "CAPTURE", "{\"plumbline_capture\": 1}");
	assert_refused(&b, "hash_key");
	write_file(b.dir, "CAPTURE", "hello");
	assert_refused(&b, "not the marker file");
	char *path = xasprintf("%s/CAPTURE", b.dir);
	b.settings.path = path;
	assert_refused(&b, "CAPTURE");
	free(path);
	bench_finish(&b);
}

Test(recorder_disk, files_are_the_owners_only_under_any_umask)
{
	struct bench b;
	bench_init(&b);
	umask(0);
	bench_start(&b);
	push_exchange(&b, SPAN(answer));
	wait_until_idle(&b);
	for (int stopped = 0; stopped < 2; stopped++) {
		DIR *d = opendir(b.dir);
		const struct dirent *entry;
		while ((entry = readdir(d))) {
			struct stat st;
			cr_assert_eq(fstatat(dirfd(d), entry->d_name, &st, 0), 0);
			if (S_ISREG(st.st_mode)) {
				cr_assert_eq(st.st_mode & 0777, 0600, "%s", entry->d_name);
			}
		}
		closedir(d);
		if (!stopped) {
			bench_stop(&b);
		}
	}
	bench_finish(&b);
}

static unsigned mode_of(const char *path)
{
	struct stat st;
	cr_assert_eq(stat(path, &st), 0);
	return st.st_mode & 07777;
}

Test(recorder_disk, a_directory_that_is_open_to_others_is_closed_to_them)
{
	struct bench b;
	bench_init(&b);
	log_set_level(LOG_LEVEL_WARN);
	for (int is_capture = 0; is_capture < 2; is_capture++) {
		cr_assert_eq(chmod(b.dir, 02755), 0);
		bench_start(&b);
		cr_assert_eq(mode_of(b.dir), 0700);
		bench_stop(&b);
	}
	bench_finish(&b);
}

Test(recorder_disk, one_that_is_open_to_others_and_not_ours_is_refused)
{
	struct bench b;
	if (geteuid() != 0) {
		return; /* only root may become another user */
	}
	bench_init(&b);
	cr_assert_eq(chmod(b.dir, 0777), 0);
	cr_assert_eq(seteuid(65534), 0);
	assert_refused(&b, "is open to other users (mode 0777)");
	cr_assert_eq(seteuid(0), 0);
	cr_assert_eq(mode_of(b.dir), 0777);
	cr_assert_eq(rmdir(b.dir), 0, "nothing was made in it");
	bench_finish(&b);
}

Test(recorder_disk, a_fleets_hash_key_is_used_for_a_new_capture_and_kept)
{
	struct bench b;
	bench_init(&b);
	uint8_t key[32], other[32];
	memset(key, 7, sizeof(key));
	memset(other, 8, sizeof(other));
	b.settings.hash_key = key;
	bench_start(&b);
	cr_assert_eq(memcmp(recorder_hash_key(b.recorder), key, 32), 0);
	bench_stop(&b);
	b.settings.hash_key = other;
	bench_start(&b);
	cr_assert_eq(memcmp(recorder_hash_key(b.recorder), key, 32), 0);
	bench_stop(&b);
	bench_finish(&b);
}

/* Writes until it is killed, and reports on fd how many exchanges the ledger counts as recorded. */
static void write_until_killed(struct bench *b, int fd)
{
	bench_start(b);
	for (;;) {
		for (int i = 0; i < 5; i++) {
			push_exchange(b, SPAN(answer));
		}
		uint64_t recorded = figures_of(b, 0).recorded;
		if (write(fd, &recorded, sizeof(recorded)) != sizeof(recorded)) {
			_exit(1);
		}
	}
}

static void check_row(void *arg, size_t segment, struct span key, struct span value)
{
	struct buf scratch = {0};
	struct span payload;
	struct exchange_row row;
	cr_assert_eq(record_unwrap(value, ROW_EXCHANGE, &scratch, &payload), 0);
	cr_assert_eq(record_get_exchange(payload, &row), 0);
	cr_assert_eq(memcmp(row.id.bytes, key.data, 16), 0);
	exchange_row_finish(&row);
	buf_finish(&scratch);
	++*(uint64_t *)arg;
}

static void check_part(void *arg, size_t segment, struct span key, struct span value)
{
	struct buf scratch = {0};
	struct span payload;
	cr_assert_eq(record_unwrap(value, ROW_PART, &scratch, &payload), 0);
	buf_finish(&scratch);
}

Test(recorder_disk, what_was_counted_as_recorded_survives_kill_9, .timeout = 60)
{
	for (int round = 0; round < 8; round++) {
		struct bench b;
		bench_init(&b);
		int fds[2];
		cr_assert_eq(pipe(fds), 0);
		pid_t child = fork();
		if (child == 0) {
			close(fds[0]);
			write_until_killed(&b, fds[1]);
		}
		close(fds[1]);
		uint64_t reported = 0, recorded = 0,
		         killed_at = clock_mono() + (20 + 37 * (uint64_t)round) * 1000000;
		bool killed = false;
		while (read(fds[0], &reported, sizeof(reported)) == sizeof(reported)) {
			recorded = reported;
			if (!killed && clock_mono() >= killed_at) {
				kill(child, SIGKILL);
				killed = true;
			}
		}
		close(fds[0]);
		waitpid(child, NULL, 0);
		cr_assert(killed);
		struct id *ids;
		size_t n = capture_dir_segments(b.dir, &ids);
		cr_assert_geq(n, 1);
		cr_assert_eq(segment_state(b.dir, ids[n - 1]), SEGMENT_ORPHANED);
		free(ids);
		uint64_t found = 0;
		capture_dir_each(b.dir, TABLE_EXCHANGE, check_row, &found);
		capture_dir_each(b.dir, TABLE_PART, check_part, NULL);
		cr_assert_geq(found, recorded);
		cr_assert_geq(capture_dir_rows(b.dir, TABLE_LEG), 2 * found);
		bench_finish(&b);
	}
}

static void remove_all(const char *dir)
{
	char *command = xasprintf("rm -r %s", dir);
	cr_assert_eq(system(command), 0);
	free(command);
}

Test(recorder_disk, a_directory_that_was_deleted_is_made_again_and_nothing_is_lost_without_a_word)
{
	struct bench b;
	bench_init(&b);
	bench_start(&b);
	umask(0);
	push_exchange(&b, SPAN(answer));
	wait_until_idle(&b);
	/* Unfinished exchanges: one whose leg is stored, one with a leg of which a piece is stored,
	 * one with nothing. */
	struct id without_primary = id_make(), cut = id_make(), leg = id_make();
	(void)push_leg(&b, without_primary, id_make(), SPAN(answer), NULL);
	cr_assert(push(&b, leg, PART_RESPONSE_BODY, 0, "{\"a\"", 4));
	wait_until_idle(&b);
	remove_all(b.dir);
	cr_assert(push(&b, leg, PART_RESPONSE_BODY, 1, ":1}", 3));
	struct leg_row row = {.id = leg,
	        .exchange = cut,
	        .outcome = OUTCOME_COMPLETE,
	        .status = 200,
	        .body_bytes = 7,
	        .body_parts = 2};
	recorder_leg(b.recorder, &row, false, NULL);
	finish_exchange(&b, without_primary);
	finish_exchange(&b, cut);
	push_exchange(&b, SPAN(answer));
	wait_until_idle(&b);
	struct stat st;
	cr_assert_eq(stat(b.dir, &st), 0);
	cr_assert_eq(st.st_mode & 0777, 0700);
	bench_stop(&b);
	struct ledger_figures f = figures_of(&b, 0);
	cr_assert_eq(f.recorded, 3);
	cr_assert_eq(f.dropped[DROP_DISK], 1);
	cr_assert_eq(capture_dir_rows(b.dir, TABLE_EXCHANGE), 2);
	char *error;
	struct capture *c = capture_open((const char *const *)&b.dir, 1, &error);
	cr_assert_not_null(c);
	struct capture_exchange e;
	struct buf body = {0};
	size_t n = 0;
	while (capture_next(c, &e) > 0) {
		bool is_cut = id_compare(e.row.id, cut) == 0;
		for (size_t i = 0; i < e.n_legs; i++, n++) {
			buf_clear(&body);
			cr_expect_eq((e.legs[i].row.marks & LEG_TRUNCATED) != 0, is_cut);
			cr_expect_eq(capture_response_body(c, &e, i, &body), is_cut ? -ENOENT : 0);
		}
		capture_exchange_finish(&e);
	}
	cr_expect_eq(n, 3);
	buf_finish(&body);
	capture_close(c);
	bench_finish(&b);
}

Test(recorder_disk, what_cannot_be_written_while_the_directory_is_away_is_counted)
{
	struct bench b;
	bench_init(&b);
	char *parent = b.dir, *inner = xasprintf("%s/in", b.dir);
	b.settings.path = inner;
	bench_start(&b);
	push_exchange(&b, SPAN(answer));
	wait_until_idle(&b);
	remove_all(parent);
	push_exchange(&b, SPAN(answer));
	wait_until_idle(&b);
	struct recorder_figures now;
	recorder_figures(b.recorder, &now);
	cr_assert(now.failing);
	cr_assert_eq(figures_of(&b, 0).dropped[DROP_DISK], 1);
	cr_assert_eq(mkdir(parent, 0700), 0);
	for (int i = 0; i < 300 && now.failing; i++) {
		usleep(100000);
		push_exchange(&b, SPAN(answer));
		wait_until_idle(&b);
		recorder_figures(b.recorder, &now);
	}
	cr_assert(!now.failing);
	bench_stop(&b);
	cr_assert_eq(capture_dir_rows(inner, TABLE_EXCHANGE), figures_of(&b, 0).recorded - 1);
	remove_all(inner);
	free(inner);
	bench_finish(&b);
}

Test(recorder_disk, what_is_moved_away_stays_readable_and_a_new_capture_begins)
{
	struct bench b;
	bench_init(&b);
	bench_start(&b);
	push_exchange(&b, SPAN(answer));
	wait_until_idle(&b);
	char *away = xasprintf("%s-away", b.dir);
	cr_assert_eq(rename(b.dir, away), 0);
	push_exchange(&b, SPAN(answer));
	wait_until_idle(&b);
	bench_stop(&b);
	cr_assert_eq(figures_of(&b, 0).recorded, 2);
	cr_assert_eq(capture_dir_rows(b.dir, TABLE_EXCHANGE), 1);
	cr_assert_eq(capture_dir_rows(away, TABLE_EXCHANGE), 1);
	capture_dir_remove(away);
	bench_finish(&b);
}

/* Records an exchange, and checks that it is not forgotten at once. */
static void push_to_keep(struct bench *b)
{
	uint64_t before = clock_mono();
	push_exchange(b, noise(1000));
	wait_until_idle(b);
	size_t rows = capture_dir_rows(b->dir, TABLE_EXCHANGE);
	cr_assert(rows == 1 || clock_mono() - before > b->settings.retain, "%zu rows", rows);
}

Test(recorder_disk, forgets_what_is_older_than_retain_though_nothing_comes)
{
	struct bench b;
	bench_init(&b);
	b.settings.retain = 2 * SECOND;
	bench_start(&b);
	push_to_keep(&b);
	size_t n = 1;
	for (int i = 0; i < 300 && n > 0; i++) {
		usleep(100000);
		struct id *ids;
		n = capture_dir_segments(b.dir, &ids);
		free(ids);
	}
	cr_assert_eq(n, 0);
	push_to_keep(&b);
	bench_stop(&b);
	cr_assert_eq(figures_of(&b, 0).recorded, 2);
	bench_finish(&b);
}
