#pragma once
/*
 * json_repair - repairs a JSON text that was cut off within a string. Pure.
 */
#include "base/buf.h"

/*
 * Closes the string after its last complete character, so that its content can be read; the text
 * stays malformed. Returns any other text unchanged. The result points into text or *repaired.
 */
struct span json_repair_cut(struct span text, struct buf *repaired);
