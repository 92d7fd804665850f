#pragma once
/*
 * retention - what a capture weighs on disk, and making room by deleting its oldest segments. Any
 * thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/id.h"

/* Bytes of all segments but the one. 0 when the directory can't be read. */
uint64_t retention_weigh(const char *dir, struct id except);

/* Deletes the oldest segment that no writer holds. False: there is none, or it can't be deleted. */
bool retention_drop_oldest(const char *dir, uint64_t *ret_freed);
