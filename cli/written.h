#pragma once
/*
 * written - says what a command wrote: a file or a capture, its size, and whether it has prompts.
 */
#include <stdint.h>

#include "base/buf.h"
#include "capture/capture.h"

/* Bytes of a file, or of the files directly in a directory. 0: it cannot be read. */
uint64_t written_size(const char *path);
/* The content (record.h) of the exchange that stores the most: CONTENT_FULL is more than
 * CONTENT_REDACTED, and this more than CONTENT_METADATA. 0: the capture has no exchange. Reads rows
 * until one has CONTENT_FULL. Rewinds the capture before and after. */
enum content written_content(struct capture *c);

#define WRITTEN_NO_TEXTS "no prompts or answers"
/* Prints on standard error that the command wrote the file, its size, and what `texts` says. */
void written_print(const char *command, const char *path, const char *texts);
/* Prints the same about a capture, whose texts it finds out; nothing if it cannot be opened. */
void written_print_capture(const char *command, const char *dir);
