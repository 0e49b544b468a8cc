#pragma once

// Saving and loading of samplers (torch/data/samplers/serialize.h).
#include "etude/data/samplers/base.h"
#include "etude/io/archives.h"
