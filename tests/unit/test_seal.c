#include "capture/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include <criterion/criterion.h>

#include "capture/capture.h"
#include "capture/soundness.h"
#include "capture_dir.h"
#include "captured.h"

struct sealed {
	char dir[64];
	struct id id;
	int fd;
	uint8_t *data;
	size_t size;
};

static struct sealed sealed_make(void)
{
	struct sealed s;
	struct id *ids;
	captured_make(s.dir, NULL);
	cr_assert_eq(capture_dir_segments(s.dir, &ids), 1);
	s.id = ids[0];
	free(ids);
	char *path = segment_path(s.dir, s.id, "seg");
	s.fd = open(path, O_RDWR);
	free(path);
	struct stat st;
	cr_assert_eq(fstat(s.fd, &st), 0);
	s.size = (size_t)st.st_size;
	s.data = xmalloc(s.size);
	cr_assert_eq(pread(s.fd, s.data, s.size, 0), st.st_size);
	return s;
}

static void sealed_remove(struct sealed *s)
{
	free(s->data);
	close(s->fd);
	captured_remove(s->dir);
}

static void poke(const struct sealed *s, size_t at, uint8_t byte)
{
	cr_assert_eq(pwrite(s->fd, &byte, 1, (off_t)at), 1);
}

static void reseal(const struct sealed *s, const char *text)
{
	char *path = segment_path(s->dir, s->id, "seal");
	FILE *f = fopen(path, "we");
	cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
	free(path);
}

/* As who opens a capture would. */
static int check(const struct sealed *s)
{
	char *why = NULL;
	int r = soundness_check(s->dir, s->id, segment_state(s->dir, s->id), &why);
	cr_assert_eq(r == -EBADMSG, why != NULL);
	free(why);
	return r;
}

/* The page on which the first run of overflow pages begins. */
static size_t find_run(const struct sealed *s)
{
	size_t at = 2 * (size_t)4096;
	while (at < s->size && !(s->data[at + 10] == 0x04 && s->data[at + 11] == 0)) {
		at += 4096;
	}
	cr_assert_lt(at, s->size);
	return at;
}

Test(seal, finds_every_flipped_byte)
{
	struct sealed s = sealed_make();
	cr_assert_eq(seal_verify(s.dir, s.id), 0);
	for (size_t at = 0; at < s.size; at += 997) {
		poke(&s, at, s.data[at] ^ 0x10);
		cr_assert_eq(seal_verify(s.dir, s.id), -EBADMSG);
		poke(&s, at, s.data[at]);
	}
	cr_assert_eq(seal_verify(s.dir, s.id), 0);
	cr_assert_eq(ftruncate(s.fd, (off_t)s.size - 4096), 0);
	cr_assert_eq(seal_verify(s.dir, s.id), -EBADMSG);
	cr_assert_eq(check(&s), -EBADMSG);
	sealed_remove(&s);
}

Test(seal, a_reader_is_told_of_every_page_that_lmdb_will_trust)
{
	struct sealed s = sealed_make();
	cr_assert_eq(check(&s), 0);
	size_t trees = 0;
	for (size_t page = 0; page < s.size; page += 4096) {
		uint8_t kind = s.data[page + 10];
		/* What neither is a tree's page nor one of the two that count is not told of: it is free, or a value's. */
		if (s.data[page + 11] || (kind != 0x01 && kind != 0x02 && kind != 0x08)) {
			continue;
		}
		poke(&s, page + 4095, s.data[page + 4095] ^ 1);
		int r = check(&s);
		trees += r == -EBADMSG;
		cr_assert(r == -EBADMSG || (r == 0 && kind != 0x08));
		poke(&s, page + 4095, s.data[page + 4095]);
	}
	cr_assert_gt(trees, 10);
	cr_assert_eq(check(&s), 0);
	sealed_remove(&s);
}

Test(seal, a_damaged_value_is_found_by_who_reads_it_and_takes_no_segment_with_it)
{
	struct sealed s = sealed_make();
	poke(&s, find_run(&s) + 16 + 100, s.data[find_run(&s) + 16 + 100] ^ 1);
	cr_assert_eq(check(&s), 0);
	cr_assert_eq(seal_verify(s.dir, s.id), -EBADMSG);
	const char *dirs[] = {s.dir};
	char *error = NULL;
	struct capture *c = capture_open(dirs, 1, &error);
	cr_assert_not_null(c, "%s", error);
	struct capture_exchange e = {0};
	size_t n = 0, damaged = 0;
	while (capture_next(c, &e) == 1) {
		struct buf body = {0};
		n++;
		damaged += capture_request_body(c, &e, &body) == -EBADMSG;
		for (size_t i = 0; i < e.n_legs; i++) {
			damaged += capture_response_body(c, &e, i, &body) == -EBADMSG;
		}
		buf_finish(&body);
		capture_exchange_finish(&e);
	}
	cr_assert_gt(n, 0);
	cr_assert_eq(damaged, 1);
	/* Counted and told once, by whichever of those that read side by side came upon it. */
	struct capture *again = capture_open_again(c), *other = capture_open_again(c);
	struct capture_figures figures;
	const char *const *problems;
	capture_take_hits(again, c);
	capture_take_hits(other, again);
	capture_take_hits(other, c);
	capture_figures(other, &figures);
	cr_assert_eq(figures.damaged_rows, 1);
	cr_assert_eq(capture_problems(other, &problems), 1);
	cr_assert(strstr(problems[0], "capture verify"), "%s", problems[0]);
	capture_figures(c, &figures);
	cr_assert_eq(figures.damaged_rows, 1);
	capture_close(other);
	capture_close(again);
	capture_close(c);
	sealed_remove(&s);
}

Test(seal, of_the_first_version_the_whole_file_tells)
{
	struct sealed s = sealed_make();
	struct seal seal;
	char text[128];
	cr_assert_eq(seal_read(s.dir, s.id, &seal), 0);
	cr_assert(seal.has_trees);
	snprintf(text, sizeof(text), "plumbline-seal 1 %016" PRIx64 " %" PRIu64 "\n", seal.hash,
	        seal.bytes);
	reseal(&s, text);
	cr_assert_eq(seal_verify(s.dir, s.id), 0);
	cr_assert_eq(check(&s), 0);
	size_t at = find_run(&s) + 16 + 100;
	poke(&s, at, s.data[at] ^ 1);
	cr_assert_eq(check(&s), -EBADMSG);
	sealed_remove(&s);
}

Test(seal, of_any_other_form_is_none_of_ours)
{
	static const char *const FORMS[] = {"", "plumbline-seal",
	        "plumbline-seal 1 0123456789abcdef\n", "plumbline-seal 2 0123456789abcdef 4096\n",
	        "plumbline-seal 1 0123456789abcdef 4096 0123456789abcdef\n",
	        "plumbline-seal 3 0123456789abcdef 4096 0123456789abcdef\n",
	        "plumbline-seal 2 0123456789ABCDEF 4096 0123456789abcdef\n",
	        "plumbline-seal 2 123456789abcdef 4096 0123456789abcdef\n",
	        "plumbline-seal 2 0123456789abcdef -1 0123456789abcdef\n",
	        "plumbline-seal 2 0123456789abcdef 4096 0123456789abcdef",
	        "plumbline-seal 2 0123456789abcdef 4096 0123456789abcdef\n\n",
	        "plumbline-seal 2 99990123456789abcdef 4096 0123456789abcdef\n"};
	struct sealed s = sealed_make();
	for (size_t i = 0; i < ARRAY_LEN(FORMS); i++) {
		struct seal seal;
		reseal(&s, FORMS[i]);
		cr_assert_eq(seal_read(s.dir, s.id, &seal), -EBADMSG, "%s", FORMS[i]);
		cr_assert_eq(seal_verify(s.dir, s.id), -EBADMSG);
		cr_assert_eq(check(&s), -EBADMSG);
	}
	sealed_remove(&s);
}
