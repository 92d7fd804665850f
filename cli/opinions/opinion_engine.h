#pragma once
/*
 * opinion_engine - the engine that scores answers or judges them: where it is, which key opens it, and which kind of
 * engine it is.
 */
#include "backends/dialect.h"
#include "backends/transport/call.h"
#include "cli/opinions/score_backend.h"

struct identity;

struct opinion_engine_wish {
	const char *name;                   /* under which its opinions are recorded */
	const char *config, *url;           /* as of score_backend_find() */
	const char *key_variable, *dialect; /* as given; or NULL */
};

struct opinion_engine {
	struct score_backend backend;
	struct call_line_settings line; /* points into backend and the environment */
	struct identity *identity;      /* NULL until it was asked */
	const struct dialect *dialect;  /* as given, else as identified */
};

/* Asks the engine who it is. An exit code; unless it is EXIT_PASS *ret_problem is a sentence, which the
 * caller frees. opinion_engine_finish() in both cases. */
int opinion_engine_find(struct capture *c, const struct opinion_engine_wish *wish,
        struct opinion_engine *ret, char **ret_problem) MUST_CHECK;
/* The model to ask for: wish, else the engine's only one; NULL: it names none. Returns a sentence, which the caller
 * frees, if it has several; else NULL. */
char *opinion_engine_model(
        const struct opinion_engine *e, const char *wish, const char **ret) MUST_CHECK;
void opinion_engine_finish(struct opinion_engine *e);
