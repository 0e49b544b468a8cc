// docs/compatibility.md lists what the public headers declare: all of it, and nothing else.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const found = (text, pattern) => [...text.matchAll(pattern)].map(([, ...names]) => names.find(Boolean));
const sorted = (names) => [...new Set(names)].sort();

// The names set as code in the part of the page between two texts.
const page = read("docs/compatibility.md");
const listed = (from, to) => {
  const begin = page.indexOf(from) + from.length;
  assert.ok(begin >= from.length && page.indexOf(to, begin) > begin, `the page has no part from ${from} to ${to}`);
  return sorted(found(page.slice(begin, page.indexOf(to, begin)), /`(\w+)`/g));
};

const functionsIn = (text) => found(text, /^ETUDE_API [^(=;]*?\b(\w+)\(/gm).filter((name) => name !== "operator");
const functions = (path) => functionsIn(read(path));
// The same with what is defined where it is declared, or is the op itself.
const functionalIn = (text) => [...functionsIn(text), ...found(text, /^inline Tensor (\w+)\(|^using etude::(\w+);/gm)];

// The public methods of a class, with those that the macros for families of methods declare.
function methods(path, name) {
  const [body] = read(path).split(new RegExp(`^class ETUDE_API ${name} .*\\{`, "m"))[1].split(/^ (?:protected|private):/m);
  const declarations = body.replace(/^#define(?:.*\\\n)*.*$/gm, "").replace(/^(?:.*(?:using|explicit|friend|static|operator)| *return).*$/gm, "");
  const plain = found(declarations, /^ {2}[\w:<>,&* ]*?[\w>&*] [&*]?(\w+)\((?:[^;{]|\{\})*\)[ \w]*(?:;| \{)/gm);
  const families = found(body, /(?<=^ *|\) )ETUDE_(?:UNARY|BINARY)_METHOD\((\w+)\)/gm).flatMap((one) => [one, `${one}_`]);
  return sorted([...plain, ...families]);
}

// What ops.h and the headers of ops that it and framework.h include declare, without what only Etude has.
const own = listed("\n## Only here", "\n## Two versions").concat(found(page, /`(\w+)`, `added_to_scores`/g));
const included = found(read("framework/etude/ops/ops.h") + read("framework/etude/framework.h"),
  /^#include "(etude\/ops\/(?!autocast|ops|out)\w+\.h)"/gm);
const inRoot = (name) => ["framework/", "framework/extras/"].map((root) => root + name).find((path) => existsSync(new URL(`../../../${path}`, import.meta.url)));
const ops = ["etude/ops/ops.h", ...included].map(inRoot);
const outs = found(read("framework/extras/etude/ops/out.h"), /^ETUDE_OUT\(\w+, (\w+)|(?<=\) )ETUDE_OUT\(\w+, (\w+)/gm).map((name) => `${name}_out`);
const inlined = (path) => found(read(path), /^inline (?:std::\w+<.*?> |bool |int64_t |Tensor&? )(\w+)\(/gm);
const bitwise = found(read("framework/etude/ops/operators.h"), /^ETUDE_BITWISE\(.*, (\w+)\)/gm);
const free = sorted([...ops.flatMap(functions), ...[...ops, "framework/extras/etude/ops/out.h"].flatMap(inlined), ...outs, ...bitwise, "tensor"])
  .filter((name) => !own.includes(name));

test("the functions", () => {
  assert.deepEqual(listed("## Functions", "The operators"), free);
});

test("the methods of Tensor that are no functions", () => {
  const isFunction = (name) => free.includes(name) || free.includes(name.replace(/_$/, ""));
  const privates = ["unsafeGetTensorImpl", "adopt"];
  const others = methods("framework/etude/core/tensor.h", "Tensor").filter((name) => !isFunction(name) && !privates.includes(name));
  const notMethods = ["Slice", "None", "Ellipsis", "accessor"];  // the last is a template
  assert.deepEqual(listed("which end with `_`; and:", "## Modules").filter((name) => !notMethods.includes(name)), others);
});

test("the modules and their functions", () => {
  const headers = ["layers/etude/", "framework/extras/etude/"].flatMap((folder) =>
    readdirSync(new URL(`../../../${folder}`, import.meta.url)).filter((name) => name.endsWith(".h")).map((name) => folder + name));
  const declared = headers.flatMap((path) =>
    found(read(path), /^ETUDE_(?:MODULE(?:_OF_[A-Z_]+)?|(?:CONSTANT_)?PAD)\((\w+)|^class (\w+) : public ModuleHolder</gm),
  );
  const notModules = ["KeyValueCache", "Positions", "AxesLengths", "CheckpointOptions", "DictEntry", "GenericDict", "HookListener",
                      "RemovableHandle", "RotaryScaling", "QuantizedWeight"];
  const ofUsers = listed("`class_name`; buffers that are not persistent", "| `generate`").filter((name) => /^[A-Z]/.test(name) && !notModules.includes(name));
  assert.deepEqual(sorted([...listed("`etude::nn`:", ", each with its options"), ...ofUsers]), sorted(declared));
  const functional = ["", "/activation", "/conv", "/distance", "/loss", "/padding", "/upsampling"].map((part) => inRoot(`etude/nn/functional${part}.h`));
  const besideLayers = headers.flatMap((path) =>
    read(path).split(/namespace (?:etude::nn::)?functional \{/).slice(1).flatMap((rest) => functionalIn(rest.split("}  // namespace")[0])),
  );
  assert.deepEqual(sorted([...listed("`etude::nn::functional`:", "`etude::nn::init`"), ...found(page, /`functional::(\w+)`/g)]),
                   sorted([...functional.flatMap((path) => functionalIn(read(path).split("}  // namespace functional")[0])), ...besideLayers]));
  assert.deepEqual(listed("`etude::nn::init`:", "`etude::nn::utils`"), sorted(functions("framework/etude/nn/init.h")).filter((name) => !["trunc_normal_", "is_skipped", "set_skipped"].includes(name)));
  assert.deepEqual(listed("`etude::nn::utils`:", "- `etude::nn::utils::rnn`:"), sorted(functions("framework/etude/nn/utils.h")).filter((name) => name !== "consume_prefix_in_state_dict_if_present"));
});

test("the optimizers and schedules", () => {
  const headers = ["optim/", "optim/schedulers/"].flatMap((folder) =>
    readdirSync(new URL(`../../../framework/etude/${folder}`, import.meta.url))
      .filter((name) => name.endsWith(".h"))
      .map((name) => `framework/etude/${folder}${name}`),
  );
  const declared = headers.flatMap((path) => found(read(path), /^class ETUDE_API (\w+)(?= \{| : public (?:Optimizer|OptimizerOf<.*>|LRScheduler|FactorLR|ReduceLROnPlateau) \{)/gm));
  const bases = ["OptimizerOptions", "OptimizerParamGroup", "OptimizerParamState", "OptimizerOf", "FactorLR", "Named"];
  const own = listed("functions take a `variable_list` |", "`LRScheduler::last_epoch`");
  assert.deepEqual(sorted([...listed("`etude::optim`:", "`etude::autograd`"), ...own]),
                   sorted(declared).filter((name) => !bases.includes(name)));
});

test("data", () => {
  const folder = new URL("../../../framework/etude/data/", import.meta.url);
  const headers = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".h") && !/detail|workers/.test(name));
  const declared = headers.flatMap((name) => found(read(`framework/etude/data/${name}`), /^(?:class|struct) (?:ETUDE_API )?(\w+)(?= \{|$|;| final| : public)|^using (\w+) =|^ETUDE_API [^(]*?\b(\w+)\(|\b(make_\w+|map)\((?:Dataset|D|Args)/gm));
  const notListed = ["DataLoaderBase", "MapDataset", "Tokens", "TokenWriter", "TokenWindows", "write_tokens", "NoTarget", "optional_if_t", "is_optional", "OutputArchive", "InputArchive"];
  assert.deepEqual(sorted(listed("`etude::data`:", "- `NoGradGuard`").filter((name) => name !== "MapDataset")),
                   sorted(declared).filter((name) => !notListed.includes(name)));
});

test("the methods of Module", () => {
  const own = ["folds_children", "state_dict", "load_state_dict", "check_state_dict", "extra_repr", "class_name", "replace_parameter", "has_hooks",
                  "register_forward_pre_hook", "register_forward_hook", "register_full_backward_hook"];
  assert.deepEqual(listed("Methods of `Module`:", "`etude::nn::functional`"),
                   methods("framework/etude/nn/module.h", "Module").filter((name) => !own.includes(name)));
});
