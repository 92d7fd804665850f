#include "cli/atomic_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/mem.h"

static char root[] = "/tmp/draft-XXXXXX";

static int syncs_until_failure; /* 0: none fails */

/* Replaces libc's function, to simulate a disk that fails at one moment. */
int fsync(int fd)
{
	if (syncs_until_failure && --syncs_until_failure == 0) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_fsync, fd);
}

static char *in_root(const char *name)
{
	return xasprintf("%s/%s", root, name);
}

static void make_root(void)
{
	cr_assert_not_null(mkdtemp(root));
}

static void remove_root(void)
{
	char *command = xasprintf("rm -rf %s", root);
	cr_assert_eq(system(command), 0);
	free(command);
}

TestSuite(atomic_directory, .init = make_root, .fini = remove_root);

static bool is_there(const char *name)
{
	char *path = in_root(name);
	bool there = access(path, F_OK) == 0;
	free(path);
	return there;
}

static void write_into(const struct atomic_directory *d, const char *name)
{
	cr_assert_eq(mkdir(d->path, 0700), 0);
	char *path = xasprintf("%s/%s", d->path, name);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	cr_assert_geq(fd, 0);
	close(fd);
	free(path);
}

static struct atomic_directory begin(const char *name)
{
	char *place = in_root(name);
	struct atomic_directory d;
	cr_assert_null(atomic_directory_begin(&d, place));
	free(place);
	return d;
}

static void assert_refused(const char *name, const char *why)
{
	char *place = in_root(name);
	struct atomic_directory d;
	char *problem = atomic_directory_begin(&d, place);
	cr_assert_not_null(problem);
	cr_assert_not_null(strstr(problem, why), "%s", problem);
	free(problem);
	free(place);
}

Test(atomic_directory, what_is_kept_appears_at_its_place_and_not_before)
{
	struct atomic_directory d = begin("copy/");
	write_into(&d, "a");
	cr_assert(is_there("copy.unfinished/a") && !is_there("copy"));
	cr_assert_null(atomic_directory_keep(&d));
	cr_assert(is_there("copy/a") && !is_there("copy.unfinished"));
}

Test(atomic_directory, what_is_dropped_leaves_nothing)
{
	struct atomic_directory d = begin("copy");
	write_into(&d, "a");
	atomic_directory_drop(&d);
	cr_assert(!is_there("copy") && !is_there("copy.unfinished"));
	d = begin("copy"); /* nor does one that was never written */
	atomic_directory_drop(&d);
}

Test(atomic_directory, neither_what_is_there_nor_what_a_crash_left_is_written_over)
{
	struct atomic_directory d = begin("copy");
	write_into(&d, "a");
	assert_refused("copy", "left over from an earlier attempt");
	cr_assert_null(atomic_directory_keep(&d));
	assert_refused("copy", "exists already");
	assert_refused("copy//", "exists already");
}

Test(atomic_directory, one_that_cannot_be_put_at_its_place_is_dropped_and_said)
{
	struct atomic_directory d = begin("copy");
	write_into(&d, "a");
	char *place = in_root("copy");
	cr_assert_eq(mkdir(place, 0700), 0);
	char *within = xasprintf("%s/theirs", place);
	cr_assert_eq(mkdir(within, 0700), 0);
	char *problem = atomic_directory_keep(&d);
	cr_assert_not_null(problem);
	cr_assert(is_there("copy/theirs") && !is_there("copy.unfinished"));
	free(problem);
	free(within);
	free(place);
}

Test(atomic_directory, one_that_takes_anothers_place_does_so_in_one_step_and_back)
{
	struct atomic_directory d;
	char *place = in_root("capture");
	cr_assert_eq(mkdir(place, 0700), 0);
	char *old = in_root("capture/old");
	int fd = open(old, O_WRONLY | O_CREAT, 0600);
	cr_assert(fd >= 0 && write(fd, "kept", 4) == 4);
	close(fd);
	cr_assert_null(atomic_directory_begin_over(&d, place));
	write_into(&d, "new");
	cr_assert_null(atomic_directory_copy(&d, place, "old"));
	cr_assert_null(atomic_directory_exchange(&d));
	cr_assert(is_there("capture/new") && is_there("capture/old"));
	cr_assert(is_there("capture.unfinished/old") && !is_there("capture.unfinished/new"));
	cr_assert_null(atomic_directory_exchange(&d));
	cr_assert(!is_there("capture/new"));
	cr_assert_null(atomic_directory_exchange(&d));
	atomic_directory_drop(&d);
	cr_assert(is_there("capture/new") && !is_there("capture.unfinished"));
	char text[8] = {0};
	FILE *f = fopen(old, "re");
	cr_assert(f && fread(text, 1, sizeof(text), f) == 4);
	cr_assert_str_eq(text, "kept");
	fclose(f);
	free(old);
	free(place);
}

/* A capture of one file, "old". */
static char *make_capture(const char *name)
{
	char *place = in_root(name), *old = xasprintf("%s/old", place);
	cr_assert_eq(mkdir(place, 0700), 0);
	int fd = open(old, O_WRONLY | O_CREAT, 0600);
	cr_assert_geq(fd, 0);
	close(fd);
	free(old);
	return place;
}

Test(atomic_directory, through_a_link_it_takes_the_place_of_what_the_link_leads_to)
{
	struct atomic_directory d;
	char *place = make_capture("real"), *link = in_root("link");
	cr_assert_eq(symlink("real", link), 0);
	cr_assert_null(atomic_directory_begin_over(&d, link));
	write_into(&d, "new");
	cr_assert(is_there("real.unfinished/new"));
	cr_assert_null(atomic_directory_exchange(&d));
	atomic_directory_drop(&d);
	struct stat st;
	cr_assert(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
	cr_assert(is_there("real/new") && !is_there("real/old"));
	cr_assert(!is_there("real.unfinished") && !is_there("link.unfinished"));
	free(link);
	free(place);
}

Test(atomic_directory, what_a_link_leads_to_is_never_deleted)
{
	char *place = make_capture("real");
	struct atomic_directory d = begin("draft");
	cr_assert_eq(symlink("real", d.path), 0);
	atomic_directory_drop(&d);
	cr_assert(is_there("real/old"));
	free(place);
}

Test(atomic_directory, if_the_disk_fails_after_the_exchange_the_old_one_is_in_its_place_again)
{
	/* That of the draft, and that of the directory above. */
	for (int nth = 1; nth <= 2; nth++) {
		struct atomic_directory d;
		char name[] = "capture0";
		name[sizeof(name) - 2] = (char)('0' + nth);
		char *place = make_capture(name), *new = xasprintf("%s/new", name);
		char *old = xasprintf("%s/old", name), *beside = xasprintf("%s.unfinished", name);
		cr_assert_null(atomic_directory_begin_over(&d, place));
		write_into(&d, "new");
		syncs_until_failure = nth;
		char *problem = atomic_directory_exchange(&d);
		cr_assert(problem && strstr(problem, "cannot be moved to"), "%s", problem);
		atomic_directory_drop(&d);
		cr_assert(is_there(old) && !is_there(new) && !is_there(beside));
		free(problem);
		free(beside);
		free(old);
		free(new);
		free(place);
	}
}

Test(atomic_directory, what_has_no_other_copy_stays)
{
	struct atomic_directory d = begin("draft");
	write_into(&d, "only");
	d.stays = true;
	atomic_directory_drop(&d);
	cr_assert(is_there("draft.unfinished/only"));
}

Test(atomic_directory, what_is_no_plain_file_is_not_copied)
{
	struct atomic_directory d = begin("copy");
	cr_assert_eq(mkdir(d.path, 0700), 0);
	char *within = in_root("dir");
	cr_assert_eq(mkdir(within, 0700), 0);
	char *problem = atomic_directory_copy(&d, root, "dir");
	cr_assert(problem && strstr(problem, "is not a file"), "%s", problem);
	free(problem);
	free(within);
	atomic_directory_drop(&d);
}
