#pragma once
/*
 * quoted - JSON strings of what peers and files say, whatever bytes it has.
 */
#include <jansson.h>

/* Each byte that is no part of UTF-8 becomes U+FFFD. NULL gives null. */
json_t *quoted(const char *bytes);
