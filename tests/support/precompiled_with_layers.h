// The same for tests of what has layers: they cost every file that is compiled a quarter of a second.
#include "etude/etude.h"
#include "support/precompiled.h"
