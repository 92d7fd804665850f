#pragma once
/*
 * types - the types of values that no kind of setting covers, and checks of texts. The types know
 * no key. For proxy/settings/ only.
 */
#include "proxy/settings/setting.h"
#include "proxy/settings/settings.h"

/* Types of values. Each comment names the type of the member to which the functions get a
 * pointer. */
/* struct address; ":PORT" listens on all IPv4 addresses */
extern const struct setting_type setting_listen;
/* struct address; ":PORT" listens on 127.0.0.1 */
extern const struct setting_type setting_admin;
extern const struct setting_type setting_poll;         /* ns, at least a second; off: 0 */
extern const struct setting_type setting_slowdown;     /* a double; off: -1 */
extern const struct setting_type setting_redact;       /* struct privacy_settings */
extern const struct setting_type setting_dialect;      /* const struct dialect *; auto: NULL */
extern const struct setting_type setting_template;     /* const struct chat_template *, or NULL */
extern const struct setting_type setting_session_keys; /* struct sample */
extern const struct setting_type setting_url;          /* struct backend_settings */
extern const struct setting_type setting_stack;        /* struct backend_settings */
extern const struct setting_type setting_models;       /* struct copy_rules */
extern const struct setting_type setting_set;          /* struct copy_rules */
extern const struct setting_type setting_unset;        /* struct copy_rules */

/* Each checks a text. Returns NULL, or a sentence about what is wrong. The text must be: */
char *setting_check_name(const char *text); /* the name of a backend, or of a fact about it */
char *setting_check_file(const char *text); /* the path of a readable file */
/* the name of a header that does not carry a secret */
char *setting_check_header(const char *text);
/* the name of an environment variable that is set and can be sent in a header */
char *setting_check_variable(const char *text);
/* the name of an environment variable that has a key in hex */
char *setting_check_hash_key(const char *text);
char *setting_check_directory(const char *text); /* a directory's name, no word such as "off" */
char *setting_check_route(const char *text);     /* the end of a request's path */
char *setting_check_model(const char *text); /* a model's name, or the beginning of names and a * */
