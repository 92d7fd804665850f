#pragma once
/*
 * reload - the configuration read once more while the proxy runs: the same file, and the same flags over
 * it. What it says is in force for exchanges that begin then, or nothing of it. Main thread.
 */
#include "proxy/settings/settings.h"

struct buf;
struct reload;
struct shared;

/* source is kept. */
struct reload *reload_create(const struct settings_source *source);
void reload_destroy(struct reload *r); /* NULL is fine */
/* Reads and adopts, or logs why not. */
void reload_run(struct reload *r, struct shared *s);
/* How it went so far, as metrics. */
void reload_write(const struct reload *r, struct buf *to);
