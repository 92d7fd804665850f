#pragma once
/*
 * command_line - the command that made a report, as the report states it.
 */
#include "base/check.h"

/* "plumbline NAME ..." with argv[1] and all that follow, quoted for a shell. Leaves out the
 * options that change no figure (--jobs, --out, --json, --full, --policy, --accepted), and the
 * option `also` with its value ("--limit"; NULL: none). The caller frees the text. */
char *command_line_text(const char *name, int argc, char *const *argv, const char *also) MUST_CHECK;
