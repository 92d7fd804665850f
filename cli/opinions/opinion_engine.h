#pragma once
/*
 * opinion_engine - the engine that scores or judges answers: its address, its key and its kind.
 */
#include "backends/dialects/dialect.h"
#include "backends/transport/call.h"
#include "base/options.h"
#include "cli/known_backend.h"

struct engine_identity;
struct manifest;

struct opinion_engine_options {
	const char *name;         /* name of the backend in the recorded legs */
	const char *config, *url; /* arguments of known_backend_find(); or NULL */
	/* name of the variable with the API key, and of the dialect; or NULL */
	const char *key_variable, *dialect;
	bool with_manifest; /* also learn the engine's stack */
};
/* Rows for struct opinion_engine_options: --config, --api-key-env and --dialect. */
extern const struct option_row OPINION_ENGINE_OPTIONS[];

struct opinion_engine {
	struct known_backend backend;
	struct call_line_settings line;   /* points into backend and the environment */
	struct engine_identity *identity; /* NULL until the engine was asked */
	struct manifest *manifest;        /* if with_manifest is set; or NULL */
	const struct dialect *dialect;    /* the given one, else the identified one */
};

/* Finds the engine by its options and identifies it. Returns an exit code; unless it is EXIT_PASS,
 * *ret_problem is a sentence that the caller frees. Call opinion_engine_finish() in all cases. */
int opinion_engine_find(struct capture *c, const struct opinion_engine_options *options,
        struct opinion_engine *ret, char **ret_problem) MUST_CHECK;
/* Finds the model to request: `wanted`, or if that is NULL the engine's only model. *ret NULL: the
 * engine names none. Returns NULL, or a sentence: the engine has several models. */
char *opinion_engine_model(
        const struct opinion_engine *e, const char *wanted, const char **ret) MUST_CHECK;
void opinion_engine_finish(struct opinion_engine *e);
