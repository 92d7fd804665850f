#pragma once
/*
 * score_backend - the backend that scores, named by a configuration file, the capture's settings or
 * a URL.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/check.h"
#include "capture/capture.h"
#include "capture/record.h"

struct score_backend {
	char *name, *url;
	char *ca_file;     /* or NULL */
	char *api_key_env; /* name of the variable, or NULL */
	char *dialect;     /* or NULL: as recognised */
	char *model;       /* the model of all requests; NULL: as each says */
	char **models;     /* pairs: requested name, the backend's name */
	size_t n_models;
	enum role role;
	bool is_primary; /* the primary of its configuration */
};

/*
 * Finds a backend by name: in the file if one is given, else in the newest segment whose settings
 * have it. A url overrides both; the name need not be known then. api_key_env comes only from a
 * file, and only for that file's url: a capture must not choose a key. Returns NULL and fills *ret,
 * or a sentence that the caller frees.
 */
char *score_backend_find(struct capture *c, const char *config, const char *name, const char *url,
        struct score_backend *ret) MUST_CHECK;
/* True if the capture's settings have a backend of this name at this URL. */
bool score_backend_is_known(struct capture *c, const char *name, const char *url);
void score_backend_finish(struct score_backend *b);
/* The backend's name of the requested model; asked may be NULL. */
const char *score_backend_model(const struct score_backend *b, const char *asked);
