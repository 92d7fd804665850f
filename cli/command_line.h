#pragma once
/*
 * command_line - the command that made a report, as the report states it.
 */
#include "base/check.h"

/* "plumbline NAME ..." with the words of argv after the first, quoted for a shell. It lacks the
 * options that change no figure (--jobs, --out, --json, --full, --policy, --accepted). The
 * caller frees it. */
char *command_line_text(const char *name, int argc, char *const *argv) MUST_CHECK;
