#pragma once
/*
 * row_name - describes rows in messages, by their keys; and the sizes of keys.
 */
#include <stdint.h>

#include "base/buf.h"

#define EXCHANGE_KEY_SIZE 16
#define LEG_KEY_SIZE 32
#define PART_KEY_SIZE 21

/* A text such as "answer L of exchange E", which the caller frees. kind: enum row_kind. */
char *row_name(uint8_t kind, struct span key);
/* The number n in a part's key (record.h), which has PART_KEY_SIZE bytes. */
uint32_t row_piece_number(struct span key);
const char *row_part_name(uint8_t type); /* such as "request body"; type: enum part_type */
