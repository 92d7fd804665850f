#pragma once
/*
 * secret_scan - finds secrets in a text by their form.
 *
 * A form counts if it has a checksum, a unique prefix, or a pattern that plain text does not have
 * by chance. A card number must pass Luhn's check and begin with an issuer's digits; an IBAN must
 * pass its check; a telephone number must begin with + and the country code. One pass; time is
 * linear in any text. Pure; any thread.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum secret {
	SECRET_EMAIL,
	SECRET_CARD,
	SECRET_KEY,    /* sk-..., ghp_..., AKIA..., JWT, PEM private keys, and similar */
	SECRET_BEARER, /* the token after Bearer; the name and password after Basic */
	SECRET_PHONE,
	SECRET_IBAN,
	N_SECRETS,
};
#define SECRETS_ALL ((1u << N_SECRETS) - 1)

const char *secret_name(enum secret s); /* such as "email" */

struct secret_match {
	size_t from, to; /* bytes [from, to) of the text */
	enum secret kind;
};

/* Finds the first secret that begins at `from` or later. wanted: the kinds, a set of bits (1u <<
 * enum secret). False: there is none. */
bool secret_scan_next(
        struct span text, size_t from, unsigned wanted, struct secret_match *ret) MUST_CHECK;

/* Returns text, or "(hidden)" if it contains a secret: for a client's text in a log line. */
const char *secret_scan_hide(const char *text);

/*
 * True if the word is "NAME:PASSWORD" in base64. For a whole value "Basic WORD", in which nothing
 * else can follow: so the conditions are weaker than those of secret_scan_next(), and name and
 * password may be short, and need not be UTF-8.
 */
bool secret_is_basic(struct span word);
