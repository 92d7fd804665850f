#pragma once
/*
 * replay_backend - the backend of a replay: identifies its engine, checks its models, and describes
 * it as a target. To make one, call replay_backend_find() (cli/replay/replay_backend_find.h). It is
 * not here, because it reads the proxy's configuration. Functions that return an int return an exit
 * code; errors were printed.
 */
#include "backends/copy_body.h"
#include "base/json_writer.h"
#include "capture/capture.h"
#include "capture/recorder/recorder.h"
#include "replay/source.h"
#include "replay/target.h"

struct engine_identity;
struct manifest;

struct replay_backend_options {
	/* name of the command, for messages */
	const char *command;
	/* URL, or name of a backend in `config`, or without `config` in the source's capture */
	const char *to;
	const char *config, *name, *model, *dialect, *api_key_env; /* each may be NULL */
	bool of_several; /* it is one of several targets of a recipe; each has a model of its own */
	bool any_model;  /* accept models that the engine does not list */
	/* accept a server that refuses GETs or does not answer them like an engine */
	bool any_server;
	bool has_align;
	enum align align;
	/* how to ask for reasoning; THINKING_AS_ASKED: as the configuration says */
	enum thinking thinking;
	/* Template that turns chats into completions; NULL: the configuration's. */
	const struct chat_template *completions_template;
	/* Members to set in each request, values in JSON. They override the configuration's. */
	const struct member_setting *members;
	size_t n_members;
};

struct replay_backend {
	struct target target;
	const char *key_variable; /* environment variable of target.api_key; or NULL */
	struct engine_identity *engine;
	struct manifest *manifest;
	/* owns the strings and lists that the finder put into `target`; NULL: it put none there */
	void *origin;
	void (*origin_destroy)(void *origin);
	struct member_setting *members;
	size_t n_own; /* the first n_own of `members` have strings that the backend owns */
};

/* Sets a member in all later requests, whatever the configuration sets. json: the member's value;
 * NULL: removes the member. */
void replay_backend_set(struct replay_backend *b, const char *name, const char *json);
/* Makes all requests ask for this model. */
void replay_backend_ask_for(struct replay_backend *b, const char *model);
/* Identifies the engine, by GETs only; call before the functions below. It is an error if the
 * server cannot be reached, refuses access, or does not answer like an engine. */
int replay_backend_identify(
        struct replay_backend *b, const struct replay_backend_options *w) MUST_CHECK;
/* Checks that the engine has the models that requests name, if it lists any. */
int replay_backend_check_models(const struct replay_backend *b,
        const struct replay_backend_options *w, const struct source_scan *scan) MUST_CHECK;
/* For a suite, which names no model: makes requests ask for the engine's only model, unless w or
 * the configuration names one. It is an error if the engine does not list exactly one. */
int replay_backend_choose_model(
        struct replay_backend *b, const struct replay_backend_options *w) MUST_CHECK;
/* The name that the backend gets for a requested model. "": neither the request (model is "") nor
 * the backend names one. The caller frees it. */
char *replay_backend_names(const struct replay_backend *b, const char *model) MUST_CHECK;
/* The version that the engine states; NULL: unknown, or the engine is another one than
 * configured. */
const char *replay_backend_version(const struct replay_backend *b);
/* The model that each request asks for, as a JSON string; NULL: none is set. */
const char *replay_backend_model(const struct replay_backend *b);
/* Writes what describes the backend (name, URL, dialect, role, model, rules) as members of the open
 * object. If the object is in the settings of a segment, known_backend_find() can later find the
 * backend there by its name. */
void replay_backend_describe(const struct replay_backend *b, struct json_writer *w);
/* Records the backend's manifest, if it has any facts. Call before the legs that refer to it. */
void replay_backend_record(struct replay_backend *b, struct recorder *r);
void replay_backend_finish(struct replay_backend *b);
