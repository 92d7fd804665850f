#pragma once
/*
 * mend - repairs a JSON text that was cut off within a string.
 */
#include "base/buf.h"

/*
 * Closes the string after its last complete character, so that its content can be read; the text
 * stays malformed. Any other text is returned unchanged. The result may be in *mended.
 */
struct span mend(struct span text, struct buf *mended);
