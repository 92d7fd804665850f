#pragma once
/*
 * record_columns - token columns as a msgpack map of bins; internal to the record module.
 */
#include "capture/record_field.h"
#include "reading/reading.h"

void record_put_columns(msgpack_packer *pk, const struct columns *c);
/* 0 or -EBADMSG; in either case the columns can and must be finished with columns_finish(). */
int record_get_columns(const msgpack_object *value, struct columns *c) MUST_CHECK;
