#pragma once
/*
 * choice_hash - a hash of the content of a choice: text, refusal and tool calls without their ids.
 * XXH3, 128 bits, in the machine's byte order: only for comparing choices within one process. An
 * attacker can make two choices with equal hashes. Pure.
 */
#include "answers/reading.h"

#define CHOICE_HASH_SIZE 16
/* Choices whose content is equal byte for byte have equal hashes. Reasoning outside of the text
 * does not count. */
void choice_hash(const struct choice *c, uint8_t ret[CHOICE_HASH_SIZE]);
