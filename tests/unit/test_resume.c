#include "replay/resume.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/mem.h"
#include "capture/recorder/recorder.h"

#define KEY "00000000000000000000000000000001"
#define SECOND_NS UINT64_C(1000000000)

static char dir[64];
static struct budget budget;

static void make_dir(void)
{
	strcpy(dir, "/tmp/plumbline-sent-XXXXXX");
	cr_assert_not_null(mkdtemp(dir));
	budget_init(&budget, (size_t)64 << 20);
}

static void remove_dir(void)
{
	char *command = xasprintf("rm -rf %s", dir);
	cr_assert_eq(system(command), 0);
	free(command);
}

static struct recorder *record(void)
{
	char *error = NULL;
	const struct recorder_settings s = {
	        .path = dir,
	        .segment_size = (uint64_t)16 << 20,
	        .queue_limit = (size_t)8 << 20,
	        .encoders = 1,
	        .budget = &budget,
	};
	struct recorder *r = recorder_create(&s, &error);
	cr_assert_not_null(r, "%s", error);
	return r;
}

static void put(struct recorder *r, struct id exchange, struct id run, uint32_t repeat,
        enum outcome outcome)
{
	struct leg_row row = {
	        .id = id_make(),
	        .exchange = exchange,
	        .run = run,
	        .backend = xstrdup("new"),
	        .url = xstrdup("http://new"),
	        .role = ROLE_CANDIDATE,
	        .repeat = repeat,
	        .outcome = outcome,
	        .start_ns = clock_wall(),
	};
	recorder_leg(r, &row, false, NULL);
}

static void read_capture(struct resume *s)
{
	char *error = NULL;
	const char *dirs[] = {dir};
	struct capture *c = capture_open(dirs, 1, &error);
	cr_assert_not_null(c, "%s", error);
	resume_read(s, c, NULL);
	capture_close(c);
}

static struct resume *open_sent(bool again)
{
	char *error = NULL;
	struct resume *s = resume_open(dir, KEY, NULL, again, &error);
	cr_assert_not_null(s, "%s", error);
	return s;
}

static void note(struct resume *s, struct id exchange, uint32_t repeat, enum resume_entry what)
{
	cr_assert_eq(resume_add(s, exchange, repeat, what), 0);
}

TestSuite(resume, .init = make_dir, .fini = remove_dir);

Test(resume, a_run_goes_on_under_its_name_until_a_new_one_is_asked_for)
{
	struct resume *s = open_sent(false);
	struct id run = resume_run(s);
	cr_expect_not(resume_is_resumed(s));
	note(s, id_make(), 0, RESUME_SENT);
	resume_close(s);
	s = open_sent(false);
	cr_expect_eq(id_compare(resume_run(s), run), 0);
	cr_expect(resume_is_resumed(s));
	resume_close(s);
	s = open_sent(true);
	cr_expect_neq(id_compare(resume_run(s), run), 0);
	cr_expect_not(resume_is_resumed(s));
	resume_close(s);
}

Test(resume, the_capture_says_what_was_sent_and_the_rest_of_the_notes_was_lost)
{
	struct recorder *r = record();
	struct resume *s = open_sent(false);
	struct id run = resume_run(s), e[5];
	for (size_t i = 0; i < 5; i++) {
		e[i] = id_make();
		note(s, e[i], 0, RESUME_SENT);
	}
	note(s, e[0], 1, RESUME_SENT);
	note(s, e[3], 0, RESUME_NOT_SENT); /* refused */
	put(r, e[0], run, 0, OUTCOME_COMPLETE);
	put(r, e[0], run, 1, OUTCOME_TIMEOUT);
	put(r, e[1], run, 0, OUTCOME_STOPPED);
	put(r, e[2], id_make(), 0, OUTCOME_COMPLETE); /* of another run */
	recorder_stop(r, 10 * SECOND_NS);
	resume_close(s);

	s = open_sent(false);
	read_capture(s);
	cr_expect(resume_has(s, e[0], 0));
	cr_expect(resume_has(s, e[0], 1), "an answer that failed has been sent all the same");
	cr_expect_not(resume_has(s, e[0], 2));
	cr_expect_not(resume_has(s, e[1], 0), "broken off by ourselves: to be sent");
	cr_expect_not(resume_has(s, e[2], 0));
	cr_expect_not(resume_has(s, e[3], 0));
	cr_expect_eq(resume_lost(s), 3, "e1, e2 and e4 went out and are not there");
	resume_close(s);
}

Test(resume, a_record_without_a_note_counts_as_sent)
{
	struct recorder *r = record();
	struct resume *s = open_sent(false);
	struct id e = id_make();
	put(r, e, resume_run(s), 0, OUTCOME_COMPLETE);
	recorder_stop(r, 10 * SECOND_NS);
	resume_close(s);
	s = open_sent(false);
	read_capture(s);
	cr_expect(resume_has(s, e, 0));
	cr_expect_eq(resume_lost(s), 0);
	resume_close(s);
}

Test(resume, only_one_process_is_at_work_on_a_run)
{
	struct resume *s = open_sent(false);
	pid_t child = fork();
	if (child == 0) {
		char *error = NULL;
		struct resume *other = resume_open(dir, KEY, NULL, false, &error);
		_exit(other || !error || !strstr(error, "another running replay") ? 1 : 0);
	}
	int status = 0;
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect_eq(status, 0);
	resume_close(s);
}

Test(resume, half_a_note_is_forgotten)
{
	struct recorder *r = record();
	recorder_stop(r, 10 * SECOND_NS);
	struct resume *s = open_sent(false);
	struct id a = id_make(), b = id_make();
	note(s, a, 0, RESUME_SENT);
	note(s, b, 0, RESUME_SENT);
	resume_close(s);
	char *path = xasprintf("%s/replay-%s.sent", dir, KEY);
	cr_assert_eq(truncate(path, 32 + 24 + 11), 0);
	s = open_sent(false);
	note(s, b, 0, RESUME_SENT);
	resume_close(s);
	s = open_sent(false);
	read_capture(s);
	cr_expect_eq(resume_lost(s), 2);
	resume_close(s);
	free(path);
}

Test(resume, a_foreign_file_is_left_alone)
{
	char *path = xasprintf("%s/replay-%s.sent", dir, KEY);
	FILE *f = fopen(path, "w");
	fputs("something quite different, and long enough to be a head", f);
	fclose(f);
	char *error = NULL;
	cr_expect_null(resume_open(dir, KEY, NULL, false, &error));
	cr_assert_not_null(error);
	cr_expect(strstr(error, "not a file of plumbline"));
	free(error);
	free(path);
}

Test(resume, several_backends_share_a_run_and_none_takes_anothers_answers_for_its_own)
{
	char *error = NULL;
	const struct id run = id_make(), e = id_make();
	const char *dirs[] = {dir};
	struct recorder *r = record();
	put(r, e, run, 0, OUTCOME_COMPLETE); /* by "new" */
	recorder_stop(r, 10 * SECOND_NS);
	static const char *const BACKENDS[] = {"new", "old"};
	for (size_t i = 0; i < 2; i++) {
		char key[] = "0000000000000000000000000000000a";
		key[31] += (char)i;
		struct resume *s = resume_open(dir, key, &run, false, &error);
		struct capture *c = capture_open(dirs, 1, &error);
		cr_assert(s && c, "%s", error);
		cr_expect_eq(id_compare(resume_run(s), run), 0);
		resume_read(s, c, BACKENDS[i]);
		cr_expect_eq(resume_has(s, e, 0), i == 0);
		cr_expect(resume_knows(s, e) == false, "no row of the exchange is there");
		capture_close(c);
		resume_close(s);
	}
}

Test(resume, notes_of_another_run_than_the_one_that_is_wanted_are_no_matter)
{
	char *error = NULL;
	const struct id run = id_make();
	struct resume *s = open_sent(false);
	note(s, id_make(), 0, RESUME_SENT);
	resume_close(s);
	s = resume_open(dir, KEY, &run, false, &error);
	cr_assert_not_null(s, "%s", error);
	cr_expect_eq(id_compare(resume_run(s), run), 0);
	cr_expect_not(resume_is_resumed(s));
	note(s, id_make(), 0, RESUME_SENT);
	resume_close(s);
	s = resume_open(dir, KEY, &run, false, &error);
	cr_expect(resume_is_resumed(s), "its own are");
	resume_close(s);
}
