#pragma once

// Stands for every header of Etude when tests, tutorials and examples are compiled against LibTorch with
// -Detude=torch: what LibTorch spells in another way or has in Python only.

#include <torch/torch.h>

#include <string>

#define ETUDE_MODULE TORCH_MODULE
#define ETUDE_MODULE_IMPL TORCH_MODULE_IMPL
#define ETUDE_ARG TORCH_ARG

namespace torch {

using c10::Error;
using c10::IndexError;
using c10::NotImplementedError;
using c10::str;
using c10::TypeError;
using c10::ValueError;

}  // namespace torch
