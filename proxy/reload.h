#pragma once
/*
 * reload - reads the configuration file and the flags again while the proxy runs. If they are
 * valid, all of them apply to exchanges that begin from then on; otherwise nothing changes. Main
 * thread.
 */
#include "proxy/settings/settings.h"

struct buf;
struct reload;
struct shared;

/* source must outlive the reload. */
struct reload *reload_create(const struct settings_source *source);
void reload_destroy(struct reload *r); /* NULL is fine */
/* Reads and applies the settings, or logs why that is impossible. */
void reload_run(struct reload *r, struct shared *s);
/* Appends the metrics that count reloads. */
void reload_write(const struct reload *r, struct buf *to);
