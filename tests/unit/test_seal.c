#include "capture/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include <criterion/criterion.h>

#include "capture/capture.h"
#include "capture/soundness.h"
#include "captured.h"
#include "damaged.h"

struct sealed {
	char dir[64];
	struct damaged file;
};

static struct sealed sealed_make(void)
{
	struct sealed s;
	captured_make(s.dir, NULL);
	s.file = damaged_load(s.dir);
	return s;
}

static void sealed_remove(struct sealed *s)
{
	damaged_unload(&s->file);
	captured_remove(s->dir);
}

/* Changes bits at a place, then restores them. */
static void flip(const struct sealed *s, size_t at, uint8_t bits)
{
	damaged_poke(&s->file, at, s->file.data[at] ^ bits);
}

static void put_back(const struct sealed *s, size_t at)
{
	flip(s, at, 0);
}

static void reseal(const struct sealed *s, const char *text)
{
	char *path = segment_path(s->dir, s->file.id, "seal");
	FILE *f = fopen(path, "we");
	cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
	free(path);
}

/* Checks the segment as a reader that opens the capture. */
static int check(const struct sealed *s)
{
	char *why = NULL;
	int r = soundness_check(s->dir, s->file.id, segment_state(s->dir, s->file.id), &why);
	cr_assert_eq(r == -EBADMSG, why != NULL);
	free(why);
	return r;
}

/* Returns the offset of a byte in the first value that has pages of its own. */
static size_t in_a_value(const struct sealed *s)
{
	return damaged_find_page(&s->file, 2 * DAMAGED_PAGE, DAMAGED_VALUE) + 16 + 100;
}

Test(seal, finds_every_flipped_byte)
{
	struct sealed s = sealed_make();
	cr_assert_eq(seal_verify(s.dir, s.file.id), 0);
	for (size_t at = 0; at < s.file.size; at += 997) {
		flip(&s, at, 0x10);
		cr_assert_eq(seal_verify(s.dir, s.file.id), -EBADMSG);
		put_back(&s, at);
	}
	cr_assert_eq(seal_verify(s.dir, s.file.id), 0);
	cr_assert_eq(truncate(s.file.path, (off_t)(s.file.size - DAMAGED_PAGE)), 0);
	cr_assert_eq(seal_verify(s.dir, s.file.id), -EBADMSG);
	cr_assert_eq(check(&s), -EBADMSG);
	sealed_remove(&s);
}

Test(seal, a_reader_is_told_of_every_page_that_lmdb_will_trust)
{
	struct sealed s = sealed_make();
	cr_assert_eq(check(&s), 0);
	size_t trees = 0;
	for (size_t page = 0; page < s.file.size; page += DAMAGED_PAGE) {
		bool is_meta = damaged_is_page(&s.file, page, DAMAGED_META);
		/* Damage of free pages and of values' pages is not reported. */
		if (!is_meta && !damaged_is_page(&s.file, page, DAMAGED_LEAF) &&
		        !damaged_is_page(&s.file, page, DAMAGED_BRANCH)) {
			continue;
		}
		flip(&s, page + DAMAGED_PAGE - 1, 1);
		int r = check(&s);
		trees += r == -EBADMSG;
		cr_assert(r == -EBADMSG || (r == 0 && !is_meta));
		put_back(&s, page + DAMAGED_PAGE - 1);
	}
	cr_assert_gt(trees, 10);
	cr_assert_eq(check(&s), 0);
	sealed_remove(&s);
}

Test(seal, a_damaged_value_is_found_by_who_reads_it_and_takes_no_segment_with_it)
{
	struct sealed s = sealed_make();
	flip(&s, in_a_value(&s), 1);
	cr_assert_eq(check(&s), 0);
	cr_assert_eq(seal_verify(s.dir, s.file.id), -EBADMSG);
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
	/* Damage is counted and reported once, by the first of the concurrent readers that finds
	 * it. */
	struct capture *again = capture_open_again(c), *other = capture_open_again(c);
	struct capture_figures figures;
	const char *const *problems;
	capture_add_damage(again, c);
	capture_add_damage(other, again);
	capture_add_damage(other, c);
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

/* Frees so many pages at once that their list has pages of its own. */
static void fill_with_lists(const char *dir)
{
	struct segment_writer *w;
	cr_assert_eq(segment_create(dir, (size_t)64 << 20, false, &w), 0);
	for (uint64_t i = 0, scattered = 0; i < 30; i++) {
		cr_assert_eq(segment_begin(w), 0);
		for (int k = 0; k < 2000; k++) {
			scattered += UINT64_C(0x9e3779b97f4a7c15);
			uint64_t key[] = {scattered, i};
			cr_assert_eq(segment_put(w, TABLE_BY_PROMPT,
			                     (struct span){(const char *)key, sizeof(key)},
			                     (struct span){"", 0}),
			        0);
		}
		cr_assert_eq(segment_commit(w), 0);
	}
	cr_assert_eq(segment_seal(w), 0);
}

Test(seal, a_damaged_list_of_free_pages_which_no_reader_reads_takes_no_segment_with_it)
{
	struct sealed s = {.dir = "/tmp/plumbline-test-XXXXXX"};
	cr_assert(mkdtemp(s.dir));
	fill_with_lists(s.dir);
	s.file = damaged_load(s.dir);
	size_t lists = 0;
	for (size_t page = 0; page < s.file.size; page += DAMAGED_PAGE) {
		if (damaged_is_page(&s.file, page, DAMAGED_VALUE)) {
			lists++;
			flip(&s, page + 16 + 8 * 20 + 1, 0x40);
			cr_assert_eq(check(&s), 0);
			cr_assert_eq(seal_verify(s.dir, s.file.id), -EBADMSG);
			put_back(&s, page + 16 + 8 * 20 + 1);
		}
	}
	cr_assert_gt(lists, 0);
	sealed_remove(&s);
}

Test(seal, of_the_first_version_the_whole_file_tells)
{
	struct sealed s = sealed_make();
	struct seal seal;
	char text[128];
	cr_assert_eq(seal_read(s.dir, s.file.id, &seal), 0);
	cr_assert(seal.has_trees);
	snprintf(text, sizeof(text), "plumbline-seal 1 %016" PRIx64 " %" PRIu64 "\n", seal.hash,
	        seal.bytes);
	reseal(&s, text);
	cr_assert_eq(seal_verify(s.dir, s.file.id), 0);
	cr_assert_eq(check(&s), 0);
	flip(&s, in_a_value(&s), 1);
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
		cr_assert_eq(seal_read(s.dir, s.file.id, &seal), -EBADMSG, "%s", FORMS[i]);
		cr_assert_eq(seal_verify(s.dir, s.file.id), -EBADMSG);
		cr_assert_eq(check(&s), -EBADMSG);
	}
	sealed_remove(&s);
}
