#pragma once
/*
 * redact_documents - divides a body into documents, lines of an event stream, and the rest. For
 * redact.c only.
 */
#include "capture/privacy/redact_pieces.h"

/*
 * Adds all of the body as pieces. 0; -E2BIG: more than can be looked into; -EBADMSG: no text;
 * -ENOMEM: more than the claim has room for.
 */
int redact_documents_cut(
        struct pieces *to, const struct redact_policy *policy, struct span body) MUST_CHECK;
