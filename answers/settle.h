#pragma once
/*
 * settle - a draft made into a reading: what can only be told of an answer that is whole.
 */
#include "answers/draft.h"

/* Hands everything over; the draft is empty then. */
struct reading *draft_settle(struct draft *d);
