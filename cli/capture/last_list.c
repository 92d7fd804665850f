#include "cli/capture/last_list.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/input.h"

void last_list_add(struct last_list *l, struct id id)
{
	if (l->n < LAST_LIST_LIMIT) {
		l->ids = l->ids ? l->ids : xcalloc(LAST_LIST_LIMIT, sizeof(*l->ids));
		l->ids[l->n] = id;
	}
	l->n++;
}

/* The directory of the lists; NULL: there is none, for example if the user has no home
 * directory. */
static char *directory(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	if (state && *state == '/') {
		return xasprintf("%s/plumbline/lists", state);
	}
	return home && *home == '/' ? xasprintf("%s/.local/state/plumbline/lists", home) : NULL;
}

static void make_directories(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash = '/';
	}
}

/* The list file for the capture's directories. It does not depend on the working directory.
 * NULL: there can be none. */
static char *file_of(const struct capture *c)
{
	const char *const *dirs;
	size_t n = capture_dirs(c, &dirs);
	struct buf names = {0};
	uint8_t hash[16];
	char hex[2 * sizeof(hash) + 1], *at = directory();
	for (size_t i = 0; i < n; i++) {
		char *whole = realpath(dirs[i], NULL);
		buf_append_str(&names, whole ? whole : dirs[i]);
		buf_append_char(&names, '\n');
		free(whole);
	}
	crypto_generichash(
	        hash, sizeof(hash), (const unsigned char *)names.data, names.len, NULL, 0);
	sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
	buf_finish(&names);
	char *file = at ? xasprintf("%s/%s", at, hex) : NULL;
	free(at);
	return file;
}

/* Replaces the previous list atomically. On an error the previous list stays. */
static void write_list(const struct last_list *l, const char *file)
{
	char *temporary = xasprintf("%s.%ld", file, (long)getpid());
	char text[ID_TEXT_SIZE];
	(void)unlink(temporary);
	int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
	for (size_t i = 0; to && i < l->n && i < LAST_LIST_LIMIT; i++) {
		fprintf(to, "%s\n", id_format(l->ids[i], text));
	}
	bool whole = to && !ferror(to);
	if (to && fclose(to) != 0) {
		whole = false;
	}
	if (to && (!whole || rename(temporary, file) < 0)) {
		(void)unlink(temporary);
	}
	free(temporary);
}

void last_list_keep(struct last_list *l, const struct capture *c)
{
	char *file = file_of(c);
	if (file && l->n > 0) {
		make_directories(file);
		write_list(l, file);
	}
	free(file);
	free(l->ids);
	*l = (struct last_list){0};
}

char *last_list_get(const struct capture *c, size_t n, struct id *ret)
{
	char *path = file_of(c), line[ID_TEXT_SIZE + 1];
	FILE *file = path ? fopen(path, "re") : NULL;
	size_t at = 0;
	bool found = false;
	while (file && !found && at < LAST_LIST_LIMIT && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		found = ++at == n && id_parse(line, ret);
	}
	if (file) {
		fclose(file);
	}
	free(path);
	if (found) {
		return NULL;
	}
	char *dirs = input_words(c);
	char *problem = at > 0 ? xasprintf("@%zu is not in the last printed list, which has %zu "
	                                   "numbered lines",
	                                 n, at)
	                       : xasprintf("@%zu needs a list of this capture; plumbline capture "
	                                   "ls %s prints one",
	                                 n, dirs);
	free(dirs);
	return problem;
}
