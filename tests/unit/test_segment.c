#include "capture/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include <criterion/criterion.h>

#include "capture/seal.h"
#include "capture_dir.h"

#define MAP (8u << 20)

static struct segment_writer *make(const char *dir, size_t map)
{
	struct segment_writer *w;
	cr_assert_eq(segment_create(dir, map, false, &w), 0);
	return w;
}

static void put_numbers(struct segment_writer *w, uint64_t from, uint64_t to)
{
	struct buf key = {0};
	cr_assert_eq(segment_begin(w), 0);
	for (uint64_t i = from; i < to; i++) {
		segment_key_number(&key, i);
		cr_assert_eq(segment_put(w, TABLE_LOG, buf_span(&key), buf_span(&key)), 0);
	}
	cr_assert_eq(segment_commit(w), 0);
	buf_finish(&key);
}

static uint64_t last_number(struct segment_reader *r)
{
	struct span key, value;
	int code = segment_last(r, TABLE_LOG, &key, &value);
	if (code == -ENOENT) {
		return 0;
	}
	cr_assert_eq(code, 0);
	uint64_t number = 0;
	for (size_t i = 0; i < 8; i++) {
		number = number << 8 | (uint8_t)key.data[i];
	}
	return number;
}

Test(segment, what_was_committed_is_read_in_the_order_of_keys)
{
	char *dir = capture_dir_make();
	struct segment_writer *w = make(dir, MAP);
	cr_assert_eq(segment_begin(w), 0);
	static const char *const keys[] = {"m", "a", "zz", "b"};
	for (size_t i = 0; i < 4; i++) {
		cr_assert_eq(segment_put(w, TABLE_EXCHANGE, span_of(keys[i]), span_of(keys[i])), 0);
	}
	cr_assert_eq(segment_commit(w), 0);
	struct id id = segment_writer_id(w);
	cr_assert_eq(segment_seal(w), 0);

	struct segment_reader *r;
	struct span key, value;
	cr_assert_eq(segment_open(dir, id, &r), 0);
	cr_assert_eq(segment_seek(r, TABLE_EXCHANGE, SPAN(""), false, &key, &value), 0);
	cr_assert(span_is(key, "a"));
	cr_assert_eq(segment_seek(r, TABLE_EXCHANGE, SPAN("a"), false, &key, &value), 0);
	cr_assert(span_is(key, "a"));
	cr_assert_eq(segment_seek(r, TABLE_EXCHANGE, SPAN("a"), true, &key, &value), 0);
	cr_assert(span_is(key, "b"));
	cr_assert_eq(segment_seek(r, TABLE_EXCHANGE, SPAN("c"), true, &key, &value), 0);
	cr_assert(span_is(key, "m") && span_is(value, "m"));
	cr_assert_eq(segment_seek(r, TABLE_EXCHANGE, SPAN("zz"), true, &key, &value), -ENOENT);
	cr_assert_eq(segment_get(r, TABLE_EXCHANGE, SPAN("zz"), &value), 0);
	cr_assert_eq(segment_get(r, TABLE_EXCHANGE, SPAN("x"), &value), -ENOENT);
	cr_assert_eq(segment_last(r, TABLE_LEG, &key, &value), -ENOENT);
	segment_close(r);
	capture_dir_remove(dir);
}

/* Reads row after row, with other lookups and renewals in between. */
Test(segment, the_next_row_is_found_wherever_one_looked_before)
{
	char *dir = capture_dir_make();
	struct segment_writer *w = make(dir, MAP);
	struct segment_reader *r;
	struct buf from = {0};
	uint64_t seen = 0;
	put_numbers(w, 1, 400);
	cr_assert_eq(segment_open(dir, segment_writer_id(w), &r), 0);
	put_numbers(w, 400, 500);
	for (;;) {
		struct span key, value, other, nothing;
		segment_key_number(&from, seen);
		int code = segment_seek(r, TABLE_LOG, buf_span(&from), true, &key, &value);
		if (code == -ENOENT && last_number(r) == 399) {
			cr_assert_eq(segment_renew(r), 0);
			continue;
		}
		if (code == -ENOENT) {
			break;
		}
		segment_key_number(&from, ++seen);
		cr_assert(span_equal(key, buf_span(&from)) && span_equal(value, key));
		if (seen % 3 == 0) {
			segment_key_number(&from, seen / 2 + 1);
			cr_assert_eq(segment_seek(r, TABLE_LOG, buf_span(&from), seen % 2, &other,
			                     &nothing),
			        0);
		}
		if (seen % 5 == 0) {
			cr_assert_eq(last_number(r), seen < 400 ? 399 : 499);
		}
		if (seen % 7 == 0 && seen >= 400) {
			cr_assert_eq(segment_renew(r), 0);
		}
	}
	cr_assert_eq(seen, 499);
	buf_finish(&from);
	segment_close(r);
	cr_assert_eq(segment_seal(w), 0);
	capture_dir_remove(dir);
}

Test(segment, a_snapshot_stays_until_it_is_renewed)
{
	char *dir = capture_dir_make();
	struct segment_writer *w = make(dir, MAP);
	put_numbers(w, 1, 10);
	struct segment_reader *r;
	cr_assert_eq(segment_open(dir, segment_writer_id(w), &r), 0);
	put_numbers(w, 10, 20);
	cr_assert_eq(last_number(r), 9);
	cr_assert_eq(segment_renew(r), 0);
	cr_assert_eq(last_number(r), 19);
	cr_assert_eq(segment_seal(w), 0);
	cr_assert_eq(segment_renew(r), 0);
	cr_assert_eq(last_number(r), 19);
	segment_close(r);
	capture_dir_remove(dir);
}

Test(segment, several_readers_of_one_process_share_the_file)
{
	char *dir = capture_dir_make();
	struct segment_writer *w = make(dir, MAP);
	struct id id = segment_writer_id(w);
	put_numbers(w, 1, 5);
	cr_assert_eq(segment_seal(w), 0);
	struct segment_reader *readers[20];
	for (size_t i = 0; i < 20; i++) {
		cr_assert_eq(segment_open(dir, id, &readers[i]), 0);
		cr_assert_eq(last_number(readers[i]), 4);
	}
	/* The same file by another name: two directories given twice. */
	char *twice = xasprintf("%s/.", dir);
	struct segment_reader *r;
	cr_assert_eq(segment_open(twice, id, &r), 0);
	segment_close(readers[0]);
	cr_assert_eq(last_number(r), 4);
	segment_close(r);
	for (size_t i = 1; i < 20; i++) {
		segment_close(readers[i]);
	}
	free(twice);
	capture_dir_remove(dir);
}

struct race {
	const char *dir;
	struct id id;
	atomic_bool done;
};

static void *read_while_written(void *arg)
{
	struct race *race = arg;
	uint64_t before = 0;
	while (!atomic_load(&race->done)) {
		struct segment_reader *r;
		cr_assert_eq(segment_open(race->dir, race->id, &r), 0);
		for (int i = 0; i < 10; i++) {
			uint64_t now = last_number(r);
			cr_assert(now >= before && now % 10 == 0, "half a transaction was seen");
			before = now;
			cr_assert_eq(segment_renew(r), 0);
		}
		segment_close(r);
	}
	return NULL;
}

Test(segment, readers_see_whole_transactions_while_it_is_written)
{
	char *dir = capture_dir_make();
	struct segment_writer *w = make(dir, MAP);
	struct race race = {.dir = dir, .id = segment_writer_id(w)};
	pthread_t threads[3];
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(pthread_create(&threads[i], NULL, read_while_written, &race), 0);
	}
	for (uint64_t i = 1; i < 5000; i += 10) {
		put_numbers(w, i, i + 10);
	}
	cr_assert_eq(segment_seal(w), 0);
	atomic_store(&race.done, true);
	for (size_t i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
	}
	capture_dir_remove(dir);
}

Test(segment, a_full_map_is_no_space_and_loses_only_its_own_transaction)
{
	char *dir = capture_dir_make();
	struct segment_writer *w = make(dir, 512u << 10);
	put_numbers(w, 1, 10);
	char *big = xcalloc(1, 1u << 20);
	cr_assert_eq(segment_begin(w), 0);
	cr_assert_eq(segment_put(w, TABLE_PART, SPAN("k"), (struct span){big, 1u << 20}), -ENOSPC);
	segment_abort(w);
	free(big);
	put_numbers(w, 10, 12);
	struct id id = segment_writer_id(w);
	cr_assert_eq(segment_seal(w), 0);
	struct segment_reader *r;
	cr_assert_eq(segment_open(dir, id, &r), 0);
	cr_assert_eq(last_number(r), 11);
	segment_close(r);
	capture_dir_remove(dir);
}

Test(segment, states_tell_live_sealed_and_orphaned_apart)
{
	char *dir = capture_dir_make();
	struct segment_writer *w = make(dir, MAP);
	struct id sealed = segment_writer_id(w);
	cr_assert_eq(segment_state(dir, sealed), SEGMENT_LIVE);
	cr_assert_eq(segment_remove(dir, sealed), -EBUSY);
	cr_assert_eq(segment_seal(w), 0);
	cr_assert_eq(segment_state(dir, sealed), SEGMENT_SEALED);

	w = make(dir, MAP);
	struct id orphan = segment_writer_id(w);
	put_numbers(w, 1, 3);
	segment_writer_destroy(w);
	cr_assert_eq(segment_state(dir, orphan), SEGMENT_ORPHANED);
	cr_assert_eq(seal_verify(dir, orphan), -ENOENT);
	struct segment_reader *r;
	cr_assert_eq(segment_open(dir, orphan, &r), 0);
	cr_assert_eq(last_number(r), 2);
	segment_close(r);

	cr_assert_eq(segment_remove(dir, sealed), 0);
	cr_assert_eq(segment_remove(dir, orphan), 0);
	cr_assert_eq(rmdir(dir), 0, "files were left behind");
	free(dir);
}

Test(segment, a_writer_in_another_process_is_seen_as_live_and_its_death_too)
{
	char *dir = capture_dir_make();
	int ready[2], go[2];
	cr_assert_eq(pipe(ready), 0);
	cr_assert_eq(pipe(go), 0);
	pid_t child = fork();
	if (child == 0) {
		struct segment_writer *w = make(dir, MAP);
		put_numbers(w, 1, 4);
		char c = 0;
		close(go[1]);
		_exit(write(ready[1], &c, 1) == 1 && read(go[0], &c, 1) == 0 ? 0 : 1);
	}
	close(go[0]);
	char c;
	cr_assert_eq(read(ready[0], &c, 1), 1);
	struct id *ids;
	cr_assert_eq(capture_dir_segments(dir, &ids), 1);
	cr_assert_eq(segment_state(dir, ids[0]), SEGMENT_LIVE);
	struct segment_reader *r;
	cr_assert_eq(segment_open(dir, ids[0], &r), 0);
	cr_assert_eq(last_number(r), 3);
	close(go[1]);
	waitpid(child, NULL, 0);
	cr_assert_eq(segment_state(dir, ids[0]), SEGMENT_ORPHANED);
	cr_assert_eq(last_number(r), 3);
	segment_close(r);
	free(ids);
	capture_dir_remove(dir);
}

Test(segment, files_that_are_no_segments_are_errors_and_not_listed)
{
	char *dir = capture_dir_make();
	struct id id = id_make();
	struct segment_reader *r;
	cr_assert_eq(segment_open(dir, id, &r), -ENOENT);
	char *path = segment_path(dir, id, "seg");
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	cr_assert_eq(segment_open(dir, id, &r), -ENODATA);
	char garbage[8192];
	memset(garbage, 0x5a, sizeof(garbage));
	cr_assert_eq(write(fd, garbage, sizeof(garbage)), (ssize_t)sizeof(garbage));
	close(fd);
	cr_assert_eq(segment_open(dir, id, &r), -EBADMSG);
	char *other = xasprintf("%s/notes.seg", dir);
	close(open(other, O_RDWR | O_CREAT, 0600));
	cr_assert_eq(capture_dir_count(dir), 1);
	free(other);
	free(path);
	capture_dir_remove(dir);
}

Test(segment, all_files_are_the_owners_only_even_with_a_umask_that_takes_everything)
{
	char *dir = capture_dir_make();
	umask(0777);
	struct segment_writer *w = make(dir, MAP);
	put_numbers(w, 1, 3);
	struct id id = segment_writer_id(w);
	static const char *const suffixes[] = {"seg", "seg-lock", "writer", "seal"};
	for (size_t i = 0; i < 4; i++) {
		if (i == 3) {
			cr_assert_eq(segment_seal(w), 0);
		}
		struct stat st;
		char *path = segment_path(dir, id, suffixes[i]);
		cr_assert_eq(stat(path, &st), 0);
		cr_assert_eq(st.st_mode & 0777, 0600, "%s", path);
		free(path);
	}
	capture_dir_remove(dir);
}

Test(segment, an_empty_segment_can_be_discarded_without_a_trace)
{
	char *dir = capture_dir_make();
	segment_discard(make(dir, MAP));
	cr_assert_eq(rmdir(dir), 0, "files were left behind");
	free(dir);
}

Test(segment, a_long_value_is_fetched_from_the_file_and_what_is_gone_there_is_an_error)
{
	char *dir = capture_dir_make();
	struct segment_writer *w = make(dir, MAP);
	struct id id = segment_writer_id(w);
	char bytes[3][20000];
	static const size_t lengths[] = {100, 5000, sizeof(bytes[0])};
	static const char *const names[] = {"short", "long", "longer"};
	cr_assert_eq(segment_begin(w), 0);
	for (size_t i = 0; i < 3; i++) {
		memset(bytes[i], 'a' + (int)i, lengths[i]);
		cr_assert_eq(segment_put(w, TABLE_META, span_of(names[i]),
		                     (struct span){bytes[i], lengths[i]}),
		        0);
	}
	cr_assert_eq(segment_commit(w), 0);
	struct segment_reader *r;
	struct buf copy = {0};
	struct span value, fetched;
	/* Tests a segment that is being written, and a sealed one. */
	for (int sealed = 0; sealed < 2; sealed++) {
		cr_assert_eq(segment_open(dir, id, &r), 0);
		for (size_t i = 0; i < 3; i++) {
			cr_assert_eq(segment_get(r, TABLE_META, span_of(names[i]), &value), 0);
			cr_assert_eq(segment_fetch(r, value, &copy, &fetched), 0);
			cr_assert(span_equal(fetched, (struct span){bytes[i], lengths[i]}));
			cr_assert_eq(fetched.data == value.data, i == 0);
		}
		segment_close(r);
		cr_assert_eq(sealed || segment_seal(w) == 0, 1);
	}
	cr_assert_eq(segment_open(dir, id, &r), 0);
	cr_assert_eq(segment_get(r, TABLE_META, SPAN("longer"), &value), 0);
	char *path = segment_path(dir, id, "seg");
	cr_assert_eq(truncate(path, 2 * 4096), 0);
	cr_assert_eq(segment_fetch(r, value, &copy, &fetched), -EIO);
	free(path);
	segment_close(r);
	buf_finish(&copy);
	capture_dir_remove(dir);
}
