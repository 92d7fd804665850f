#pragma once
/*
 * call_syntax - how a call is written between the marks of its form: the place of its name and of
 * its arguments. For call_forms only.
 */
#include "answers/calls/call_list.h"
#include "answers/cursor.h"

/*
 * A call that is written with marks; empty means absent. There may be attributes between a name or
 * key and its tail; string="true" and type="string" say that a value is a string.
 */
struct call_syntax {
	const char *call; /* before the name */
	const char *name_end,
	        *name_tail; /* name_end: NULL if the name ends at the line's end or at "<" */
	/* For each argument; NULL: the arguments are one JSON object. */
	const char *key, *key_end, *key_tail, *value_end;
	const char *end;
	bool is_id;    /* the name is an id: functions.NAME:NUMBER */
	bool is_whole; /* the object holds the name too */
};

extern const struct call_syntax syntax_function, syntax_minicpm, syntax_glm, syntax_hunyuan,
        syntax_hunyuan_suffixed, syntax_invoke, syntax_dsml, syntax_gcml, syntax_atem,
        syntax_minimax3, syntax_longcat, syntax_ifm, syntax_deepseek3, syntax_deepseek31,
        syntax_step3, syntax_kimi2, syntax_kimi3, syntax_solar, syntax_plamo, syntax_inkling;

/* The following return false if there is no call. The cursor and added calls are then undefined. */
bool call_syntax_read(const struct call_syntax *s, struct call_list *l, struct cursor *at);
/* An object with a name and arguments, or a list of these. */
bool call_syntax_read_json(struct call_list *l, struct cursor *at);
/* A list of objects whose keys are names of functions. */
bool call_syntax_read_keyed(struct call_list *l, struct cursor *at);
/* One JSON object. */
bool call_syntax_json(struct cursor *at, struct span *ret);
