#pragma once
/*
 * keys - the tables of all keys of the configuration file, and what their rows refer to.
 * docs/proxy.md says what each key means. Private to proxy/settings.
 */
#include "proxy/settings/setting.h"

extern const struct setting SETTINGS_KEYS[];           /* of struct settings */
extern const struct setting SETTINGS_BACKEND_KEYS[];   /* of struct backend_settings: of all */
extern const struct setting SETTINGS_PRIMARY_KEYS[];   /* likewise: of the primary alone */
extern const struct setting SETTINGS_REFERENCE_KEYS[]; /* likewise: of references alone */

/* Types; their functions get the address of: */
extern const struct setting_type setting_listen;       /* struct address; :PORT: any IPv4 address */
extern const struct setting_type setting_admin;        /* struct address; :PORT: this machine */
extern const struct setting_type setting_poll;         /* ns, at least a second; off: 0 */
extern const struct setting_type setting_slowdown;     /* a double; off: -1 */
extern const struct setting_type setting_redact;       /* struct privacy_settings */
extern const struct setting_type setting_primary;      /* struct settings */
extern const struct setting_type setting_references;   /* struct settings */
extern const struct setting_type setting_dialect;      /* const struct dialect *; auto: NULL */
extern const struct setting_type setting_template;     /* const struct chat_template *, or NULL */
extern const struct setting_type setting_session_keys; /* struct sample */
extern const struct setting_type setting_url;          /* struct backend_settings, as these: */
extern const struct setting_type setting_stack;
extern const struct setting_type setting_models;
extern const struct setting_type setting_set;
extern const struct setting_type setting_unset;

/* What is wrong with a text; NULL: nothing. */
char *setting_check_name(const char *text);     /* of a backend, or of a fact about it */
char *setting_check_file(const char *text);     /* can be read */
char *setting_check_header(const char *text);   /* a header's name, and none that bears a secret */
char *setting_check_variable(const char *text); /* an environment variable that can be sent */
char *setting_check_hash_key(const char *text); /* an environment variable with a key in hex */
char *setting_check_directory(const char *text);
char *setting_check_route(const char *text); /* the end of a path */
char *setting_check_model(const char *text); /* a model's name, or its beginning and a * */

/* The primary with its defaults. */
void settings_init_primary(struct settings *s);
/* The last of s->references, with its defaults; NULL when there are too many. */
struct backend_settings *settings_add_reference(struct settings *s, enum role role) MUST_CHECK;
/* Reads the variables of API keys, and names the backends without a name: primary, reference,
 * reference-2, candidate. Once, after file and flags were read. */
char *settings_complete_backends(struct settings *s) MUST_CHECK;
/* The flags, in order, over the file: --reference and --candidate add to the file's backends,
 * --poll is for all of them. */
char *settings_read_flags(
        struct settings *s, const struct option_value *flags, size_t n) MUST_CHECK;
