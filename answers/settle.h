#pragma once
/*
 * settle - turns a draft into a reading, with all that needs the complete answer.
 */
#include "answers/draft.h"

/* The reading takes over everything; the draft is then empty. */
struct reading *draft_settle(struct draft *d);
