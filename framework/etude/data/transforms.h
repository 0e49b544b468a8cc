#pragma once

#include "etude/data/transforms/base.h"
#include "etude/data/transforms/collate.h"
#include "etude/data/transforms/lambda.h"
#include "etude/data/transforms/stack.h"
#include "etude/data/transforms/tensor.h"
