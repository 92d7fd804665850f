#pragma once
/*
 * loop_check - settings under which the proxy would send requests to itself: a backend that is the
 * proxy's own listener makes one request an endless number, and an admin port that is the clients'
 * can't be bound, or takes some of what was meant for the engine.
 *
 * Names are not resolved, since what one stands for may change at any time; localhost alone is
 * known. For a proxy that is about to run by these settings: other commands that read the file
 * listen nowhere.
 */
#include "proxy/settings/settings.h"

/* NULL, or a sentence (the caller frees it). file: that the settings came from, or NULL. */
char *loop_check(const struct settings *s, const char *file) MUST_CHECK;
