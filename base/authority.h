#pragma once
/*
 * authority - HOST:PORT and [V6]:PORT, as in addresses and URLs.
 *
 * Pure.
 */
#include <stdbool.h>

#include "base/buf.h"

/*
 * False: it has neither form. *ret_host is without brackets, perhaps empty; *ret_port is the text
 * after the colon, or has data NULL without a colon.
 */
bool authority_split(
        struct span text, struct span *ret_host, struct span *ret_port, bool *ret_v6) MUST_CHECK;
/* Digits only, at most 65535. False: not a port. */
bool authority_port(struct span text, unsigned *ret) MUST_CHECK;
/* family: AF_INET or AF_INET6. */
bool authority_is_ip(struct span host, int family);
