#pragma once
/*
 * otel_parameters - converts the parameters of a span's chat to members of a request. One thread.
 */
#include "capture/formats/otel_attributes.h"

/* Appends members such as "\"temperature\":0.5,\"seed\":1"; nothing if there are none. False:
 * some had invalid values and are left out. */
bool otel_parameters_put(const struct otel_attributes *told, struct buf *to) MUST_CHECK;
