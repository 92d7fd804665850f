#pragma once
/*
 * choices - a hash of what a choice of an answer says.
 */
#include "answers/reading.h"

#define CHOICES_HASH_SIZE 16
/* Of what a choice says: text, refusal and tool calls, their ids apart. Equal for what is the
 * same byte for byte. */
void choices_hash(const struct choice *c, uint8_t ret[CHOICES_HASH_SIZE]);
