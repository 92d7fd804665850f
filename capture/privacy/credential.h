#pragma once
/*
 * credential - recognises credentials, by their form, their name or the text around them, in
 * headers, URLs and documents.
 *
 * In case of doubt a text counts as a credential: removing too much harms only readers of the
 * capture. Pure; any thread.
 */
#include <stdbool.h>

#include "base/buf.h"

/* True if the name is usual for a header field, a parameter or a member with a credential, or if it
 * has 63 or more characters. */
bool credential_sounds(struct span name);

/*
 * True if the text is or contains a credential: a key or token of a form that secret_scan.h finds,
 * a URL with a password, an authorization, or a pair (name=value, a URL parameter, a member of a
 * document) whose name is usual for credentials or whose value is an authorization. It also finds
 * these escaped, up to three times. Such a text must be neither stored nor forwarded, whatever its
 * name.
 */
bool credential_in(struct span text);

/* As credential_in(), for a piece of a URL that begins with its separator ("/", ";", "?" or
 * "&"). In URLs, session ids are credentials. */
bool credential_in_url(struct span piece);

/*
 * True if the text has a quotation mark, also one that is escaped up to three times: a document may
 * begin there, and its strings can hold anything.
 */
bool credential_may_be_quoted(struct span text);

/*
 * True if the text, after percent decoding, is only a name of letters, digits and joining
 * characters, and no credential itself. Any other character may separate a name from a secret
 * ("api_key:hush").
 */
bool credential_is_name(struct span text);
