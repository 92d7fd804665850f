#pragma once
/*
 * capture_commands - the commands of `plumbline capture`. Each gets argv with its own name as
 * argv[0] and returns an exit code.
 */
#include <stdbool.h>
#include <stddef.h>

int command_capture_ls(int argc, char **argv);
/* `plumbline capture ls --runs`; returns an exit code */
int capture_ls_runs(const char *const *dirs, size_t n_dirs, bool json);
int command_capture_show(int argc, char **argv);
int command_capture_verify(int argc, char **argv);
int command_capture_export(int argc, char **argv);
int command_capture_prune(int argc, char **argv);
int command_capture_scrub(int argc, char **argv);
int command_capture_merge(int argc, char **argv);
int command_capture_compact(int argc, char **argv);
int command_capture_reread(int argc, char **argv);

/* The error message if a command that creates a capture is called without --out. */
#define CAPTURE_WITHOUT_OUT "where is the new capture to be? Give --out DIR"
