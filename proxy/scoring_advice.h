#pragma once
/*
 * scoring_advice - a warning for a configured reference that scores: its engine can't score, or
 * scoring costs the engine more than generating. Pure.
 */
#include "backends/dialects/dialect.h"
#include "proxy/settings/settings.h"

/* Returns a sentence that the caller frees; NULL: there is nothing to warn of. name: of the
 * reference; d: its dialect, or NULL if that is unknown. */
char *scoring_advice(const char *name, enum mirror_mode mode, const struct dialect *d);
