#pragma once
/*
 * proxy - runs the proxy from its settings to its end: listeners, workers, recorder, admin.
 */
#include "proxy/settings/settings.h"

/*
 * Returns the exit code. SIGTERM and SIGINT drain (0), a second one stops at once. SIGHUP reads
 * the file of source again; without a file it drains. A problem at the start (port in use, capture
 * refused) is logged in one line: EXIT_USAGE. The caller keeps its reference to s.
 */
int proxy_run(struct settings *s, const struct settings_source *source) MUST_CHECK;
