#pragma once
/*
 * judge_engine - the engine that judges: where it is, how it is asked, which of its models.
 */
#include "backends/transport/call.h"
#include "backends/dialect.h"
#include "cli/opinions/score_backend.h"

struct judge_engine_wish {
	const char *name;         /* of the judge */
	const char *config, *url; /* as of score_backend_find() */
	const char *key_variable; /* as given, as are these; or NULL */
	const char *dialect, *model;
};

struct judge_engine {
	struct score_backend backend;
	const struct dialect *dialect;
	struct call_line_settings line; /* points into backend and the environment */
	char *model;                    /* NULL: its engine names none */
};

/* Asks the engine who it is. An exit code; unless it is EXIT_PASS *ret_problem is a sentence, which the
 * caller frees. judge_engine_finish() in both cases. */
int judge_engine_find(struct capture *c, const struct judge_engine_wish *wish,
        struct judge_engine *ret, char **ret_problem) MUST_CHECK;
void judge_engine_finish(struct judge_engine *e);
