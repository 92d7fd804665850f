#pragma once
/*
 * metrics - appends everything that /metrics shows, as Prometheus text. Main thread.
 *
 * The ledger's metrics are of one instant, so that recorded + dropped + excluded + pending =
 * completed.
 */
#include "base/buf.h"

struct shared;

void metrics_write(struct shared *s, struct buf *to);
