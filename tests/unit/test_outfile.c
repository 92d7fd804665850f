#include "cli/outfile.h"

#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/mem.h"

/* Number of files whose path begins with `path`. */
static size_t files_at(const char *path)
{
	char *pattern = xasprintf("%s*", path);
	glob_t found = {0};
	size_t n = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
	globfree(&found);
	free(pattern);
	return n;
}

/* Ends a process by the signal while it writes the file. */
static void end_by(int number, const char *path)
{
	pid_t child = fork();
	int status = 0;
	if (child == 0) {
		struct outfile f;
		signal(number, SIG_DFL); /* under nohup, SIGHUP is ignored */
		cr_assert_eq(outfile_begin(&f, path, 0600), 0);
		fputs("half", f.to);
		fflush(f.to);
		raise(number);
		_exit(0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == number);
}

Test(outfile, a_signal_that_ends_the_process_leaves_no_unfinished_file)
{
	static const int SIGNALS[] = {SIGHUP, SIGINT, SIGTERM};
	char dir[] = "/tmp/outfile.XXXXXX";
	cr_assert_not_null(mkdtemp(dir));
	char *path = xasprintf("%s/x", dir);
	for (size_t i = 0; i < ARRAY_LEN(SIGNALS); i++) {
		end_by(SIGNALS[i], path);
		cr_assert_eq(files_at(path), 0);
	}
	cr_assert_eq(outfile_write(path, 0600, span_of("whole")), 0);
	end_by(SIGINT, path);
	cr_assert_eq(files_at(path), 1, "the earlier file stays");
	unlink(path);
	rmdir(dir);
	free(path);
}

Test(outfile, a_signal_that_the_command_handles_is_left_to_it)
{
	char path[] = "/tmp/outfile.XXXXXX";
	struct outfile f;
	struct sigaction now;
	close(mkstemp(path));
	signal(SIGINT, SIG_IGN);
	cr_assert_eq(outfile_begin(&f, path, 0600), 0);
	raise(SIGINT);
	cr_assert_eq(outfile_end(&f), 0);
	sigaction(SIGINT, NULL, &now);
	cr_assert_eq(now.sa_handler, SIG_IGN);
	sigaction(SIGTERM, NULL, &now);
	cr_assert_eq(now.sa_handler, SIG_DFL, "as it was before");
	unlink(path);
}
