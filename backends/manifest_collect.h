#pragma once
/*
 * manifest_collect - the manifest of a running engine, and what a manifest says of its defaults.
 */
#include "backends/dialect.h"
#include "backends/identity.h"
#include "backends/transport/call.h"
#include "capture/manifest.h"

/*
 * Asks the engine by the dialect's facts, beside what identify() saw; model: NULL, the first one
 * named. Long values (templates) become their BLAKE2b-256 hash and length; flags that bear secrets
 * are told as "***". What the words of a fact source may be beside plain paths:
 *
 *	"*SUFFIX"       as the last part of a path: the first member whose name ends so
 *	"MEMBER:KEY"    a text of "KEY value" lines (an Ollama Modelfile's parameters)
 *	fact "flag.*"   each scalar member of the object becomes flag.NAME
 *	metric "NAME"   without a label: "yes" if there is such a series
 *
 * A path that begins with data.0 means the entry of the model, where the list has it.
 */
struct manifest *manifest_collect(struct call_line *c, const struct identity *i, const char *model);
/* The dialect that a manifest names; dialect_generic if the name is unknown. */
const struct dialect *manifest_dialect(const struct manifest *m);
/* The engine's sampling defaults as the engine states them; NaN where it does not. */
struct sampling manifest_sampling(const struct manifest *m);
/* What the engine's logprobs are of: by the fact decoding.logprobs, else as its dialect has it.
 * A fact in unknown words makes it unknown. */
enum logprobs_basis manifest_logprobs_basis(const struct manifest *m);
