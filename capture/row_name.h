#pragma once
/*
 * row_name - names rows in sentences, by their keys; and the sizes of keys.
 */
#include <stdint.h>

#include "base/buf.h"

#define EXCHANGE_KEY_SIZE 16
#define LEG_KEY_SIZE 32
#define PART_KEY_SIZE 21

/* "leg L of exchange E"; kind: enum row_kind. The caller frees it. */
char *row_name(uint8_t kind, struct span key);
/* The number of a part's piece, from its key of PART_KEY_SIZE bytes. */
uint32_t row_piece_number(struct span key);
const char *row_part_name(uint8_t type); /* "request body" */
