#pragma once
/*
 * backends - the backends of the configuration: their keys, defaults and names. For proxy/settings/
 * only.
 */
#include "proxy/settings/setting.h"
#include "proxy/settings/settings.h"

/* Types of the keys `primary` and `references`. Their functions get the struct settings. */
extern const struct setting_type setting_primary, setting_references;

/* Sets the primary to its defaults. */
void settings_init_primary(struct settings *s);
/* Appends a reference or candidate with its defaults to s->references. NULL: there are
 * SETTINGS_REFERENCES_LIMIT already. */
struct backend_settings *settings_add_reference(struct settings *s, enum role role) MUST_CHECK;
/* Reads API keys from their environment variables, adds the reference for primary.self, and names
 * the backends that have no name: primary, reference, reference-2, candidate and so on. Call once,
 * after file and flags were read. Returns NULL, or a sentence. */
char *settings_complete_backends(struct settings *s) MUST_CHECK;
