#pragma once
/*
 * repro_neighbours - `plumbline repro DIR ID --neighbours`: sends or writes an exchange with its
 * neighbours, and prints the result.
 */
#include "replay/repro/neighbours.h"

/* Takes over *examined; returns an exit code. */
int repro_neighbours(
        struct capture *c, struct capture_exchange *examined, const struct neighbours_options *o);
