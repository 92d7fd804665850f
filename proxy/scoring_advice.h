#pragma once
/*
 * scoring_advice - a warning for a configured reference that scores: its engine can't score, or
 * scoring costs the engine more than generating. Pure.
 */
#include "backends/dialect.h"
#include "proxy/settings/settings.h"

/* A sentence that the caller frees; d: the dialect of the reference `name`. NULL: there is
 * nothing to warn of, or the engine is unknown (d is NULL or generic). */
char *scoring_advice(const char *name, enum mirror_mode mode, const struct dialect *d);
