#pragma once
/*
 * score_backend - the backend that scores. A configuration file, the capture's settings or a URL
 * describes it.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/check.h"
#include "capture/capture.h"
#include "capture/record.h"

struct score_backend {
	char *name, *url;
	char *ca_file;     /* or NULL */
	char *api_key_env; /* name of the environment variable with the key; or NULL */
	char *dialect;     /* NULL: plumbline recognises the engine */
	char *model;       /* the model of all requests; NULL: each request names its own */
	char **models;     /* n_models pairs: the requested name, then the backend's name */
	size_t n_models;
	enum role role;
	bool is_primary; /* it is the primary of its configuration */
};

/*
 * Finds a backend by name: in the configuration file if one is given, else in the newest segment
 * whose settings have the name. url, if given, overrides the URL found there; the name may then be
 * unknown. api_key_env comes only from a file, and only for the URL of that file: a capture must
 * not choose a key. Returns NULL and fills *ret, or returns a sentence that the caller frees.
 */
char *score_backend_find(struct capture *c, const char *config, const char *name, const char *url,
        struct score_backend *ret) MUST_CHECK;
/* True if the capture's settings have a backend of this name at this URL. */
bool score_backend_is_known(struct capture *c, const char *name, const char *url);
void score_backend_finish(struct score_backend *b);
/* The backend's name for the requested model; asked may be NULL. */
const char *score_backend_model(const struct score_backend *b, const char *asked);
