#pragma once
/*
 * metrics - all counts and gauges of the proxy as Prometheus text (version 0.0.4). Any thread.
 *
 * For each book of the ledger, of one scrape: recorded + dropped + excluded + pending = completed.
 */
#include "base/buf.h"

struct shared;

void metrics_write(struct shared *s, struct buf *to);
