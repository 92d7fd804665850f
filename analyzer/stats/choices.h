#pragma once
/*
 * choices - a hash of the content of a choice.
 */
#include "answers/reading.h"

#define CHOICES_HASH_SIZE 16
/* A hash of text, refusal and tool calls (without their ids). Choices whose content is equal
 * byte for byte have equal hashes. */
void choices_hash(const struct choice *c, uint8_t ret[CHOICES_HASH_SIZE]);
