#pragma once

// Every public header of the framework.
#include "etude/autograd/autograd.h"
#include "etude/autograd/grad_mode.h"
#include "etude/core/array_ref.h"
#include "etude/core/dtype.h"
#include "etude/core/error.h"
#include "etude/core/generator.h"
#include "etude/core/options.h"
#include "etude/core/parallel.h"
#include "etude/core/scalar.h"
#include "etude/core/tensor.h"
#include "etude/io/print.h"
#include "etude/nn/nn.h"
#include "etude/onednn/backend.h"
#include "etude/ops/ops.h"
#include "etude/optim/sgd.h"
#include "etude/version.h"
