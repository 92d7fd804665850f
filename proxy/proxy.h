#pragma once
/*
 * proxy - the whole of it: listeners, workers, mirrors, recorder, admin; from settings to exit.
 */
#include "proxy/settings/settings.h"

/*
 * Runs until SIGTERM or SIGINT (drain; a second one stops at once). SIGHUP has the source read again;
 * without a file it is as SIGTERM. Start-up problems (port in use,
 * capture refused) give one logged line and exit code EXIT_USAGE; 0 after a drain. Takes no
 * reference.
 */
int proxy_run(struct settings *s, const struct settings_source *source) MUST_CHECK;
