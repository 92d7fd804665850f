#include "replay/in_flight_limit.h"

#include "base/descriptors.h"

#define SPARE_FDS 128
#define PLACES_LIMIT 65536

unsigned in_flight_limit(void)
{
	unsigned fds = descriptors_raise_limit();
	return fds > 2 * SPARE_FDS ? MIN(fds - SPARE_FDS, PLACES_LIMIT) : 16;
}
