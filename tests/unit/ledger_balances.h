#pragma once
/* ledger_balances - checks the equation of a ledger's counts in tests. */
#include "capture/recorder/ledger.h"

/* True if recorded + dropped + excluded + pending = completed. */
static inline bool ledger_balances(const struct ledger_figures *f)
{
	uint64_t sum = f->recorded + f->pending;
	for (size_t i = 0; i < N_DROPS; i++) {
		sum += f->dropped[i];
	}
	for (size_t i = 0; i < N_EXCLUSIONS; i++) {
		sum += f->excluded[i];
	}
	return sum == f->completed;
}
