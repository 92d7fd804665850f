#pragma once
/*
 * draft_reading - turns a draft into a reading: all the work that needs the complete answer.
 */
#include "answers/draft.h"

/* The reading takes over everything that the draft owns; the draft is then empty. The caller
 * destroys the reading. */
struct reading *draft_to_reading(struct draft *d);
