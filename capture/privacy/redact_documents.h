#pragma once
/*
 * redact_documents - divides a body into documents, lines of an event stream, and the rest. For
 * redact.c only.
 */
#include "capture/privacy/redact_pieces.h"

/*
 * Adds all of the body as pieces. Returns 0; -E2BIG: it is too large or too deep to examine;
 * -EBADMSG: it is no text; -ENOMEM: the claim's budget has no room.
 */
int redact_documents_cut(
        struct pieces *to, const struct redact_policy *policy, struct span body) MUST_CHECK;
