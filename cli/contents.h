#pragma once
/*
 * contents - what a file or a capture's directory holds: its size, and whether it holds prompts.
 */
#include <stdint.h>

#include "base/buf.h"
#include "capture/capture.h"

/* Bytes of a file, or of the files of a directory. 0: not readable. */
uint64_t contents_size(const char *path);
void contents_put_size(struct buf *to, uint64_t bytes); /* "12.3 kB" */
/* The fullest content of the capture's exchanges; 0: it has none. Reads rows until one is full, and
 * rewinds. */
enum content contents_of_capture(struct capture *c);

#define CONTENTS_NO_TEXTS "no prompts or answers"
/* Says on standard error that a command wrote a file, its size, and what texts it
 * holds. */
void contents_tell(const char *command, const char *path, const char *texts);
/* The same for a capture. */
void contents_tell_capture(const char *command, const char *dir);
