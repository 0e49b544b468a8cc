#include "support/example.h"

/// # What happens inside
///
/// What each op does, where a nan comes from, what a model is made of, and what its graph looks like.

/// The example prints only the first word of each line, because times depend on the machine.
///
/// - Units: seconds, FLOP and bytes, with the unit beside each number
/// - Errors: none of its own
/// - PyTorch: none
EXAMPLE(etude::explain) {
  const Tensor x = etude::ones({2, 3});
  std::ostringstream lines;
  etude::explain(lines);
  x.exp().sum();
  etude::explain(false);
  std::istringstream in(lines.str());
  for (std::string line; std::getline(in, line);) print(line.substr(0, line.find(' ')));
}

/// - Errors: `aten::log returned nan while what it was given holds none`, with the name of the op or node
/// - PyTorch: none
EXAMPLE(etude::trap_nan) {
  etude::trap_nan();
  print(examples::message_of([] { etude::tensor({1.0, -1.0}).log(); }));
  etude::trap_nan(false);
}

/// - Shapes: those that the model takes
/// - Units: elements, FLOP, bytes
/// - Errors: those of the model
/// - PyTorch: `torchinfo.summary`
EXAMPLE(etude::summary, etude::Summary, etude::SummaryRow) {
  nn::Sequential model(nn::Linear(3, 4), nn::ReLU(), nn::Linear(4, 2));
  const etude::Summary made = etude::summary(model, etude::ones({5, 3}));
  std::cout << made;
  const etude::SummaryRow& first = made.rows.at(1);
  print(first.path, first.type, first.parameters, made.parameters);
}

/// `svg` and `save` draw the same picture.
///
/// - Shapes: root [*]
/// - Errors: `element 0 of tensors does not require grad and does not have a grad_fn` where root has no graph;
///   `draw: expected a tensor, but got an undefined one`
/// - PyTorch: `torchviz.make_dot`
EXAMPLE(etude::draw, etude::Drawing) {
  const Tensor w = etude::ones({2}, etude::requires_grad(true));
  const etude::Drawing graph = etude::draw(w.exp().sum(), {{"w", w}});
  for (const auto& box : graph.boxes) print(box.level, box.title, box.note);
  print(graph.arrows.size(), graph.dot().substr(0, 7), graph.svg().substr(0, 4));
  print(etude::draw(nn::Sequential(nn::Linear(1, 1), nn::ReLU())).boxes.size());
}
