#pragma once
/*
 * proxy - runs the proxy from its settings to its end: listeners, workers, recorder, admin.
 */
#include "proxy/settings/settings.h"

/*
 * Runs until a signal ends it, and returns the exit code. The caller keeps its reference to s.
 *
 *	SIGTERM, SIGINT  running exchanges finish, up to drain_timeout; a second one stops at once
 *	SIGHUP           reads the settings from `source` again; without a file like SIGTERM
 *
 * A problem at the start (port in use, capture refused) is logged in one line and gives EXIT_USAGE;
 * too few file descriptors give EXIT_RUNTIME.
 */
int proxy_run(struct settings *s, const struct settings_source *source) MUST_CHECK;
