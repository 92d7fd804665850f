#pragma once
/*
 * mend - a JSON text that broke off in the midst of a string.
 */
#include "base/buf.h"

/*
 * Closes the string after its last whole character, so that what came of it is read; the text stays
 * malformed. Anything else is given back as it is. The mended text lies in *mended.
 */
struct span mend(struct span text, struct buf *mended);
