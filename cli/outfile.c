#include "cli/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/* Without the slashes at its end. */
static size_t bare_length(const char *path)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/') {
		n--;
	}
	return n;
}

static bool is_same_dir(const char *a, const char *b)
{
	size_t n = bare_length(a);
	return n == bare_length(b) && memcmp(a, b, n) == 0;
}

static int check(const char *path, const char *made)
{
	struct stat st;
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		return S_ISDIR(st.st_mode) ? -EISDIR : access(path, W_OK) < 0 ? -errno : 0;
	}
	const char *slash = strrchr(path, '/');
	char *dir = slash ? xstrndup(path, MAX((size_t)(slash - path), (size_t)1)) : xstrdup(".");
	int r = access(dir, W_OK | X_OK) < 0 ? -errno : 0;
	if (r == -ENOENT && made && is_same_dir(dir, made)) {
		r = 0;
	}
	free(dir);
	return r;
}

int outfile_check_directory(const char *path, const char *made)
{
	struct stat st;
	if (made && is_same_dir(path, made)) {
		return -ENOTEMPTY;
	}
	if (stat(path, &st) == 0) {
		return access(path, W_OK | X_OK) < 0 ? -errno : 0;
	}
	char *bare = xstrndup(path, bare_length(path));
	int r = errno == ENOENT ? check(bare, made) : -errno;
	free(bare);
	return r;
}

/* Files that the command reads. */
static const char *const *inputs;
static size_t n_inputs;

void outfile_protect(const char *const *paths, size_t n)
{
	inputs = paths;
	n_inputs = n;
}

static bool is_input(const char *path)
{
	struct stat st, input;
	bool found = false;
	for (size_t i = 0; !found && i < n_inputs && stat(path, &st) == 0; i++) {
		found = S_ISREG(st.st_mode) && stat(inputs[i], &input) == 0 &&
		        st.st_dev == input.st_dev && st.st_ino == input.st_ino;
	}
	return found;
}

char *outfile_check(const char *option, const char *path, const char *made)
{
	int r = check(path, made);
	if (r == 0 && is_input(path)) {
		return xasprintf("--%s %.200s would replace the file that is read", option, path);
	}
	return r < 0 ? xasprintf("--%s %.200s can't be written: %s", option, path, strerror(-r))
	             : NULL;
}

/* The unfinished file, which a signal that ends the process removes. */
static char *_Atomic unfinished;

static void on_signal(int number)
{
	unlink(unfinished);
	raise(number);
}

/* Replaces the default action of signals, but no action that the command chose. */
static void replace_action(void (*from)(int), void (*to)(int))
{
	static const int SIGNALS[] = {SIGHUP, SIGINT, SIGTERM};
	const struct sigaction action = {.sa_handler = to, .sa_flags = SA_RESETHAND | SA_NODEFER};
	for (size_t i = 0; i < ARRAY_LEN(SIGNALS); i++) {
		struct sigaction now;
		sigaction(SIGNALS[i], NULL, &now);
		if (now.sa_handler == from) {
			sigaction(SIGNALS[i], &action, NULL);
		}
	}
}

int outfile_begin(struct outfile *f, const char *path, mode_t mode)
{
	struct stat st;
	bool in_place = lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
	*f = (struct outfile){.path = path};
	f->fresh = in_place ? xstrdup(path) : xasprintf("%s.%ld", path, (long)getpid());
	int flags = in_place ? O_TRUNC : O_CREAT | O_EXCL;
	int fd = open(f->fresh, O_WRONLY | O_CLOEXEC | flags, mode);
	f->to = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f->to) {
		int r = -errno;
		free(f->fresh);
		return r;
	}
	if (!in_place && !unfinished) {
		unfinished = f->fresh;
		replace_action(SIG_DFL, on_signal);
	}
	return 0;
}

int outfile_end(struct outfile *f)
{
	int r = fflush(f->to) != 0 ? -errno : ferror(f->to) ? -EIO : 0;
	if (fclose(f->to) != 0 && r == 0) {
		r = -errno;
	}
	bool is_temporary = strcmp(f->fresh, f->path) != 0;
	if (is_temporary && r == 0 && rename(f->fresh, f->path) < 0) {
		r = -errno;
	}
	if (is_temporary && r < 0) {
		unlink(f->fresh);
	}
	if (unfinished == f->fresh) {
		replace_action(on_signal, SIG_DFL);
		unfinished = NULL;
	}
	free(f->fresh);
	return r;
}

int outfile_write(const char *path, mode_t mode, struct span text)
{
	struct outfile f;
	int r = outfile_begin(&f, path, mode);
	if (r < 0) {
		return r;
	}
	fwrite(text.data, 1, text.len, f.to);
	return outfile_end(&f);
}
