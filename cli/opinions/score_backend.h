#pragma once
/*
 * score_backend - the backend that scores, as a configuration file, the capture's own settings or a
 * URL name it.
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
	char *model;       /* that all requests ask for; NULL: as each says */
	char **models;     /* pairs: as asked, as the backend names it */
	size_t n_models;
	enum role role;
	bool is_primary; /* of the settings that it was found in */
};

/*
 * By name: from the file if one is given, else from the newest of the capture's segments whose
 * settings have it. A url stands above both, and then the name need not be known. api_key_env is only
 * a file's, and only for the file's own url: what a capture says decides about no key. NULL: *ret is
 * filled; else a sentence, which the caller frees.
 */
char *score_backend_find(struct capture *c, const char *config, const char *name, const char *url,
        struct score_backend *ret) MUST_CHECK;
/* Do the capture's settings have a backend of this name at this URL? */
bool score_backend_is_known(struct capture *c, const char *name, const char *url);
void score_backend_finish(struct score_backend *b);
/* As the backend names the model that was asked for; asked may be NULL. */
const char *score_backend_model(const struct score_backend *b, const char *asked);
