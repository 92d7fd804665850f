#pragma once
/*
 * replay_backend - the backend that a replay sends to, found by URL or name, asked who it is, and told of
 * as a target.
 */
#include "backends/base_url.h"
#include "base/options.h"
#include "capture/capture.h"
#include "capture/recorder.h"
#include "cli/opinions/score_backend.h"
#include "replay/source.h"
#include "replay/target.h"

struct identity;
struct manifest;
struct settings;

struct replay_wish {
	const char *command;                                       /* that says what is wrong */
	const char *to;                                            /* URL or name */
	const char *config, *name, *model, *dialect, *api_key_env; /* each may be NULL */
	bool of_several; /* of the targets of a recipe: each word says its own model */
	bool any_model;
	bool any_server; /* also one that answers GETs as no engine does */
	bool has_align;
	enum align align;
	enum thinking thinking; /* THINKING_AS_ASKED: as the configuration has it */
	/* What chats are written out with, to be sent as completions; NULL: as the configuration has it. */
	const struct chat_template *completions_template;
	/* Set in each request, before what the configuration sets; the values are JSON. */
	const struct member_setting *members;
	size_t n_members;
};

/* Rows for struct replay_wish: --config, --model, --any-model, --any-server and --align; and what
 * an engine alone has: --dialect and --api-key-env. */
extern const struct option_row REPLAY_WISH_OPTIONS[], REPLAY_ENGINE_OPTIONS[];

struct replay_backend {
	struct target target;
	struct identity *engine;
	struct manifest *manifest;
	/* What the target's strings and lists are of. */
	struct settings *settings;
	struct score_backend found;
	char *name;
	struct base_url url; /* unless a configuration has it */
	struct model_map *models;
	struct member_setting *members;
	size_t n_own; /* of these, at the beginning: whose strings are ours */
};

/* c: the source's capture, or NULL. An exit code; what was wrong has been said. */
int replay_backend_find(
        struct replay_backend *b, struct capture *c, const struct replay_wish *w) MUST_CHECK;
/* Sets a member in each request from now on, before what the configuration sets; json: its value. */
void replay_backend_set(struct replay_backend *b, const char *name, const char *json);
/* One model for all requests. */
void replay_backend_ask_for(struct replay_backend *b, const char *model);
/* Asks it who it is: sends GETs alone. Whoever lets nobody in, or answers as no engine does, is told of here. */
int replay_backend_identify(struct replay_backend *b, const struct replay_wish *w) MUST_CHECK;
/* Holds the models that are asked for against those it has. */
int replay_backend_check_models(const struct replay_backend *b, const struct replay_wish *w,
        const struct source_scan *scan) MUST_CHECK;
/* A suite names no model: the one that the engine has, if none was wished for. */
int replay_backend_choose_model(struct replay_backend *b, const struct replay_wish *w) MUST_CHECK;
/* What a model is asked for as, by the rules of the backend; empty: no model is named. The caller's. */
char *replay_backend_names(const struct replay_backend *b, const char *model) MUST_CHECK;
/* The engine's version, as it told it; NULL: it did not, or it is not what it is taken for. */
const char *replay_backend_version(const struct replay_backend *b);
/* The model that all requests ask for, as JSON; NULL: as each says. */
const char *replay_backend_model(const struct replay_backend *b);
/* Appends the members of a JSON object by which the backend can be found by its name again. */
void replay_backend_describe(const struct replay_backend *b, struct buf *to);
/* Its stack goes into the capture, and legs name it. */
void replay_backend_record(struct replay_backend *b, struct recorder *r);
void replay_backend_finish(struct replay_backend *b);
