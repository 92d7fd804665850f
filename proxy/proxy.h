#pragma once
/*
 * proxy - runs the proxy from its settings to its end: listeners, workers, recorder, admin.
 */
#include "proxy/settings/settings.h"

/*
 * Runs until a signal ends it, and returns the exit code. After SIGTERM or SIGINT, running
 * exchanges finish (exit code 0); a second one stops at once. SIGHUP reads the file of source
 * again; without a file it acts like SIGTERM. A problem at the start (port in use, capture refused)
 * is logged in one line and gives EXIT_USAGE. The caller keeps its reference to s.
 */
int proxy_run(struct settings *s, const struct settings_source *source) MUST_CHECK;
