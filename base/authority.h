#pragma once
/*
 * authority - HOST:PORT and [V6]:PORT, as addresses and URLs have them.
 *
 * Pure.
 */
#include <stdbool.h>

#include "base/buf.h"

/*
 * False: it has neither form. *ret_host is without brackets, perhaps empty; *ret_port is the text behind
 * the colon, or has data NULL if there is no colon.
 */
bool authority_split(
        struct span text, struct span *ret_host, struct span *ret_port, bool *ret_v6) MUST_CHECK;
/* Digits only, at most 65535. False: it is none. */
bool authority_port(struct span text, unsigned *ret) MUST_CHECK;
/* family: AF_INET or AF_INET6. */
bool authority_is_ip(struct span host, int family);
