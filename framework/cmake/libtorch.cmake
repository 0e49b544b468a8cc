# etude::libtorch: torch/torch.h and its kin for programs that were written for LibTorch. Their folder is on the include path
# of those alone that link it.
set(libtorch_headers
  ATen/ATen.h ATen/Context.h ATen/Functions.h ATen/Parallel.h ATen/TensorIndexing.h ATen/autocast_mode.h ATen/core/Tensor.h
  ATen/core/grad_mode.h ATen/core/ivalue.h c10/core/Device.h c10/core/DeviceType.h c10/core/Scalar.h c10/core/ScalarType.h
  c10/core/TensorOptions.h c10/macros/Macros.h c10/util/ArrayRef.h c10/util/BFloat16.h c10/util/Exception.h
  c10/util/Half.h
  c10/util/Optional.h c10/util/irange.h c10/util/string_view.h c10/util/tempfile.h torch/all.h torch/arg.h torch/autograd.h
  torch/cuda.h torch/csrc/WindowsTorchApiMacro.h torch/csrc/autograd/autograd.h torch/csrc/autograd/custom_function.h
  torch/csrc/autograd/function.h torch/csrc/autograd/grad_mode.h torch/csrc/autograd/variable.h torch/data.h
  torch/data/dataloader.h torch/data/dataloader_options.h torch/data/datasets.h torch/data/datasets/base.h
  torch/data/datasets/map.h torch/data/datasets/tensor.h torch/data/example.h torch/data/iterator.h torch/data/samplers.h
  torch/data/samplers/base.h torch/data/samplers/random.h torch/data/samplers/sequential.h torch/data/transforms.h
  torch/data/transforms/base.h torch/data/transforms/lambda.h torch/data/transforms/stack.h torch/enum.h torch/nn.h
  torch/nn/cloneable.h torch/nn/functional.h torch/nn/init.h torch/nn/module.h torch/nn/modules.h torch/nn/options.h
  torch/nn/pimpl.h torch/nn/utils.h torch/nn/utils/clip_grad.h torch/nn/utils/rnn.h torch/optim.h torch/optim/adagrad.h
  torch/optim/adam.h torch/optim/adamw.h torch/optim/optimizer.h torch/optim/rmsprop.h
  torch/optim/schedulers/lr_scheduler.h torch/optim/schedulers/step_lr.h torch/optim/sgd.h torch/ordered_dict.h
  torch/script.h torch/serialize.h torch/serialize/archive.h torch/serialize/input-archive.h
  torch/serialize/output-archive.h torch/serialize/tensor.h torch/types.h torch/utils.h torch/version.h)

set(libtorch_dir ${PROJECT_BINARY_DIR}/libtorch)
foreach(header ${libtorch_headers})
  file(CONFIGURE OUTPUT ${libtorch_dir}/${header} CONTENT "#pragma once\n#include <torch/torch.h>\n" @ONLY)
endforeach()

add_library(etude_libtorch INTERFACE)
add_library(etude::libtorch ALIAS etude_libtorch)
set_target_properties(etude_libtorch PROPERTIES EXPORT_NAME libtorch)
target_link_libraries(etude_libtorch INTERFACE etude)
target_include_directories(etude_libtorch INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/framework/libtorch>
  $<BUILD_INTERFACE:${libtorch_dir}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/etude/libtorch>)

install(TARGETS etude_libtorch EXPORT etudeTargets)
install(DIRECTORY framework/libtorch ${libtorch_dir} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/etude)
