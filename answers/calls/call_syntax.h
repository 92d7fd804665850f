#pragma once
/*
 * call_syntax - how a call is written between the marks of its form: where its name and its
 * arguments are. For call_forms only.
 */
#include "answers/calls/call_list.h"
#include "answers/cursor.h"

/* The marks within a call; "" means absent. There may be attributes between name_end and name_tail,
 * and between key_end and key_tail; the attribute string="true" or type="string" says that a value
 * is a string. */
struct call_syntax {
	const char *call; /* before the name */
	/* after the name; name_end NULL: the name ends at a line end or at "<" */
	const char *name_end, *name_tail;
	/* around each argument; NULL: the arguments are one JSON object */
	const char *key, *key_end, *key_tail, *value_end;
	const char *end; /* after the call */
	/* the name has the form functions.NAME:NUMBER, which is also the call's id */
	bool is_id;
	bool is_whole; /* the JSON object holds the name, too */
};

extern const struct call_syntax syntax_function, syntax_minicpm, syntax_glm, syntax_hunyuan,
        syntax_hunyuan4, syntax_step_audio, syntax_invoke, syntax_dsml, syntax_dsml41, syntax_gcml,
        syntax_atem, syntax_minimax3, syntax_longcat, syntax_ifm, syntax_ifm_json, syntax_deepseek3,
        syntax_deepseek31, syntax_step3, syntax_kimi2, syntax_kimi3, syntax_solar, syntax_plamo,
        syntax_inkling;

/* The following functions return false if there is no call; the cursor and the added calls are
 * then undefined. */
bool call_syntax_read(const struct call_syntax *s, struct call_list *l, struct cursor *at);
/* Reads an object with a name and arguments, or a list of such objects. */
bool call_syntax_read_json(struct call_list *l, struct cursor *at);
/* Reads a list of objects whose keys are names of functions. */
bool call_syntax_read_keyed(struct call_list *l, struct cursor *at);
/* Reads one JSON object. *ret points into the text. */
bool call_syntax_json(struct cursor *at, struct span *ret);
