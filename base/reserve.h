#pragma once
/*
 * reserve - memory held back for the moment at which malloc() gives none.
 *
 * What can't fail (base/mem.h) lets go of it piece by piece and asks again. From then on memory is *short*: the budget grants nothing
 * to copies and records, and no new request is let in, until the reserve is whole again, which whoever asks tries every 10 ms.
 * So what is under way comes to its end, and the process lives.
 *
 * A *room* is the same for one thread and one piece of work whose size a peer chose: it is asked for before the work begins, which is left
 * undone when there is none, and let go of should malloc() give nothing meanwhile, so that nobody else can have taken it.
 *
 * Both are mappings that are never touched: addresses, not memory. Any thread.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/check.h"

/* Once, before there are threads. Without it there is none, and never a shortage: commands that end, and say why, need none. */
void reserve_open(void);
bool reserve_is_short(void);
/* For base/mem.h: false: there is nothing left to let go of. */
bool reserve_let_go(void) MUST_CHECK;

/* What small allocations come to (MEM_SMALL) needs no room of its own: always true. Not twice at a time in one thread. */
bool room_enter(size_t bytes) MUST_CHECK;
/* So much more, within a room, for what turned out larger than it was. False: there is none, and the room is as it was. */
bool room_widen(size_t bytes) MUST_CHECK;
void room_leave(void);
