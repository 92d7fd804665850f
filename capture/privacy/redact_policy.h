#pragma once
/*
 * redact_policy - the struct behind the policy of redact.h. For the modules that redact only.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "capture/privacy/pattern.h"
#include "capture/privacy/redact.h"

struct redact_policy {
	atomic_uint refs;
	unsigned secrets;
	bool everything;
	struct pattern **patterns;
	size_t n_patterns;
	char ***members; /* each is a list of names, the innermost first, that ends with NULL */
	size_t n_members;
};
