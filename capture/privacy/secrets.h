#pragma once
/*
 * secrets - secrets that can be told by their form, found in text.
 *
 * Told is what has a checksum, a prefix that nothing else bears, or a form that plain text does not take by
 * chance: a card number must pass Luhn's check and begin as an issuer's, an IBAN its own check; a telephone
 * number must begin with + and the country. One pass, linear in the text whatever is in it. Pure; any thread.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum secret {
	SECRET_EMAIL,
	SECRET_CARD,
	SECRET_KEY,    /* sk-..., ghp_..., AKIA..., JWT, PEM private keys, and their like */
	SECRET_BEARER, /* what follows the word Bearer; a name and a password that follow Basic */
	SECRET_PHONE,
	SECRET_IBAN,
	N_SECRETS,
};
#define SECRETS_ALL ((1u << N_SECRETS) - 1)

const char *secret_name(enum secret s); /* "email" */

struct secret_match {
	size_t from, to; /* bytes [from, to) of the text */
	enum secret kind;
};

/* The first that begins at from or later, of those whose bit is set in wanted. */
bool secrets_next(
        struct span text, size_t from, unsigned wanted, struct secret_match *ret) MUST_CHECK;

/*
 * The word, of which it is known that it is all that follows "Basic", says a name and a password in base64. Less is asked of it
 * than among other words: they may be short, and in another character set than UTF-8.
 */
bool secret_is_basic(struct span word);
