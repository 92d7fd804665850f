#include "copied.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "capture/capture.h"
#include "capture/pages/pages.h"
#include "capture/salvage.h"
#include "capture/verifier.h"
#include "damaged.h"

/* Bit flips that a test tries. All bits would take minutes. */
/* Sanitizer builds try fewer flips, because they are ten times as slow. */
#ifdef __SANITIZE_ADDRESS__
#define FLIPS 200
#define STATES 1
#else
#define FLIPS 2000
#define STATES 2
#endif

static void unseal(const struct damaged *f)
{
	char *seal = xstrdup(f->path);
	strcpy(seal + strlen(seal) - 3, "sea");
	char *path = xasprintf("%sl", seal);
	cr_assert_eq(unlink(path), 0);
	free(path);
	free(seal);
}

struct tally {
	size_t rows, strays;
};

static int count_row(
        void *arg, enum pages_place place, const char *table, struct span key, struct span value)
{
	struct tally *t = arg;
	t->rows++;
	t->strays += table == NULL;
	return 1;
}

static size_t rows_of(const char *path)
{
	struct pages *p;
	struct tally t = {0};
	cr_assert_eq(pages_open(path, &p), 0);
	cr_assert_eq(pages_salvage(p, count_row, &t), 0);
	pages_close(p);
	cr_assert_eq(t.strays, 0);
	return t.rows;
}

Test(pages, finds_a_whole_file_whole_and_gives_the_rows_that_lmdb_gives)
{
	char dir[64];
	captured_make(dir, NULL);
	struct damaged f = damaged_load(dir);
	struct pages *p;
	char *why = NULL;
	cr_assert_eq(pages_open(f.path, &p), 0);
	cr_assert_eq(pages_check(p, &why), 0, "%s", why);
	pages_close(p);
	struct id *ids;
	size_t n, rows = 0;
	cr_assert_eq(segment_list(dir, &ids, &n), 0);
	struct segment_reader *r;
	cr_assert_eq(segment_open(dir, ids[0], &r), 0);
	for (int t = 0; t < N_TABLES; t++) {
		struct buf from = {0};
		struct span key, value;
		while (segment_seek(r, (enum segment_table)t, buf_span(&from), true, &key,
		               &value) == 0) {
			rows++;
			buf_clear(&from);
			buf_append_span(&from, key);
		}
		buf_finish(&from);
	}
	segment_close(r);
	cr_assert_eq(rows_of(f.path), rows);
	free(ids);
	damaged_unload(&f);
	captured_remove(dir);
}

/* Returns the hash of the trees; 0: they are not sound. */
static uint64_t trees_of(const struct damaged *f)
{
	struct pages *p;
	char *why = NULL;
	uint64_t hash;
	cr_assert_eq(pages_open(f->path, &p), 0);
	int r = pages_hash_trees(p, &hash, &why);
	pages_close(p);
	cr_assert_eq(r < 0, why != NULL);
	free(why);
	return r < 0 ? 0 : hash;
}

/* Returns the results of hash and check after a byte has changed. */
static void hash_flipped(const struct damaged *f, size_t at, uint64_t *ret_trees, int *ret_check)
{
	struct pages *p;
	char *why = NULL;
	damaged_poke(f, at, f->data[at] ^ 0x40);
	*ret_trees = trees_of(f);
	cr_assert_eq(pages_open(f->path, &p), 0);
	*ret_check = pages_check(p, &why);
	pages_close(p);
	free(why);
	damaged_poke(f, at, f->data[at]);
}

/* A leaf that belongs to a tree. Free pages keep their old content. */
static size_t find_leaf(const struct damaged *f, uint64_t whole)
{
	uint64_t trees = whole;
	int check;
	size_t at = 4096;
	while (trees == whole) {
		at = damaged_find_page(f, at + DAMAGED_PAGE, DAMAGED_LEAF);
		hash_flipped(f, at + 4095, &trees, &check);
	}
	return at;
}

Test(pages, the_hash_of_the_trees_is_of_every_byte_of_their_pages_and_of_no_other)
{
	char dir[64];
	captured_make(dir, NULL);
	struct damaged f = damaged_load(dir);
	uint64_t whole = trees_of(&f), trees;
	int check;
	cr_assert_neq(whole, 0);
	size_t leaf = find_leaf(&f, whole),
	       run = damaged_find_page(&f, 2 * DAMAGED_PAGE, DAMAGED_VALUE);
	for (size_t at = 0; at < 2 * (size_t)4096; at += 61) {
		hash_flipped(&f, at, &trees, &check);
		cr_assert_neq(trees, whole, "byte %zu of the meta pages", at);
	}
	for (size_t at = 0; at < 4096; at++) {
		hash_flipped(&f, leaf + at, &trees, &check);
		cr_assert_neq(trees, whole, "byte %zu of a leaf", at);
		hash_flipped(&f, run + at, &trees, &check);
		cr_assert_eq(trees, whole, "byte %zu of an overflow page", at);
		/* But the check examines what its header states: number, kind and length. */
		bool is_checked = at < 8 || (at >= 10 && at < 16);
		cr_assert_eq(check, is_checked ? -EBADMSG : 0, "byte %zu of an overflow page", at);
	}
	cr_assert_eq(trees_of(&f), whole);
	damaged_unload(&f);
	captured_remove(dir);
}

Test(pages, refuses_files_that_are_cut_short_or_foreign)
{
	char dir[64];
	captured_make(dir, NULL);
	struct damaged f = damaged_load(dir);
	static const double shares[] = {0, 0.01, 0.3, 0.6, 0.9};
	for (size_t i = ARRAY_LEN(shares); i-- > 0;) {
		cr_assert_eq(truncate(f.path, (off_t)((double)f.size * shares[i])), 0);
		struct pages *p;
		char *why = NULL;
		cr_assert_eq(pages_open(f.path, &p), 0);
		cr_assert_eq(pages_check(p, &why), -EBADMSG);
		cr_assert_not_null(why);
		free(why);
		struct tally t = {0};
		cr_assert_eq(pages_salvage(p, count_row, &t), 0);
		pages_close(p);
	}
	struct pages *p;
	char *why = NULL;
	cr_assert_eq(pages_open("/proc/self/exe", &p), 0);
	cr_assert_eq(pages_check(p, &why), -EBADMSG);
	struct tally t = {0};
	cr_assert_eq(pages_salvage(p, count_row, &t), 0);
	pages_close(p);
	free(why);
	damaged_unload(&f);
	captured_remove(dir);
}

struct inspection {
	size_t findings;
	size_t rows;
};

static void on_finding(void *arg, struct id segment, const char *sentence)
{
	struct inspection *l = arg;
	l->findings++;
}

static int on_row(void *arg, enum segment_table t, struct span key, struct span value)
{
	struct inspection *l = arg;
	l->rows++;
	return 0;
}

static struct inspection inspect(const char *dir, struct verifier_figures *figures)
{
	static const struct verifier_events events = {on_finding, on_row, NULL};
	struct inspection l = {0};
	struct verifier *s = verifier_create(dir, &events, &l);
	struct id *ids;
	size_t n;
	cr_assert_eq(segment_list(dir, &ids, &n), 0);
	for (size_t i = 0; i < n; i++) {
		int r = verifier_segment(s, ids[i]);
		cr_assert_eq(r, 0, "%s", strerror(-r));
	}
	free(ids);
	verifier_end(s, figures);
	verifier_destroy(s);
	return l;
}

static void read_all(const char *dir)
{
	char *error = NULL;
	struct capture *c = capture_open(&dir, 1, &error);
	cr_assert(c, "%s", error);
	struct capture_exchange e;
	struct buf body = {0};
	while (capture_next(c, &e) > 0) {
		(void)!capture_request_body(c, &e, &body);
		for (size_t i = 0; i < e.n_legs; i++) {
			buf_clear(&body);
			(void)!capture_response_body(c, &e, i, &body);
			(void)!capture_sent_body(c, &e, i, &body);
			struct reading *reading;
			if (capture_reading(c, &e, i, &reading) == 0) {
				reading_destroy(reading);
			}
		}
		buf_clear(&body);
		capture_exchange_finish(&e);
	}
	buf_finish(&body);
	capture_close(c);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* The bytes of a page's own header and, on the first two pages, of the meta data. */
#define META_BYTES 152

/* Returns the exchanges that a reader finds, and whether it reports that it left something out. */
static size_t exchanges_of(const char *dir, bool *ret_reported)
{
	char *error = NULL;
	struct capture *c = capture_open(&dir, 1, &error);
	cr_assert(c, "%s", error);
	struct capture_exchange e;
	size_t n = 0;
	while (capture_next(c, &e) > 0) {
		n += !e.absent;
		capture_exchange_finish(&e);
	}
	const char *const *problems;
	struct capture_figures figures;
	capture_figures(c, &figures);
	*ret_reported = capture_problems(c, &problems) > 0 || figures.damaged_rows > 0;
	capture_close(c);
	return n;
}

struct flipping {
	const char *dir;
	struct damaged file;
	size_t whole;
	size_t noticed;
};

static void flip(struct flipping *t, size_t at, unsigned bit)
{
	damaged_poke(&t->file, at, t->file.data[at] ^ (uint8_t)(1u << bit));
	read_all(t->dir);
	struct verifier_figures figures;
	struct inspection l = inspect(t->dir, &figures);
	t->noticed += l.findings > 0;
	/* One row is damaged; or a leaf's header or offsets: then some other rows cannot be
	 * distinguished from garbage. Meta pages have no rows. */
	size_t spared = at < 8192 ? 0 : 2;
	cr_assert_geq(l.rows + spared, t->whole, "bit %u at %zu: %zu of %zu rows", bit, at, l.rows,
	        t->whole);
	cr_assert(l.rows == t->whole || l.findings > 0, "a row is lost unsaid: bit %u at %zu", bit,
	        at);
	bool reported;
	size_t n = exchanges_of(t->dir, &reported);
	cr_assert(n == CAPTURED_EXCHANGES || reported,
	        "a reader shows %zu exchanges unsaid: bit %u at %zu", n, bit, at);
	damaged_poke(&t->file, at, t->file.data[at]);
}

static void flipping_begin(struct flipping *t, char dir[64], unsigned more_commits)
{
	copied_make(dir, more_commits, NULL);
	*t = (struct flipping){.dir = dir, .file = damaged_load(dir)};
	struct verifier_figures figures;
	struct inspection l = inspect(dir, &figures);
	cr_assert_eq(l.findings, 0);
	cr_assert_eq(figures.exchanges, CAPTURED_EXCHANGES);
	t->whole = l.rows;
}

static void flipping_end(struct flipping *t)
{
	damaged_unload(&t->file);
	captured_remove(t->dir);
}

Test(pages, no_flipped_bit_of_a_meta_page_shows_an_older_state, .timeout = 300)
{
	/* The newer one is page 0 or page 1; their numbers differ in one bit or in several. */
	for (unsigned more = 0; more < STATES; more++) {
		char dir[64];
		struct flipping t;
		flipping_begin(&t, dir, more);
		for (size_t at = 0; at < 8192; at++) {
			/* Bytes after the meta data are unused. */
			bool is_used = at % 4096 < META_BYTES;
			for (unsigned bit = 0; is_used && bit < 8; bit++) {
				flip(&t, at, bit);
			}
			if (!is_used && more == 0 && at % 16 == 0) {
				flip(&t, at, (unsigned)(at / 16 % 8));
			}
		}
		cr_assert_gt(t.noticed, META_BYTES * 8);
		flipping_end(&t);
	}
}

Test(pages, no_flipped_bit_of_an_unsealed_segment_kills_a_reader_or_costs_more_than_its_page,
        .timeout = 300)
{
	char dir[64];
	struct flipping t;
	flipping_begin(&t, dir, 0);
	uint64_t state = 88172645463325252;
	for (size_t i = 0; i < FLIPS; i++) {
		/* Half of them in the first bytes of pages, where headers and offsets are. */
		size_t at = next_random(&state) % t.file.size;
		if (i % 2) {
			at = at / 4096 * 4096 + at % 64;
		}
		flip(&t, at, (unsigned)(next_random(&state) % 8));
	}
	cr_assert_gt(t.noticed, FLIPS / 4);
	flipping_end(&t);
}

Test(pages, a_leaf_whose_parent_is_gone_is_found_all_the_same)
{
	char dir[64];
	captured_make(dir, NULL);
	struct damaged f = damaged_load(dir);
	unseal(&f);
	struct verifier_figures figures;
	size_t whole = inspect(dir, &figures).rows;
	/* Both meta pages are damaged: no pointer to a tree is left. */
	for (size_t at = 0; at < 8192; at++) {
		damaged_poke(&f, at, 0);
	}
	struct inspection l = inspect(dir, &figures);
	cr_assert_eq(l.rows, whole);
	cr_assert_eq(figures.unsound, 1);
	damaged_unload(&f);
	captured_remove(dir);
}

/* Returns the end of the offsets of a leaf page that has space for a node after them; 0: it is
 * none. */
static size_t room_behind_offsets(const uint8_t *page)
{
	size_t lower = page[12] | page[13] << 8, upper = page[14] | page[15] << 8;
	bool is_leaf = page[10] == 0x02 && page[11] == 0;
	return is_leaf && lower > 16 && lower + 64 <= upper ? lower : 0;
}

Test(pages, what_lies_in_the_free_space_of_a_damaged_file_is_no_damage)
{
	static const uint8_t stale[] = {0, 0, 0, 0, 0, 0, 4, 0, 'j', 'u', 'n', 'k'};
	char dir[64];
	captured_make(dir, NULL);
	struct damaged f = damaged_load(dir);
	struct verifier_figures before, figures;
	(void)inspect(dir, &before);
	size_t leaf = 0;
	for (size_t page = 2 * 4096; page + 4096 <= f.size; page += 4096) {
		size_t lower = room_behind_offsets(f.data + page);
		if (lower && memcmp(f.data + page, (const uint64_t[]){page / 4096}, 8) == 0) {
			leaf = page;
			damaged_poke(&f, page + lower, (uint8_t)(lower + 32));
			damaged_poke(&f, page + lower + 1, (uint8_t)((lower + 32) >> 8));
			for (size_t i = 0; i < sizeof(stale); i++) {
				damaged_poke(&f, page + lower + 32 + i, stale[i]);
			}
		}
	}
	cr_assert(leaf);
	damaged_poke(&f, leaf + 11, 0x80);
	struct inspection l = inspect(dir, &figures);
	cr_assert_eq(figures.unsound, 1);
	cr_assert_eq(l.findings, 1, "only that it is left out");
	cr_assert_eq(figures.damaged, 0);
	cr_assert_eq(figures.parts, before.parts);
	damaged_unload(&f);
	captured_remove(dir);
}

static int salvage_one(void *arg, enum segment_table t, struct span key, struct span value)
{
	return salvage_add_row(arg, t, key, value);
}

static void ignore_finding(void *arg, struct id segment, const char *sentence)
{
}

Test(pages, what_is_salvaged_is_a_whole_capture_of_all_other_rows)
{
	char dir[64], to[64] = "/tmp/plumbline-test-XXXXXX";
	captured_make(dir, NULL);
	cr_assert(mkdtemp(to));
	struct damaged f = damaged_load(dir);
	struct verifier_figures before, damaged, after;
	(void)inspect(dir, &before);
	/* If it is sealed, one bit of its trees' pages is enough for the segment to be left out.
	 * Another bit is in the large body. */
	damaged_poke(&f, DAMAGED_PAGE - 1, f.data[DAMAGED_PAGE - 1] ^ 1);
	char *noise = captured_noise(CAPTURED_LARGE);
	uint8_t *at = memmem(f.data, f.size, noise + 500, 64);
	cr_assert(at);
	damaged_poke(&f, (size_t)(at - f.data), *at ^ 1);
	static const struct verifier_events events = {ignore_finding, salvage_one, NULL};
	struct salvage *s;
	char *error = NULL;
	cr_assert_eq(salvage_create(to, dir, &s, &error), 0, "%s", error);
	struct verifier *survey = verifier_create(dir, &events, s);
	struct id *ids;
	size_t n;
	cr_assert_eq(segment_list(dir, &ids, &n), 0);
	cr_assert_eq(verifier_segment(survey, ids[0]), 0);
	verifier_end(survey, &damaged);
	verifier_destroy(survey);
	cr_assert_eq(salvage_end(s), 0);
	cr_assert_eq(salvage_rows(s), before.exchanges + before.legs + before.parts - 1);
	salvage_destroy(s);
	cr_assert_eq(damaged.unsound, 1);
	cr_assert_eq(damaged.damaged, 1);
	struct inspection l = inspect(to, &after);
	cr_assert_eq(after.exchanges, before.exchanges);
	cr_assert_eq(after.legs, before.legs);
	cr_assert_eq(after.parts, before.parts - 1);
	cr_assert_eq(l.findings, 1, "only the body that was hit is not whole");
	read_all(to);
	cr_assert_neq(salvage_create(to, dir, &s, &error), 0, "a second time it is refused");
	free(error);
	free(ids);
	free(noise);
	damaged_unload(&f);
	captured_remove(dir);
	captured_remove(to);
}
