#pragma once
/*
 * keys - the tables of the keys of the configuration file, and the flags that set some of them.
 * docs/proxy.md says what each key means. For proxy/settings/ only.
 */
#include "proxy/settings/setting.h"
#include "proxy/settings/settings.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define GIB (MIB * 1024)

extern const struct setting SETTINGS_KEYS[]; /* members of struct settings */
/* Members of struct backend_settings: */
extern const struct setting SETTINGS_BACKEND_KEYS[];   /* for all backends */
extern const struct setting SETTINGS_PRIMARY_KEYS[];   /* for the primary only */
extern const struct setting SETTINGS_REFERENCE_KEYS[]; /* for references only */

/* The defaults. The caller unrefs them. */
struct settings *settings_defaults(void);
/* Applies the flags in their order. Call after the file was read. --reference and --candidate add
 * to the file's backends; --poll is for all backends. Returns NULL, or a sentence. */
char *settings_read_flags(
        struct settings *s, const struct option_value *flags, size_t n) MUST_CHECK;
