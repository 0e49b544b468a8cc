#pragma once

// How samplers are saved and loaded (torch/data/samplers/serialize.h).
#include "etude/data/samplers/base.h"
#include "etude/io/archives.h"
