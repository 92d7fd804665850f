#pragma once
/*
 * settle - turns a draft into a reading: does all the work that needs the complete answer.
 */
#include "answers/draft.h"

/* The reading takes over everything that the draft owns; the draft is then empty. */
struct reading *draft_settle(struct draft *d);
