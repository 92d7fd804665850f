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
 * The text is or holds a key or token that can be told by its form, or a URL with a password or with a parameter that
 * sounds like one, escaped or not: it is neither stored nor passed on, whatever its name.
 */
bool credential_in(struct span text);
