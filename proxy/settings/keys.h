#pragma once
/*
 * keys - the tables of all keys of the configuration file, and what their rows refer to.
 * docs/proxy.md says what each key means. For proxy/settings/ only.
 */
#include "proxy/settings/setting.h"

extern const struct setting SETTINGS_KEYS[]; /* members of struct settings */
/* members of struct backend_settings; for all backends */
extern const struct setting SETTINGS_BACKEND_KEYS[];
extern const struct setting SETTINGS_PRIMARY_KEYS[];   /* the same struct; for the primary only */
extern const struct setting SETTINGS_REFERENCE_KEYS[]; /* the same struct; for references only */

/* Types of values. Each comment names the type of the member to which the functions get a
 * pointer. */
/* struct address; ":PORT" listens on all IPv4 addresses */
extern const struct setting_type setting_listen;
/* struct address; ":PORT" listens on 127.0.0.1 */
extern const struct setting_type setting_admin;
extern const struct setting_type setting_poll;         /* ns, at least a second; off: 0 */
extern const struct setting_type setting_slowdown;     /* a double; off: -1 */
extern const struct setting_type setting_redact;       /* struct privacy_settings */
extern const struct setting_type setting_primary;      /* struct settings */
extern const struct setting_type setting_references;   /* struct settings */
extern const struct setting_type setting_dialect;      /* const struct dialect *; auto: NULL */
extern const struct setting_type setting_template;     /* const struct chat_template *, or NULL */
extern const struct setting_type setting_session_keys; /* struct sample */
/* the five types below: struct backend_settings */
extern const struct setting_type setting_url;
extern const struct setting_type setting_stack;
extern const struct setting_type setting_models;
extern const struct setting_type setting_set;
extern const struct setting_type setting_unset;

/* Each checks a text. Returns NULL, or a sentence about what is wrong, which the caller frees.
 * The text must be: */
char *setting_check_name(const char *text); /* the name of a backend, or of a fact about it */
char *setting_check_file(const char *text); /* the path of a readable file */
/* the name of a header that does not carry a secret */
char *setting_check_header(const char *text);
/* the name of an environment variable that is set and can be sent in a header */
char *setting_check_variable(const char *text);
/* the name of an environment variable that has a key in hex */
char *setting_check_hash_key(const char *text);
char *setting_check_directory(const char *text);
char *setting_check_route(const char *text); /* the end of a request's path */
char *setting_check_model(const char *text); /* a model's name, or the beginning of names and a * */

/* Sets the primary to its defaults. */
void settings_init_primary(struct settings *s);
/* Appends a reference or candidate with its defaults to s->references. NULL: there are
 * SETTINGS_REFERENCES_LIMIT already. */
struct backend_settings *settings_add_reference(struct settings *s, enum role role) MUST_CHECK;
/* Reads API keys from their environment variables, and names the backends that have no name:
 * primary, reference, reference-2, candidate and so on. Call once, after file and flags were
 * read. Returns NULL, or a sentence that the caller frees. */
char *settings_complete_backends(struct settings *s) MUST_CHECK;
/* Applies the flags in their order. Call after the file was read. --reference and --candidate
 * add to the file's backends; --poll is for all backends. Returns NULL, or a sentence that the
 * caller frees. */
char *settings_read_flags(
        struct settings *s, const struct option_value *flags, size_t n) MUST_CHECK;
