#pragma once
/*
 * manifest_collect - collects the manifest of a running engine, and reads from a manifest the
 * engine's dialect, sampling defaults and basis of logprobs.
 */
#include "backends/dialects/dialect.h"
#include "backends/engine_identity.h"
#include "backends/transport/call.h"
#include "capture/manifest.h"

/*
 * Asks the engine for the dialect's facts, in addition to what engine_detect() found, and waits for
 * the answers; c NULL: asks nothing. model: the model to ask about; NULL: the first one that i
 * lists. If i lists several installed ones (Ollama, LM Studio), there is then no model, and facts
 * about one are left out, as are facts that the engine does not state. Long values (templates)
 * become their BLAKE2b-256 hash and length; flags with secrets become "***". Never returns NULL;
 * the caller destroys the manifest. These forms of a fact source are special:
 *
 *	"*SUFFIX"       as the last part of a path: the first member whose name ends with SUFFIX
 *	"MEMBER:KEY"    a text with lines "KEY value" (an Ollama Modelfile's parameters)
 *	fact "flag.*"   each scalar member of the object becomes flag.NAME
 *	metric "NAME"   without a label: "yes" if there is such a series
 *
 * A path that begins with data.0 means the entry of the model, if the list has it.
 */
struct manifest *manifest_collect(
        struct call_line *c, const struct engine_identity *i, const char *model);
/* The dialect that a manifest names; dialect_generic if the name is unknown. */
const struct dialect *manifest_dialect(const struct manifest *m);
/* The sampling defaults that the engine states; NaN: it does not state them. */
struct sampling manifest_sampling(const struct manifest *m);
/* The distribution from which the engine's logprobs come: by the fact decoding.logprobs, else by
 * its dialect. An unknown value of the fact gives LOGPROBS_UNKNOWN. */
enum logprobs_basis manifest_logprobs_basis(const struct manifest *m);
