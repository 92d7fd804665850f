#include "commands/draft.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/mem.h"

static char root[] = "/tmp/draft-XXXXXX";

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

TestSuite(draft, .init = make_root, .fini = remove_root);

static bool is_there(const char *name)
{
	char *path = in_root(name);
	bool there = access(path, F_OK) == 0;
	free(path);
	return there;
}

static void write_into(const struct draft *d, const char *name)
{
	cr_assert_eq(mkdir(d->path, 0700), 0);
	char *path = xasprintf("%s/%s", d->path, name);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	cr_assert_geq(fd, 0);
	close(fd);
	free(path);
}

static struct draft begin(const char *name)
{
	char *place = in_root(name);
	struct draft d;
	cr_assert_null(draft_begin(&d, place));
	free(place);
	return d;
}

static void assert_refused(const char *name, const char *why)
{
	char *place = in_root(name);
	struct draft d;
	char *problem = draft_begin(&d, place);
	cr_assert_not_null(problem);
	cr_assert_not_null(strstr(problem, why), "%s", problem);
	free(problem);
	free(place);
}

Test(draft, what_is_kept_appears_at_its_place_and_not_before)
{
	struct draft d = begin("copy/");
	write_into(&d, "a");
	cr_assert(is_there("copy.unfinished/a") && !is_there("copy"));
	cr_assert_null(draft_keep(&d));
	cr_assert(is_there("copy/a") && !is_there("copy.unfinished"));
}

Test(draft, what_is_dropped_leaves_nothing)
{
	struct draft d = begin("copy");
	write_into(&d, "a");
	draft_drop(&d);
	cr_assert(!is_there("copy") && !is_there("copy.unfinished"));
	d = begin("copy"); /* nor does one that was never written */
	draft_drop(&d);
}

Test(draft, neither_what_is_there_nor_what_a_crash_left_is_written_over)
{
	struct draft d = begin("copy");
	write_into(&d, "a");
	assert_refused("copy", "left of an earlier attempt");
	cr_assert_null(draft_keep(&d));
	assert_refused("copy", "exists already");
	assert_refused("copy//", "exists already");
}

Test(draft, one_that_cannot_be_put_at_its_place_is_dropped_and_said)
{
	struct draft d = begin("copy");
	write_into(&d, "a");
	char *place = in_root("copy");
	cr_assert_eq(mkdir(place, 0700), 0);
	char *within = xasprintf("%s/theirs", place);
	cr_assert_eq(mkdir(within, 0700), 0);
	char *problem = draft_keep(&d);
	cr_assert_not_null(problem);
	cr_assert(is_there("copy/theirs") && !is_there("copy.unfinished"));
	free(problem);
	free(within);
	free(place);
}

Test(draft, one_that_takes_anothers_place_does_so_in_one_step_and_back)
{
	struct draft d;
	char *place = in_root("capture");
	cr_assert_eq(mkdir(place, 0700), 0);
	char *old = in_root("capture/old");
	int fd = open(old, O_WRONLY | O_CREAT, 0600);
	cr_assert(fd >= 0 && write(fd, "kept", 4) == 4);
	close(fd);
	cr_assert_null(draft_begin_over(&d, place));
	write_into(&d, "new");
	cr_assert_null(draft_copy(&d, place, "old"));
	cr_assert_null(draft_exchange(&d));
	cr_assert(is_there("capture/new") && is_there("capture/old"));
	cr_assert(is_there("capture.unfinished/old") && !is_there("capture.unfinished/new"));
	cr_assert_null(draft_exchange(&d));
	cr_assert(!is_there("capture/new"));
	cr_assert_null(draft_exchange(&d));
	draft_drop(&d);
	cr_assert(is_there("capture/new") && !is_there("capture.unfinished"));
	char text[8] = {0};
	FILE *f = fopen(old, "re");
	cr_assert(f && fread(text, 1, sizeof(text), f) == 4);
	cr_assert_str_eq(text, "kept");
	fclose(f);
	free(old);
	free(place);
}

Test(draft, what_is_no_plain_file_is_not_copied)
{
	struct draft d = begin("copy");
	cr_assert_eq(mkdir(d.path, 0700), 0);
	char *within = in_root("dir");
	cr_assert_eq(mkdir(within, 0700), 0);
	char *problem = draft_copy(&d, root, "dir");
	cr_assert(problem && strstr(problem, "is no file"), "%s", problem);
	free(problem);
	free(within);
	draft_drop(&d);
}
