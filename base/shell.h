#pragma once
/*
 * shell - words as a POSIX shell reads them.
 */
#include <stdbool.h>

#include "base/buf.h"
#include "base/check.h"

/* Between single quotes, whatever the text holds. NULL is the empty word. */
void shell_put_quoted(struct buf *to, const char *text);
/* As it is where no character of it means anything to a shell, else between single quotes. */
void shell_put_word(struct buf *to, const char *text);
/* A path as an operand: the same, with "./" before one that would be read as an option. */
void shell_put_path(struct buf *to, const char *path);
char *shell_path(const char *path) MUST_CHECK; /* the same alone; the caller's */

/* The same of a path in a command that is shown to be pasted; false: it can't be, and nothing is
 * appended. */
bool shell_put_pastable_path(struct buf *to, const char *path) MUST_CHECK;

/* Can the text stand in a command that is shown to be pasted, as an option's value? Not if it is
 * empty, begins with a dash, or holds a control character or bad UTF-8. */
bool shell_is_pastable(const char *text);
