#pragma once
/*
 * credential - told by its name, or by the text that it is in: whatever carries it, a header, a URL, a document.
 *
 * Told is too much rather than too little: what is taken for a credential is missed by nobody but its reader. Pure; any thread.
 */
#include <stdbool.h>

#include "base/buf.h"

/* A field, a parameter or a member of this name holds a credential. */
bool credential_sounds(struct span name);

/*
 * The text is or holds a key or token that can be told by its form, a URL with a password, an authorization, or a pair (name=value, a URL's
 * parameter, a member of a document) that sounds like a credential or whose value is an authorization; escaped or not, to the third level.
 * It is neither stored nor passed on, whatever its name.
 */
bool credential_in(struct span text);

/* The same of what is known to be a piece of a URL, with the mark before it ("/", ";", "?" or "&"): sessions are credentials in it. */
bool credential_in_url(struct span piece);

/*
 * There is a quotation mark in the text, escaped or not, to the third level: a document may begin there, whose strings hold anything.
 */
bool credential_may_be_quoted(struct span text);

/*
 * The text, percent escapes undone, is nothing but a name, of letters, digits and what joins them, and no credential itself: anything
 * else may part a name from a secret behind it ("api_key:hush").
 */
bool credential_is_name(struct span text);
