#pragma once
/*
 * credential - recognises credentials by their name or the text around them, in headers, URLs and
 * documents.
 *
 * In case of doubt a text counts as a credential: if too much is removed, only the reader of the
 * capture loses something. Pure; any thread.
 */
#include <stdbool.h>

#include "base/buf.h"

/* True if a field, parameter or member of this name holds a credential. */
bool credential_sounds(struct span name);

/*
 * True if the text is or contains a key or token of a known form, a URL with a password, an
 * authorization, or a pair (name=value, a URL parameter, a member of a document) whose name sounds
 * like a credential or whose value is an authorization; escaped or not, up to the third level. It
 * must be neither stored nor forwarded, whatever its name.
 */
bool credential_in(struct span text);

/* As credential_in() for a piece of a URL with the mark before it ("/", ";", "?" or "&"): in URLs,
 * session ids are credentials. */
bool credential_in_url(struct span piece);

/*
 * True if the text has a quotation mark, escaped or not, up to the third level: a document may
 * begin there whose strings can hold anything.
 */
bool credential_may_be_quoted(struct span text);

/*
 * True if the text, after percent decoding, is only a name of letters, digits and joining
 * characters, and no credential itself. Anything else may separate a name from a secret
 * ("api_key:hush").
 */
bool credential_is_name(struct span text);
