// The same for tests with layers. The layers cost every compiled file a quarter of a second.
#include "etude/etude.h"
#include "support/precompiled.h"
