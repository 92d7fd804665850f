#pragma once
/*
 * authority - splits HOST, HOST:PORT, [V6] and [V6]:PORT, as in addresses and URLs.
 *
 * Pure.
 */
#include <stdbool.h>

#include "base/buf.h"

/*
 * False: the text has none of these forms. *ret_host is without brackets and may be empty.
 * *ret_port is the text after the colon; its data is NULL if there is no colon. *ret_v6: the host
 * was in brackets.
 */
bool authority_split(
        struct span text, struct span *ret_host, struct span *ret_port, bool *ret_v6) MUST_CHECK;
/* The number of a port: digits only, at most 65535. False: the text is no such number. */
bool authority_port(struct span text, unsigned *ret) MUST_CHECK;
/* True if host is a numeric address of this family: AF_INET or AF_INET6. */
bool authority_is_ip(struct span host, int family);
