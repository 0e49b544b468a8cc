#pragma once

// Stands for every header of Etude when tests, tutorials and examples are compiled against LibTorch with
// -Detude=torch: what LibTorch spells in another way or has in Python only.

#include <torch/torch.h>

#include <string>

#define ETUDE_MODULE TORCH_MODULE
#define ETUDE_MODULE_IMPL TORCH_MODULE_IMPL
#define ETUDE_ARG TORCH_ARG
#define ETUDE_CHECK TORCH_CHECK
#define ETUDE_CHECK_INDEX TORCH_CHECK_INDEX
#define ETUDE_CHECK_VALUE TORCH_CHECK_VALUE
#define ETUDE_CHECK_TYPE TORCH_CHECK_TYPE
#define ETUDE_CHECK_WITH TORCH_CHECK_WITH

namespace torch {

using c10::Error;
using c10::IndexError;
using c10::NotImplementedError;
using c10::str;
using c10::TypeError;
using c10::ValueError;
using caffe2::TypeMeta;

namespace detail {
using at::detail::getDefaultCPUGenerator;
}

}  // namespace torch
