#pragma once
/*
 * shell - quotes words for a POSIX shell.
 */
#include <stdbool.h>

#include "base/buf.h"
#include "base/check.h"

/* Appends the text between single quotes. NULL is the empty word. */
void shell_put_quoted(struct buf *to, const char *text);
/* Appends the text unchanged if no character of it is special to a shell, else between single
 * quotes. */
void shell_put_word(struct buf *to, const char *text);
/* Appends a path as an operand: as shell_put_word(), with "./" before a path that begins with a
 * dash. */
void shell_put_path(struct buf *to, const char *path);
char *shell_path(const char *path) MUST_CHECK; /* as shell_put_path(); the caller frees it */

/* As shell_put_path(), for a command that a user may copy and run. False: the path, without its
 * leading dashes, fails shell_is_pastable(); nothing is appended. */
bool shell_put_pastable_path(struct buf *to, const char *path) MUST_CHECK;

/* True if the text is safe as an option's value in a command that a user may copy and run: not NULL
 * or empty, no leading dash, valid UTF-8, and utf8_is_shown() for each character. */
bool shell_is_pastable(const char *text);
/* True if the text is safe as a command that a user may copy and run: words as shell_put_word()
 * writes them, with spaces between them. */
bool shell_is_pastable_command(const char *text);
