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
 * parameter, a member of a document) that sounds like a credential; escaped or not, to the third level. It is neither stored nor
 * passed on, whatever its name. What there is no memory to look through is taken for one.
 */
bool credential_in(struct span text);
