#pragma once
/*
 * json_path - finds a member of a JSON text by a path with dots, such as "choices.0.text". Pure.
 */
#include "base/buf.h"

/* The value at this path, of duplicate members the last; a part of json. Empty: there is none. */
struct span json_path_find(struct span json, const char *path);
