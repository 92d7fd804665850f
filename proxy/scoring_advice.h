#pragma once
/*
 * scoring_advice - what the configuration of a reference that scores must be warned of: its engine
 * can't score, or scoring costs it more than generating. By the engine's dialect; pure.
 */
#include "backends/dialect.h"
#include "proxy/settings/settings.h"

/* One sentence; the caller frees it. NULL: there is nothing to say, or the engine is not known (d
 * NULL or generic). */
char *scoring_advice(const char *name, enum mirror_mode mode, const struct dialect *d);
