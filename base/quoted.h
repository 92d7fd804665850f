#pragma once
/*
 * quoted - makes jansson strings from any bytes.
 */
#include <jansson.h>

/* Each byte that is not UTF-8 becomes U+FFFD. NULL gives null. */
json_t *quoted(const char *bytes);
