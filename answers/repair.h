#pragma once
/*
 * repair - repairs a JSON text that was cut off within a string. Pure.
 */
#include "base/buf.h"

/*
 * Closes the string after its last complete character, so that its content can be read; the text
 * stays malformed. Returns any other text unchanged. The result points into text or *repaired.
 */
struct span repair_cut_json(struct span text, struct buf *repaired);
