#pragma once
/*
 * known_backend - finds a backend that scores, judges, or gets a replay: in a configuration file,
 * in the settings of a capture, or by its URL.
 */
#include <stdbool.h>
#include <stddef.h>

#include "analyzer/fold/advice.h"
#include "backends/copy_body.h"
#include "base/check.h"
#include "capture/capture.h"
#include "capture/record.h"

struct known_backend {
	char *name, *url;
	char *ca_file;     /* or NULL */
	char *api_key_env; /* name of the environment variable with the API key; or NULL */
	char *dialect;     /* NULL: plumbline recognises the engine */
	char *model;       /* the model of all requests; NULL: each request names its own */
	struct copy_rules rules;
	enum role role;
	bool is_primary; /* it is the primary of its configuration */
};

/*
 * Finds a backend by name: in the configuration file `config`, or, if config is NULL, in the newest
 * segment of c whose settings have the name. url: replaces the URL found there, and the name may
 * then be unknown; or NULL. Returns NULL, or a sentence.
 *
 * Sets ret->api_key_env only if config is given and url is not: a capture must not choose where the
 * user's key is sent, and the key must not go to another address than that of the configuration.
 */
char *known_backend_find(struct capture *c, const char *config, const char *name, const char *url,
        struct known_backend *ret) MUST_CHECK;
/* The URL of a backend that has this name and another URL than `url`; of several, the one in the
 * newest settings. NULL: there is none. The caller frees it. */
char *known_backend_elsewhere(struct capture *c, const char *name, const char *url);
/* True if the capture's settings have a backend of this name at this URL. */
bool known_backend_exists(struct capture *c, const char *name, const char *url);
/* Finds the reference that should score answers (its mode is score or both), in the newest settings
 * that have one. *ret stays as it is if there is none. */
void known_backend_scorer(struct capture *c, struct advice_engine *ret);
void known_backend_finish(struct known_backend *b);
/* The model to send to the backend for the model `requested` (NULL: the request names none). The
 * text is valid as long as b and `requested`. NULL: there is none to send. */
const char *known_backend_model(const struct known_backend *b, const char *requested);
