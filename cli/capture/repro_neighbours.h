#pragma once
/*
 * repro_neighbours - `plumbline repro DIR ID --neighbours`: sends or writes an exchange with its
 * neighbours, and prints the result.
 */
#include "replay/repro/neighbours.h"

/* Takes ownership of what *examined has. o->backend.to NULL: only writes o->pack. Returns an exit
 * code: EXIT_DIFFERENCE if the answer was wrong again; errors were printed. */
int repro_neighbours(
        struct capture *c, struct capture_exchange *examined, const struct neighbours_options *o);
