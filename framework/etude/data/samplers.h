#pragma once

#include "etude/data/samplers/base.h"
#include "etude/data/samplers/custom_batch_request.h"
#include "etude/data/samplers/distributed.h"
#include "etude/data/samplers/random.h"
#include "etude/data/samplers/sequential.h"
#include "etude/data/samplers/serialize.h"
#include "etude/data/samplers/stream.h"
