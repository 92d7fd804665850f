#pragma once
/*
 * left_letters - the letters before a value's "=": signs of arithmetic among them, which are letters by their bytes,
 * and how many a name has. Pure.
 */
#include <stdbool.h>

#include "base/buf.h"

struct left_letters {
	size_t count;  /* marks aside ("f'", "x₁") */
	bool capitals; /* all of A to Z */
	bool formula;  /* all Latin or Greek: those that are multiplied without a sign */
};

/* Does it begin with a sign that is no ASCII ("²", "½", "√")? Its bytes, or 0. */
size_t left_letters_sign(struct span s);
void left_letters_count(struct span run, struct left_letters *ret);
