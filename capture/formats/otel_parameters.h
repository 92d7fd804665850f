#pragma once
/*
 * otel_parameters - how a span's chat was asked: members of a request beside its model and messages. One thread.
 */
#include "capture/formats/otel_told.h"

/* Appends "\"temperature\":0.5,\"seed\":1"; or nothing. False: some had values that they can't have, and are left out. */
bool otel_parameters_put(const struct otel_told *told, struct buf *to) MUST_CHECK;
