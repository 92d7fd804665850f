#pragma once
/*
 * keys - the table of the keys of the configuration file, and the flags that set some of them.
 * docs/proxy.md says what each key means. For proxy/settings/ only.
 */
#include "proxy/settings/setting.h"
#include "proxy/settings/settings.h"

extern const struct setting SETTINGS_KEYS[]; /* members of struct settings */

/* Applies the flags in their order. Call after the file was read. --reference and --candidate add
 * to the file's backends; --poll is for all backends. Returns NULL, or a sentence. */
char *settings_read_flags(
        struct settings *s, const struct option_value *flags, size_t n) MUST_CHECK;
