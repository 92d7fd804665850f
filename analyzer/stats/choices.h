#pragma once
/*
 * choices - a hash of the content of a choice.
 */
#include "answers/reading.h"

#define CHOICES_HASH_SIZE 16
/* A hash of text, refusal and tool calls without their ids. Equal for content that is equal byte
 * for byte. */
void choices_hash(const struct choice *c, uint8_t ret[CHOICES_HASH_SIZE]);
