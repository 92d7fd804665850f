#include "analyzer/opinions/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/mem.h"

#define ERROR_LIMIT ((size_t)4096)
#define FILE_LIMIT ((rlim_t)16 << 20)
#define OPEN_LIMIT 32
#define NOBODY 65534
#define CHECK_MS 20000
#define POLL_MS 100 /* interval at which a request to stop is noticed */
#define CANNOT_RUN 127
#define ARGUMENTS_LIMIT 64

/* The program's input, a file in memory, and the pipes of its two outputs. -1: closed. */
struct streams {
	int in, out[2], err[2];
};

static void close_end(int *end)
{
	if (*end >= 0) {
		close(*end);
		*end = -1;
	}
}

static void streams_close(struct streams *s)
{
	close_end(&s->in);
	for (int i = 0; i < 2; i++) {
		close_end(&s->out[i]);
		close_end(&s->err[i]);
	}
}

/* 0, or a negative errno. */
static int streams_open(struct streams *s, struct span input)
{
	*s = (struct streams){memfd_create("input", MFD_CLOEXEC), {-1, -1}, {-1, -1}};
	int r = s->in < 0 ? -errno : 0;
	for (ssize_t n; r == 0 && input.len > 0; input = span_from(input, (size_t)n)) {
		n = write(s->in, input.data, input.len);
		r = n < 0 ? -errno : 0;
		n = MAX(n, 0);
	}
	if (r == 0 && (lseek(s->in, 0, SEEK_SET) < 0 || pipe2(s->out, O_CLOEXEC) < 0 ||
	                      pipe2(s->err, O_CLOEXEC) < 0)) {
		r = -errno;
	}
	if (r < 0) {
		streams_close(s);
	}
	return r;
}

static void limit(int what, rlim_t value)
{
	const struct rlimit r = {value, value};
	setrlimit((__rlimit_resource_t)what, &r);
}

/* Runs after a fork in a program with threads, so it may only make async-signal-safe calls. */
static void __attribute__((noreturn))
become(const struct sandbox *s, const struct streams *p, char *const argv[])
{
	static char *const environment[] = {
	        "PATH=/usr/bin", "LANG=C.UTF-8", "PYTHONHASHSEED=0", NULL};
	bool good = dup2(p->in, 0) == 0 && dup2(p->out[1], 1) == 1 && dup2(p->err[1], 2) == 2;
	/* The child inherits no other file. */
	good = good && close_range(3, ~0U, 0) == 0;
	limit(RLIMIT_AS, s->memory);
	limit(RLIMIT_CPU, s->timeout_ms / 1000 + 1);
	limit(RLIMIT_FSIZE, FILE_LIMIT);
	limit(RLIMIT_NOFILE, OPEN_LIMIT);
	limit(RLIMIT_CORE, 0);
	/* The limit of processes does not apply to root, so the child becomes another user. */
	if (geteuid() == 0) {
		good = good && syscall(SYS_setgroups, 0, NULL) == 0 &&
		       syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY) == 0 &&
		       syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY) == 0;
	}
	if (good) {
		execve("/usr/bin/bwrap", argv, environment);
	}
	_exit(CANNOT_RUN);
}

/* The sandbox's arguments, and the texts that were made for them. */
struct arguments {
	const char *items[ARGUMENTS_LIMIT + 1];
	char *made[ARGUMENTS_LIMIT];
	size_t n, n_made;
};

static void add(struct arguments *a, const char *const *words, size_t n)
{
	expect(a->n + n <= ARGUMENTS_LIMIT);
	memcpy(&a->items[a->n], words, n * sizeof(*words));
	a->n += n;
}

static void add_path(struct arguments *a, const char *directory, const char *name)
{
	char *path = a->made[a->n_made++] = xasprintf("%s/%s", directory, name);
	add(a, (const char *const[]){"--ro-bind-try", path, path}, 3);
}

/* Also makes the packages of a Python outside of /usr available: those of "/opt/math/bin/python"
 * are in /opt/math/lib. */
static void add_packages(struct arguments *a, const char *python)
{
	const char *bin = python ? strstr(python, "/bin/") : NULL, *next = bin;
	while (next && (next = strstr(next + 1, "/bin/"))) {
		bin = next;
	}
	if (!bin || bin == python || strncmp(python, "/usr/", 5) == 0) {
		return;
	}
	char *root = a->made[a->n_made++] = span_dup(span_between(python, bin));
	add_path(a, root, "bin");
	add_path(a, root, "lib");
	add_path(a, root, "pyvenv.cfg");
}

static void make_arguments(const struct sandbox *s, const char *program, struct arguments *a)
{
	/* The sandbox sees no path of the machine except its programs and libraries, and these
	 * read-only. */
	static const char *const before[] = {"bwrap", "--unshare-all", "--die-with-parent",
	        "--new-session", "--cap-drop", "ALL", "--uid", "65534", "--gid", "65534",
	        "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib",
	        "/lib", "--symlink", "usr/lib64", "/lib64", "--dev", "/dev", "--remount-ro", "/dev",
	        "--size", "67108864", "--tmpfs", "/tmp", "--chdir", "/tmp"};
	const char *python = s->python ? s->python : "/usr/bin/python3";
	const char *const behind[] = {"--remount-ro", "/", "/usr/bin/prlimit", "--nproc=16", python,
	        "-s", "-B", "-c", program};
	*a = (struct arguments){0};
	add(a, before, ARRAY_LEN(before));
	add_packages(a, python);
	/* In a virtual environment the program is a link; its own library is elsewhere. */
	char *real = a->made[a->n_made++] = realpath(python, NULL);
	add_packages(a, real);
	add(a, behind, ARRAY_LEN(behind));
}

static pid_t spawn(const struct sandbox *s, const char *program, struct streams *p)
{
	struct arguments a;
	make_arguments(s, program, &a);
	pid_t child = fork();
	if (child == 0) {
		become(s, p, (char *const *)(uintptr_t)a.items);
	}
	for (size_t i = 0; i < a.n_made; i++) {
		free(a.made[i]);
	}
	close_end(&p->in);
	close_end(&p->out[1]);
	close_end(&p->err[1]);
	return child;
}

/* Returns false at the end of the stream. */
static bool take(int fd, struct buf *to, size_t at_most)
{
	char piece[16384];
	ssize_t n = read(fd, piece, sizeof(piece));
	if (n <= 0) {
		return n < 0 && errno == EINTR;
	}
	buf_append(to, piece, MIN((size_t)n, at_most - MIN(at_most, to->len)));
	return true;
}

/* Reads both outputs until they are closed or a limit is reached. */
static enum sandbox_end listen_to(
        const struct sandbox *s, struct streams *p, struct sandbox_result *ret)
{
	uint64_t deadline = clock_mono() + s->timeout_ms * 1000000;
	while (p->out[0] >= 0 || p->err[0] >= 0) {
		struct pollfd fds[] = {{p->out[0], POLLIN, 0}, {p->err[0], POLLIN, 0}};
		uint64_t now = clock_mono();
		if (now >= deadline) {
			return SANDBOX_TIMEOUT;
		}
		if (s->stopped && atomic_load(s->stopped)) {
			return SANDBOX_STOPPED;
		}
		poll(fds, 2, (int)MIN((deadline - now) / 1000000 + 1, POLL_MS));
		if (fds[0].revents && !take(p->out[0], &ret->output, s->output_limit + 1)) {
			close_end(&p->out[0]);
		}
		if (fds[1].revents && !take(p->err[0], &ret->error, SIZE_MAX)) {
			close_end(&p->err[0]);
		}
		/* The last lines of the error output tell why it failed. */
		buf_consume(&ret->error, ret->error.len - MIN(ret->error.len, ERROR_LIMIT));
		if (ret->output.len > s->output_limit) {
			return SANDBOX_TOO_MUCH;
		}
	}
	return SANDBOX_DONE;
}

void sandbox_run(
        const struct sandbox *s, const char *program, struct span input, struct sandbox_result *ret)
{
	struct streams p;
	*ret = (struct sandbox_result){.end = SANDBOX_FAILED};
	int r = streams_open(&p, input);
	if (r < 0) {
		buf_printf(&ret->error, "no pipe: %s", strerror(-r));
		return;
	}
	pid_t child = spawn(s, program, &p);
	if (child < 0) {
		buf_printf(&ret->error, "no process: %s", strerror(errno));
	} else {
		ret->end = listen_to(s, &p, ret);
		int status = 0;
		if (ret->end != SANDBOX_DONE) {
			kill(child, SIGKILL); /* and everything that it has started */
		}
		while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
		}
		if (ret->end == SANDBOX_DONE && status != 0) {
			ret->end = SANDBOX_FAILED;
		}
	}
	streams_close(&p);
}

char *sandbox_check(const struct sandbox *s)
{
	struct sandbox check = *s;
	struct sandbox_result r;
	char *why = NULL;
	check.timeout_ms = MAX(s->timeout_ms, CHECK_MS);
	sandbox_run(&check, "print(6*7)", (struct span){0}, &r);
	if (access("/usr/bin/bwrap", X_OK) != 0) {
		why = xstrdup("plumbline runs programs only in bubblewrap, which is missing: "
		              "install the package bubblewrap");
	} else if (r.end != SANDBOX_DONE || !span_equal(buf_span(&r.output), span_of("42\n"))) {
		struct span message = span_trim(buf_span(&r.error));
		message = message.len ? message : SPAN("it prints nothing; is it a Python?");
		why = xasprintf("bubblewrap can't run %s: %.*s",
		        s->python ? s->python : "/usr/bin/python3", (int)message.len, message.data);
	}
	sandbox_result_finish(&r);
	return why;
}

struct span sandbox_next_line(struct span *lines)
{
	const char *feed = lines->len ? memchr(lines->data, '\n', lines->len) : NULL;
	if (!feed) {
		return (struct span){0};
	}
	struct span line = span_between(lines->data, feed);
	*lines = span_from(*lines, line.len + 1);
	return line;
}

void sandbox_result_finish(struct sandbox_result *r)
{
	buf_finish(&r->output);
	buf_finish(&r->error);
}
