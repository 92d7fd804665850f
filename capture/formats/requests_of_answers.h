#pragma once
/*
 * requests_of_answers - reads a file of answers as requests: those that the answers belong to, each
 * once. If several backends answered a request, it is one request. One thread.
 */
#include "capture/formats/import_format.h"

/* Delivers to sink->request(). Returns 0, or -EIO: the file cannot be read. */
int requests_of_answers(const struct import_format *format, const struct format_file *f,
        const struct format_sink *sink);
