#pragma once
/*
 * contents - the size of a file or a capture's directory, and whether it contains prompts.
 */
#include <stdint.h>

#include "base/buf.h"
#include "capture/capture.h"

/* Bytes of a file, or of all files of a directory. 0: it cannot be read. */
uint64_t contents_size(const char *path);
void contents_put_size(struct buf *to, uint64_t bytes); /* "12.3 kB" */
/* The most that any exchange of the capture has recorded of its contents; 0: the capture has no
 * exchange. Reads rows until one has everything, and rewinds the capture. */
enum content contents_of_capture(struct capture *c);

#define CONTENTS_NO_TEXTS "no prompts or answers"
/* Prints on standard error that the command wrote a file, its size, and which texts it contains. */
void contents_print(const char *command, const char *path, const char *texts);
/* Prints the same about a capture. */
void contents_print_capture(const char *command, const char *dir);
