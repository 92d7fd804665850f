#pragma once
/*
 * authority - reads HOST, HOST:PORT, [V6] and [V6]:PORT, as in addresses and URLs.
 *
 * Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Splits at the first colon, or after the bracket. Host and port may hold anything: check them with
 * authority_is_ip() and authority_port(). (Of "::1", without brackets, the host is "" and the port
 * ":1".) *ret_host is without brackets and may be empty. *ret_port is the text after the colon; its
 * data is NULL if there is no colon. *ret_v6: the host was in brackets. False: a bracket is not
 * closed, or something other than a colon follows it.
 */
bool authority_split(
        struct span text, struct span *ret_host, struct span *ret_port, bool *ret_v6) MUST_CHECK;
/* The number of a port: one to five digits, 0 to 65535. False: the text is no such number. */
bool authority_port(struct span text, uint16_t *ret) MUST_CHECK;
/* True if host is a numeric address of this family: AF_INET or AF_INET6. */
bool authority_is_ip(struct span host, int family);
/*
 * Reads where a server is to listen: HOST:PORT, [V6]:PORT or :PORT. HOST is an IP address or
 * localhost. any_host: the host if the text is :PORT. *ret_host: without brackets, 127.0.0.1 for
 * localhost; the caller frees it. *ret_port may be 0. Returns NULL, or the rest of a sentence that
 * begins with the option's name.
 */
char *authority_read_listen(
        const char *text, const char *any_host, char **ret_host, uint16_t *ret_port) MUST_CHECK;
