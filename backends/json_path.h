#pragma once
/*
 * json_path - finds a member of a JSON text by a path with dots, such as "choices.0.text". Pure.
 */
#include "base/buf.h"

/* The last value at this path; empty: there is none. */
struct span json_path_find(struct span json, const char *path);
