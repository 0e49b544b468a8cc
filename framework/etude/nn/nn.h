#pragma once

// The parts from which modules are built.
#include "etude/core/ordered_dict.h"
#include "etude/nn/activation_checkpoint.h"
#include "etude/nn/any_module.h"
#include "etude/nn/any_value.h"
#include "etude/nn/arg.h"
#include "etude/nn/cloneable.h"
#include "etude/nn/enums.h"
#include "etude/nn/eval_mode.h"
#include "etude/nn/functional.h"
#include "etude/nn/init.h"
#include "etude/nn/module.h"
#include "etude/nn/module_holder.h"
#include "etude/nn/utils.h"
