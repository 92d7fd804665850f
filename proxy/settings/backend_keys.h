#pragma once
/*
 * backend_keys - the tables of the keys of backends, which are members of struct backend_settings.
 * docs/proxy.md says what each key means. For proxy/settings/ only.
 */
#include "proxy/settings/setting.h"

extern const struct setting SETTINGS_BACKEND_KEYS[];   /* for all backends */
extern const struct setting SETTINGS_PRIMARY_KEYS[];   /* for the primary only */
extern const struct setting SETTINGS_REFERENCE_KEYS[]; /* for references only */
