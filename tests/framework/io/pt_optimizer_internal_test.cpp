// The names of an optimizer, converted and back; pt_test.cpp tests whole files of optimizers.
#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "etude/io/detail/pt_file.h"
#include "etude/ops/ops.h"

using namespace etude;

TEST_SUITE("LibTorch's names of an optimizer") {
  namespace {

  using Object = std::shared_ptr<detail::PtObject>;

  Object optimizer() {
    auto root = std::make_shared<detail::PtObject>(), groups = std::make_shared<detail::PtObject>(),
         group = std::make_shared<detail::PtObject>(), states = std::make_shared<detail::PtObject>(),
         state = std::make_shared<detail::PtObject>();
    group->insert("lr", IValue(0.5));
    group->insert("params", IValue(std::vector<int64_t>{0, 1}));
    state->insert("step", IValue(3));
    states->insert("1", state);
    groups->insert("0", group);
    root->insert("state", states);
    root->insert("param_groups", groups);
    return root;
  }

  }  // namespace

  TEST_CASE("they stand beside the own ones, and are taken out again") {
    const Object root = optimizer();
    detail::add_libtorch_optimizer(*root);
    CHECK(root->find("pytorch_version")->value.toStringRef() == "1.5.0");
    const detail::PtObject& groups = *root->find("param_groups")->object;
    CHECK(groups.find("param_groups/size")->value.toTensor().item<int64_t>() == 1);
    const detail::PtObject& group = *groups.find("param_groups/0")->object;
    CHECK(group.find("params/1")->value.toStringRef() == "1");
    CHECK(group.find("options")->object->find("lr")->value.toDouble() == 0.5);
    detail::replace_libtorch_optimizer(*root);
    CHECK(groups.size() == 1);
    CHECK(groups.front().key() == "0");
  }

  TEST_CASE("alone they become the own ones") {
    const Object root = optimizer();
    detail::add_libtorch_optimizer(*root);
    detail::PtObject& groups = *root->find("param_groups")->object;
    groups.erase("0");
    detail::replace_libtorch_optimizer(*root);
    REQUIRE(groups.size() == 1);
    const detail::PtObject& group = *groups.find("0")->object;
    CHECK(group.find("params")->value.toIntVector() == std::vector<int64_t>{0, 1});
    CHECK(group.find("lr")->value.toDouble() == 0.5);
    CHECK(root->find("state")->object->find("1")->object->find("step")->value.toInt() == 3);
  }

  TEST_CASE("what is no optimizer stays as it is") {
    detail::PtObject other;
    other.insert("state", IValue(1));
    detail::add_libtorch_optimizer(other);
    detail::replace_libtorch_optimizer(other);
    CHECK(other.size() == 1);
  }
}
