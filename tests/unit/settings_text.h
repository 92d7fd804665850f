#pragma once
/*
 * settings_text - reads the proxy's settings from a text, as if it were a file.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "proxy/settings/settings.h"

/* Writes the text to a new file. Returns its path; the caller unlinks and frees it. */
static inline char *write_file(const char *text)
{
	char *path = xstrdup("/tmp/plumbline-settings-XXXXXX");
	int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	return path;
}

/* NULL: refused; *ret_error is then the error without the file's name. */
static inline struct settings *load_text(const char *text, char **ret_error)
{
	char *path = write_file(text);
	struct settings *s = settings_load(path, NULL, 0, ret_error);
	if (!s) {
		/* Errors begin with the file's name, which differs from call to call. */
		cr_assert_eq(strncmp(*ret_error, path, strlen(path)), 0, "%s", *ret_error);
		memmove(*ret_error, *ret_error + strlen(path),
		        strlen(*ret_error) - strlen(path) + 1);
	}
	unlink(path);
	free(path);
	return s;
}

static inline struct settings *must_load(const char *text)
{
	char *error = NULL;
	struct settings *s = load_text(text, &error);
	cr_assert_not_null(s, "%s", error);
	return s;
}

static inline void assert_refused(const char *text, const char *expected)
{
	char *error = NULL;
	struct settings *s = load_text(text, &error);
	cr_assert_null(s, "accepted: %s", text);
	cr_assert_str_eq(error, expected);
	free(error);
}

#define PRIMARY "primary: http://127.0.0.1:8101\n"
