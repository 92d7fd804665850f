#pragma once
/*
 * quoted - makes jansson strings from any bytes.
 */
#include <jansson.h>

/* A new reference, which the caller owns. Each byte that is not UTF-8 becomes U+FFFD. NULL gives
 * JSON's null. */
json_t *quoted(const char *bytes);
