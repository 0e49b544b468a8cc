/// # Autograd from nothing
///
/// - You will be able to: differentiate a loss by hand from its end; write a tape that does it; say which numbers get a gradient, and find a wrong one
/// - You need: derivatives of sums and products
/// - Minutes: 60
/// - Result: on_tape
///
/// Training asks one question again and again: if this number were a little larger, how would
/// the loss change? For a model of a million numbers the question is asked a million times per
/// step, and yet the answer costs hardly more than the loss itself. This lesson shows why.
///
/// ```diagram A loss in four steps, and what comes back
/// w: weight 3 | x: input 2
/// u: (u = w x) | b: bias 1
/// y: (y = u + b) | t: target 5
/// e: (e = y - t)
/// loss: (L = e e)
/// back: dL/dw 8 | backb: dL/db 4
/// w -> u ; x -> u ; u -> y ; b -> y ; y -> e ; t -> e
/// e -> loss ; loss -> back ; loss -> backb
/// ```
///
/// It begins with the chain rule on paper, goes on with a tape of some forty lines that applies
/// the rule by itself, which is *backpropagation*, and counts what a pass forwards and a pass
/// backwards cost [1]. Then it turns to the graph of the framework, which is the same tape for
/// tensors [2]: what it remembers, when it forgets, how to leave it, and how to add a function of
/// your own. The next step after the tape is [mini](../docs/mini.md), where the same loop carries
/// tensors and a whole GPT. The last cells show what breaks: a gradient that is wrong, a graph
/// that is used twice, and a number that was changed too early.

#include "support/svg.h"
#include "support/tensors.h"
#include "support/tutorial.h"

using namespace tutorials;

//%% imports | What is needed
/// ```python
/// import torch
/// from torch.autograd import Function, grad, gradcheck
/// ```
#include <etude/etude.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using etude::print, etude::Tensor;
using etude::autograd::AutogradContext, etude::autograd::variable_list;

//%% end

int main(int argc, char** argv) try {
  Tutorial tutorial(argc, argv, "07_autograd");
  cell("imports", "What is needed");

  //%% by_hand | The chain rule by hand
  cell("by_hand", "The chain rule by hand");
  /// Here is a model of one weight and one bias, with the square of its error as the loss:
  ///
  /// $$u = w x \qquad y = u + b \qquad e = y - t \qquad L = e^2$$
  ///
  /// With $x = 2$, $w = 3$, $b = 1$ and the target $t = 5$ the loss is
  /// $(2 \cdot 3 + 1 - 5)^2 = 4$. The chain rule multiplies the derivatives of the steps between
  /// a number and the loss. Begin at the loss and work outwards, so that each line needs the line
  /// before it:
  ///
  /// $$\frac{dL}{de} = 2e \qquad \frac{dL}{dy} = \frac{dL}{de} \cdot 1 \qquad \frac{dL}{db} =
  /// \frac{dL}{du} = \frac{dL}{dy} \cdot 1 \qquad \frac{dL}{dw} = \frac{dL}{du} \cdot x$$
  ///
  /// ```python
  /// x, w, b, t = 2.0, 3.0, 1.0, 5.0
  /// u = w * x
  /// y = u + b
  /// e = y - t
  /// loss = e * e
  /// print("loss", loss)
  /// de = 2 * e
  /// dy = de
  /// db, du = dy, dy
  /// dw, dx = du * x, du * w
  /// print("de", de, "db", db, "dw", dw, "dx", dx)
  /// ```
  const double x = 2, w = 3, b = 1, t = 5;
  const double u = w * x;
  const double y = u + b;
  const double e = y - t;
  const double loss = e * e;
  print("loss", loss);
  const double de = 2 * e;
  const double dy = de;
  const double db = dy, du = dy;
  const double dw = du * x, dx = du * w;
  print("de", de, "db", db, "dw", dw, "dx", dx);

  //%% differences | Asking without knowing
  cell("differences", "Asking without knowing");
  /// There is a way to differentiate that needs no rule: change the number a little and see what
  /// happens. For $f(x) = x^3$ at 2 the answer should be 12. Here are two quotients:
  ///
  /// $$\frac{f(x + h) - f(x)}{h} = f' + O(h) \qquad \frac{f(x + h) - f(x - h)}{2h} = f' +
  /// O(h^2)$$
  ///
  /// A small $h$ makes the formula better and the subtraction worse: two numbers that agree in
  /// most of their digits leave few digits when they are subtracted. Each line below has the step
  /// and the two errors. They fall, the second one faster, and rise again.
  ///
  /// So differences are good for tests, but too slow and too rough for training: they are never
  /// exact, and they need two evaluations *per number*.
  ///
  /// ```python
  /// def f(x):
  ///     return x * x * x
  ///
  /// for h in (1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-11):
  ///     one = (f(2 + h) - f(2.0)) / h
  ///     two = (f(2 + h) - f(2 - h)) / (2 * h)
  ///     print(h, one - 12, two - 12)
  /// ```
  const auto f = [](double v) { return v * v * v; };
  for (const double h : {1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-11}) {
    const double one = (f(2 + h) - f(2.0)) / h;
    const double two = (f(2 + h) - f(2 - h)) / (2 * h);
    print(h, one - 12, two - 12);
  }

  //%% differences_plot | Neither too large nor too small
  cell("differences_plot", "Neither too large nor too small");
  /// The picture shows the same errors for many $h$, as powers of ten. Read it from the right:
  /// with each power of ten in $h$, one line falls by one power of ten and the other by two. That
  /// is $O(h)$ and $O(h^2)$. At the left, rounding takes over, and both climb as $h$ shrinks. The
  /// best step of the central difference is near $10^{-5}$, about the cube root of the rounding
  /// error of a double.
  ///
  /// ![Errors of two difference quotients over the step, both axes in powers of ten: each falls,
  /// then rises](differences.svg)
  LinePlot plot;
  plot.title = "Error of a difference quotient for x³ at 2";
  plot.description =
      "Powers of ten. The one-sided error is least near h = 1e-8, the central one near 1e-5.";
  plot.x_label = "log10 of the step h";
  plot.y_label = "log10 of the error";
  plot.series = {{"one-sided", {}}, {"central", {}}};
  for (int i = -48; i <= -4; ++i) {
    const double h = std::pow(10.0, i / 4.0);
    plot.x.push_back(i / 4.0);
    const double one = (f(2 + h) - f(2.0)) / h, two = (f(2 + h) - f(2 - h)) / (2 * h);
    plot.series[0].y.push_back(std::log10(std::max(std::abs(one - 12), 1e-14)));
    plot.series[1].y.push_back(std::log10(std::max(std::abs(two - 12), 1e-14)));
  }
  figure("differences.svg", draw(plot));

  //%% tape | A tape
  cell("tape", "A tape");
  /// A tape records every step of a computation while it happens [3]: the value, and for each
  /// input of the step its place on the tape and the *local* derivative. A product $a \cdot b$
  /// has the local derivatives $b$ and $a$, a sum has 1 and 1. Nothing else has to be known
  /// about a step.
  ///
  /// `gradients` reads the tape backwards. It holds, for every step, how much the result changes
  /// when this step's value does; the result itself starts with 1. Each step hands its share on
  /// to its inputs:
  ///
  /// $$\bar{u} \mathrel{+}= \bar{y} \cdot \frac{\partial y}{\partial u}$$
  ///
  /// The `+=` is the sum over all ways in which a number reaches the result.
  ///
  /// ```python
  /// class Tape:
  ///     def __init__(self):
  ///         self.steps = []
  ///
  ///     def add(self, value, *inputs):
  ///         self.steps.append((value, inputs))
  ///         return len(self.steps) - 1
  ///
  ///     def gradients(self, result):
  ///         shares = [0.0] * len(self.steps)
  ///         shares[result] = 1.0
  ///         for place in reversed(range(result + 1)):
  ///             for source, local in self.steps[place][1]:
  ///                 shares[source] += shares[place] * local
  ///         return shares
  ///
  /// class Number:
  ///     def __init__(self, tape, place):
  ///         self.tape, self.place = tape, place
  ///
  ///     def value(self):
  ///         return self.tape.steps[self.place][0]
  ///
  ///     def __add__(a, b):
  ///         return Number(a.tape, a.tape.add(
  ///             a.value() + b.value(), (a.place, 1.0), (b.place, 1.0)))
  ///
  ///     def __mul__(a, b):
  ///         return Number(a.tape, a.tape.add(
  ///             a.value() * b.value(),
  ///             (a.place, b.value()), (b.place, a.value())))
  ///
  /// def number(tape, value):
  ///     return Number(tape, tape.add(value))
  /// ```
  struct Step {
    double value;
    std::vector<std::pair<size_t, double>> inputs;  // where on the tape, local derivative
  };

  struct Tape {
    size_t add(double value, std::vector<std::pair<size_t, double>> inputs = {}) {
      steps.push_back({value, std::move(inputs)});
      return steps.size() - 1;
    }

    std::vector<double> gradients(size_t result) const {
      std::vector<double> shares(steps.size());
      shares[result] = 1;
      for (size_t place = result + 1; place-- > 0;) {
        for (const auto& [source, local] : steps[place].inputs)
          shares[source] += shares[place] * local;
      }
      return shares;
    }

    std::vector<Step> steps;
  };

  struct Number {
    double value() const { return tape->steps[place].value; }

    Number operator+(Number b) const {
      return {tape, tape->add(value() + b.value(), {{place, 1.0}, {b.place, 1.0}})};
    }

    Number operator*(Number b) const {
      return {tape, tape->add(value() * b.value(), {{place, b.value()}, {b.place, value()}})};
    }

    Tape* tape;
    size_t place;
  };

  const auto number = [](Tape& on, double value) { return Number{&on, on.add(value)}; };

  //%% on_tape | The same on the tape
  cell("on_tape", "The same on the tape");
  /// The formula is written as on paper, and the tape records it: four numbers that were given, a
  /// constant $-1$, and the steps. Each step is printed with its value and its share. The shares
  /// of $x$, $w$ and $b$ are those computed by hand. The step for $e$ stands in the square twice,
  /// and receives $e$ twice: $2e$.
  ///
  /// Change `weight` or `input`: each gradient is still what comes in times the local derivative.
  ///
  /// ```picture one_node One node of the tape, in both directions
  /// Two numbers enter a product from the left, and their product leaves it on the right.
  /// Backwards, the gradient of the product comes in from the right, and each number gets it times
  /// the local derivative, which is the value of the other number.
  /// ```
  ///
  /// ```python
  /// tape = Tape()
  /// x1, w1, b1, t1 = (number(tape, v) for v in (2.0, 3.0, 1.0, 5.0))
  /// minus = number(tape, -1.0)
  /// e1 = w1 * x1 + b1 + minus * t1
  /// loss1 = e1 * e1
  /// shares = tape.gradients(loss1.place)
  /// for place, (value, inputs) in enumerate(tape.steps):
  ///     print(place, "value", value, "gradient", shares[place])
  /// ```
  Tape tape;
  const Number x1 = number(tape, parameter("input", 2.0, -10.0, 10.0));
  const Number w1 = number(tape, parameter("weight", 3.0, -10.0, 10.0));
  const Number b1 = number(tape, 1), t1 = number(tape, 5), minus = number(tape, -1);
  const Number u1 = w1 * x1;
  const Number y1 = u1 + b1;
  const Number e1 = y1 + minus * t1;
  const Number loss1 = e1 * e1;
  const std::vector<double> shares = tape.gradients(loss1.place);
  for (size_t place = 0; place < tape.steps.size(); ++place)
    print(place, "value", tape.steps[place].value, "gradient", shares[place]);

  //%% cost | Why backwards
  cell("cost", "Why backwards");
  /// The chain rule is a product, and a product can be computed from either end. *Forwards*,
  /// each step is given the derivative of its value with respect to **one** input; one pass over
  /// the tape answers for this input and every step. *Backwards*, each step is given the
  /// derivative of **one** result with respect to it; one pass answers for this result and every
  /// input.
  ///
  /// A pass costs the same in both directions: one product per line between two steps. The number
  /// of passes decides. Below, the products are counted for a loss $\sum_i (w_i x_i)^2$ of $n$
  /// weights. Backwards, the cost grows in step with the loss; forwards, it grows with the
  /// square. A model has a million weights and one loss, so backwards is the way to go.
  ///
  /// ```python
  /// def forward_shares(tape, given):
  ///     d = [0.0] * len(tape.steps)
  ///     d[given] = 1.0
  ///     for place, (_, inputs) in enumerate(tape.steps):
  ///         for source, local in inputs:
  ///             d[place] += d[source] * local
  ///     return d
  ///
  /// for n in (1, 10, 100, 500):
  ///     tape = Tape()
  ///     weights = [number(tape, i / n) for i in range(1, n + 1)]
  ///     total = number(tape, 0.0)
  ///     for i, weight in enumerate(weights):
  ///         part = weight * number(tape, i + 1.0)
  ///         total = total + part * part
  ///     lines = sum(len(inputs) for _, inputs in tape.steps)
  ///     backward = tape.gradients(total.place)
  ///     agree = True
  ///     for weight in weights:
  ///         forward = forward_shares(tape, weight.place)[total.place]
  ///         agree &= abs(forward - backward[weight.place]) < 1e-6
  ///     print(n, "weights: backwards", lines,
  ///           "forwards", n * lines, agree)
  /// ```
  const auto forward_shares = [](const Tape& on, size_t given) {
    std::vector<double> d(on.steps.size());
    d[given] = 1;
    for (size_t place = 0; place < on.steps.size(); ++place) {
      for (const auto& [source, local] : on.steps[place].inputs) d[place] += d[source] * local;
    }
    return d;
  };
  for (const int n : {1, 10, 100, 500}) {
    Tape many;
    std::vector<Number> weights;
    for (int i = 1; i <= n; ++i) weights.push_back(number(many, static_cast<double>(i) / n));
    Number total = number(many, 0);
    for (int i = 0; i < n; ++i) {
      const Number part = weights[static_cast<size_t>(i)] * number(many, i + 1);
      total = total + part * part;
    }
    size_t lines = 0;
    for (const Step& step : many.steps) lines += step.inputs.size();
    const std::vector<double> backward = many.gradients(total.place);
    bool agree = true;
    for (const Number& weight : weights) {
      const double forward = forward_shares(many, weight.place)[total.place];
      agree = agree && std::abs(forward - backward[weight.place]) < 1e-6;
    }
    print(n, "weights: backwards", lines, "forwards", static_cast<size_t>(n) * lines, agree);
  }

  //%% order | Why in the reverse order
  cell("order", "Why in the reverse order");
  /// The tape is read from its end, step by step. Why not simply follow each path from the
  /// result to the inputs and add up the products? That gives the same numbers. But paths meet
  /// and part again, and their number multiplies: doubling a number $k$ times, $y_{k+1} = y_k +
  /// y_k$, has $k$ steps and $2^k$ paths.
  ///
  /// A step stands on the tape after everything that it uses. Read in reverse, it comes after
  /// everything that uses *it*: its share is complete when it is handed on, and each step is
  /// visited once. Any order with this property would do. A graph without a tape, such as the
  /// framework's, counts for each node how many gradients are still to come.
  ///
  /// ```python
  /// def count_paths(tape, place):
  ///     inputs = tape.steps[place][1]
  ///     if not inputs:
  ///         return 1
  ///     return sum(count_paths(tape, source) for source, _ in inputs)
  ///
  /// tape = Tape()
  /// y = number(tape, 1.0)
  /// for k in range(1, 17):
  ///     y = y + y
  ///     if k % 4 == 0:
  ///         print(k, "steps", count_paths(tape, y.place), "paths,",
  ///               "gradient", tape.gradients(y.place)[0])
  /// ```
  Tape doubling;
  const std::function<int64_t(size_t)> count_paths = [&](size_t place) {
    const Step& step = doubling.steps[place];
    int64_t paths = step.inputs.empty() ? 1 : 0;
    for (const auto& input : step.inputs) paths += count_paths(input.first);
    return paths;
  };
  Number doubled = number(doubling, 1);
  for (int k = 1; k <= 16; ++k) {
    doubled = doubled + doubled;
    if (k % 4 != 0) continue;
    print(k, "steps", count_paths(doubled.place), "paths,", "gradient",
          doubling.gradients(doubled.place)[0]);
  }

  //%% graph | The framework's graph
  cell("graph", "The framework's graph");
  /// Now tensors. A tensor that `requires_grad` is a *leaf* of the graph. Whatever is computed
  /// from it has a `grad_fn`: the node that knows how a gradient goes back through this op. The
  /// nodes are linked towards the leaves, which end in `AccumulateGrad`, the place that adds to
  /// `.grad`. There is no tape in one piece: each result owns the part of the graph behind it,
  /// and when the result goes, so does that part.
  ///
  /// Input and target need no gradient, and the edges to them are empty.
  ///
  /// ```python
  /// x, t = torch.tensor(2.0), torch.tensor(5.0)
  /// w = torch.tensor(3.0, requires_grad=True)
  /// b = torch.tensor(1.0, requires_grad=True)
  /// loss = (w * x + b - t).pow(2)
  /// print(loss)
  /// print(w.is_leaf, loss.is_leaf)
  ///
  /// def show(node, depth=0):
  ///     name = "(no gradient)"
  ///     if node:
  ///         name = node.name().split("::")[-1]
  ///     print("  " * depth + name)
  ///     if node:
  ///         for following, _ in node.next_functions:
  ///             show(following, depth + 1)
  ///
  /// show(loss.grad_fn)
  /// ```
  const auto with_grad = etude::TensorOptions().requires_grad(true);
  const Tensor tx = etude::tensor(2.0f), target = etude::tensor(5.0f);
  const Tensor tw = etude::tensor(3.0f, with_grad), tb = etude::tensor(1.0f, with_grad);
  const Tensor tloss = (tw * tx + tb - target).pow(2);
  print(tloss);
  print(tw.is_leaf(), tloss.is_leaf());

  using NodePointer = std::decay_t<decltype(tloss.grad_fn())>;
  const std::function<void(const NodePointer&, size_t)> show = [&](const NodePointer& node,
                                                                   size_t depth) {
    std::string name = node ? node->name() : "(no gradient)";
    if (name.find("::") != std::string::npos) name.erase(0, name.rfind("::") + 2);
    print(std::string(2 * depth, ' ') + name);
    if (!node) return;
    for (const auto& edge : node->next_edges()) show(edge.function, depth + 1);
  };
  show(tloss.grad_fn(), 0);

  //%% backward | Backward
  cell("backward", "Backward");
  /// `backward` starts with 1 at the loss and goes through the nodes in the reverse order of the
  /// ops. It returns nothing: the answers are in the leaves. They are the same as above.
  ///
  /// ```python
  /// loss.backward()
  /// print(w.grad, b.grad, x.grad)
  /// ```
  tloss.backward();
  print(tw.grad(), tb.grad(), tx.grad().defined() ? "a gradient" : "None");

  //%% accumulate | Gradients add up
  cell("accumulate", "Gradients add up");
  /// The gradient of a second loss of the same weight does not replace the 8 from above but is
  /// added to it: this is the same `+=` as on the tape. Thanks to it a large batch can be
  /// computed [in parts](#in_parts). It is also why training clears the gradients before each
  /// step: otherwise each step would follow the sum of all gradients so far.
  ///
  /// ```python
  /// for step in range(3):
  ///     (w * x).backward()
  ///     print(w.grad)
  /// w.grad = None
  /// (w * x).backward()
  /// print(w.grad)
  /// ```
  for (int step = 0; step < 3; ++step) {
    (tw * tx).backward();
    print(tw.grad());
  }
  tw.mutable_grad().reset();
  (tw * tx).backward();
  print(tw.grad());

  //%% in_parts | A batch in parts
  cell("in_parts", "A batch in parts");
  /// Take eight examples at once, or two at a time: the gradient of the sum is the sum of the
  /// gradients. If the loss is a mean, each part has to be weighted by its share of the batch.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// data = torch.randn(8, 3)
  /// weight = torch.randn(3, requires_grad=True)
  /// (data @ weight).pow(2).mean().backward()
  /// whole = weight.grad
  /// print(whole)
  /// weight.grad = None
  /// for part in data.split(2):
  ///     ((part @ weight).pow(2).mean() * (2 / 8)).backward()
  /// print(torch.allclose(weight.grad, whole))
  /// ```
  etude::manual_seed(0);
  const Tensor data = etude::randn({8, 3});            // eight examples
  const Tensor weight = etude::randn({3}, with_grad);  // [3]
  etude::matmul(data, weight).pow(2).mean().backward();
  const Tensor whole = weight.grad();
  print(whole);
  weight.mutable_grad().reset();
  for (const Tensor& part : data.split(2))
    (etude::matmul(part, weight).pow(2).mean() * (2.0 / 8)).backward();
  print(etude::allclose(weight.grad(), whole));

  //%% embedding_rows | Which words get a gradient
  cell("embedding_rows", "Which words get a gradient");
  /// An embedding is a table with a row of numbers for each word, and the id of a word says which
  /// row. Such a table is a leaf like any other. Here is the one of
  /// [lesson 1](01_loops.cpp#sentence_vectors), five rows drawn with the seed 0, and *the dog saw
  /// itself*, ids 3, 0, 2, 1. The loss is the sum of the squares of the sixteen numbers that were
  /// looked up, so the gradient of each number that was used is twice that number: row 3 begins
  /// with 2.7787, and the vector of *the* with 1.3894.
  ///
  /// Row 4 takes part in none of the steps between the table and the loss. Its gradient is zero:
  /// a word that does not occur learns nothing. An id cannot be a little larger, so the ids have
  /// no gradient at all.
  ///
  /// ```python
  /// torch.manual_seed(0)
  /// embedding = torch.nn.Embedding(5, 4)
  /// ids = torch.tensor([[3, 0, 2, 1]])
  /// embedding(ids).pow(2).sum().backward()
  /// print(embedding.weight.grad)
  /// print(torch.equal(embedding.weight.grad[3], 2 * embedding.weight[3]))
  /// ```
  etude::manual_seed(0);
  etude::nn::Embedding embedding(5, 4);
  const Tensor ids = etude::tensor({{3, 0, 2, 1}});  // [1, 4]
  embedding(ids).pow(2).sum().backward();            // embedding(ids) is [1, 4, 4]
  print(embedding->weight.grad());                   // [5, 4], as the table
  print(etude::equal(embedding->weight.grad()[3], 2 * embedding->weight[3]));

  //%% leave | Leaving the graph
  cell("leave", "Leaving the graph");
  /// There are two ways. `detach` gives the same numbers without their history: for the graph
  /// they are constants. In $w \cdot \mathrm{detach}(w)$ only the first factor is differentiated,
  /// so the gradient is 3 and not 6. Under `no_grad` nothing is recorded. It is meant for
  /// evaluation, which needs no backward, and for the update of a weight, which is not part of
  /// the loss.
  ///
  /// ```python
  /// w.grad = None
  /// (w * w.detach()).backward()
  /// print(w.grad)
  /// with torch.no_grad():
  ///     y = w * 2
  ///     w -= 0.1 * w.grad
  /// print(y.requires_grad, w.is_leaf, w)
  /// ```
  tw.mutable_grad().reset();
  (tw * tw.detach()).backward();
  print(tw.grad());
  {
    const etude::NoGradGuard no_grad;
    const Tensor outside = tw * 2;
    Tensor updated = tw;  // the same tensor
    updated -= 0.1 * tw.grad();
    print(outside.requires_grad(), tw.is_leaf(), tw);
  }

  //%% twice | The derivative of a derivative
  cell("twice", "The derivative of a derivative");
  /// Each node's backward is made of ops again. With `create_graph` they are recorded, and the
  /// gradient has a `grad_fn` of its own. For $x^4$ at 2 these are the value 16, then
  /// $4x^3 = 32$, $12x^2 = 48$, and $24x = 48$.
  ///
  /// ```python
  /// x = torch.tensor(2.0, requires_grad=True)
  /// y = x * x * x * x
  /// print(y)
  /// for order in range(3):
  ///     y, = grad(y, x, create_graph=True)
  ///     print(y.item(), y.grad_fn.name())
  /// ```
  const Tensor cx = etude::tensor(2.0f, with_grad);
  Tensor cy = cx * cx * cx * cx;
  print(cy);
  for (int order = 0; order < 3; ++order) {
    cy = etude::autograd::grad({cy}, {cx}, {}, etude::nullopt, true)[0];
    print(cy.item<float>(), cy.grad_fn()->name());
  }

  //%% straight_through | A function with a gradient of its own
  cell("straight_through", "A function with a gradient of its own");
  /// Rounding is flat almost everywhere: its derivative is 0, and nothing behind it learns.
  /// Models with rounded numbers can still be trained, with a gradient that is wrong on purpose:
  /// it passes as if the rounding were not there [4]. No op has such a gradient, so it is written
  /// by hand: `forward` computes, `backward` says what becomes of the gradient.
  ///
  /// `Cube` keeps its input for the backward, and its gradient is right. `Wrong` has a mistake in
  /// it, which is found below.
  ///
  /// ```python
  /// class RoundStraight(Function):
  ///     @staticmethod
  ///     def forward(ctx, x):
  ///         return torch.round(x)
  ///
  ///     @staticmethod
  ///     def backward(ctx, dy):
  ///         return dy
  ///
  /// class Cube(Function):
  ///     @staticmethod
  ///     def forward(ctx, x):
  ///         ctx.save_for_backward(x)
  ///         return x * x * x
  ///
  ///     @staticmethod
  ///     def backward(ctx, dy):
  ///         x, = ctx.saved_tensors
  ///         return dy * 3 * x * x
  ///
  /// class Wrong(Cube):
  ///     @staticmethod
  ///     def backward(ctx, dy):
  ///         x, = ctx.saved_tensors
  ///         return dy * 2 * x * x
  /// ```
  struct RoundStraight : etude::autograd::Function<RoundStraight> {
    static Tensor forward(AutogradContext*, const Tensor& x) { return etude::round(x); }
    static variable_list backward(AutogradContext*, variable_list dy) { return {dy[0]}; }
  };

  struct Cube : etude::autograd::Function<Cube> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x) {
      ctx->save_for_backward({x});
      return x * x * x;
    }
    static variable_list backward(AutogradContext* ctx, variable_list dy) {
      const Tensor x = ctx->get_saved_variables()[0];
      return {dy[0] * 3 * x * x};
    }
  };

  struct Wrong : etude::autograd::Function<Wrong> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x) {
      return Cube::forward(ctx, x);
    }
    static variable_list backward(AutogradContext* ctx, variable_list dy) {
      const Tensor x = ctx->get_saved_variables()[0];
      return {dy[0] * 2 * x * x};
    }
  };

  //%% rounded | Learning through a rounding
  cell("rounded", "Learning through a rounding");
  /// First comes the op itself: its gradient is zero. Then comes the function of this page: the
  /// gradient arrives, and a few steps of gradient descent bring the rounded number to its
  /// target 3.
  ///
  /// ```python
  /// z = torch.tensor([0.3], requires_grad=True)
  /// (torch.round(z) - 3).pow(2).sum().backward()
  /// print(z.grad)
  /// for step in range(5):
  ///     z.grad = None
  ///     rounded = RoundStraight.apply(z)
  ///     (rounded - 3).pow(2).sum().backward()
  ///     print(rounded.item(), z.grad.item())
  ///     with torch.no_grad():
  ///         z -= 0.25 * z.grad
  /// ```
  Tensor z = etude::tensor({0.3f}, with_grad);
  (etude::round(z) - 3).pow(2).sum().backward();
  print(z.grad());
  for (int step = 0; step < 5; ++step) {
    z.mutable_grad().reset();
    const Tensor rounded = RoundStraight::apply(z);
    (rounded - 3).pow(2).sum().backward();
    print(rounded.item<float>(), z.grad().item<float>());
    const etude::NoGradGuard no_grad;
    z -= 0.25 * z.grad();
  }

  //%% check_by_hand | What breaks: a wrong gradient
  cell("check_by_hand", "What breaks: a wrong gradient");
  /// A wrong gradient raises no error; the model merely learns a little worse. Differences find
  /// the mistake. The output shows, for three numbers in float64, the central difference, the
  /// gradient of `Cube`, which agrees, and that of `Wrong`, which is off by a third.
  ///
  /// ```python
  /// at = torch.tensor([-1.0, 0.5, 2.0], dtype=torch.float64)
  /// at.requires_grad_()
  /// h = 1e-6
  /// with torch.no_grad():
  ///     print((Cube.apply(at + h) - Cube.apply(at - h)) / (2 * h))
  /// print(grad(Cube.apply(at).sum(), at)[0])
  /// print(grad(Wrong.apply(at).sum(), at)[0])
  /// ```
  const Tensor at = etude::tensor({-1.0, 0.5, 2.0}, with_grad.dtype(etude::kDouble));
  const double h = 1e-6;
  {
    const etude::NoGradGuard no_grad;
    print((Cube::apply(at + h) - Cube::apply(at - h)) / (2 * h));
  }
  print(etude::autograd::grad({Cube::apply(at).sum()}, {at})[0]);
  print(etude::autograd::grad({Wrong::apply(at).sum()}, {at})[0]);

  //%% gradcheck | The same in one line
  cell("gradcheck", "The same in one line");
  /// `gradcheck` does this for every input and every output of a function, in float64, since
  /// float32 has too few digits for differences. Every op of the framework is tested this way.
  ///
  /// A check is only as good as its points: at 0 both functions have the gradient 0, and the
  /// mistake is not seen.
  ///
  /// ```python
  /// zero = torch.zeros(3, dtype=torch.float64, requires_grad=True)
  /// print(gradcheck(Cube.apply, (at,)))
  /// print(gradcheck(Wrong.apply, (at,), raise_exception=False))
  /// print(gradcheck(Wrong.apply, (zero,), raise_exception=False))
  /// ```
  const auto passes = [](Tensor (*function)(const Tensor&), const Tensor& input) {
    const etude::autograd::TensorFunction of_list = [function](const variable_list& inputs) {
      return function(inputs[0]);
    };
    return etude::autograd::gradcheck(of_list, {input}, 1e-6, 1e-5, 1e-3, false);
  };
  const auto cube = [](const Tensor& v) -> Tensor { return Cube::apply(v); };
  const auto wrong = [](const Tensor& v) -> Tensor { return Wrong::apply(v); };
  const Tensor zero = etude::zeros({3}, with_grad.dtype(etude::kDouble));
  print(passes(cube, at));
  print(passes(wrong, at));
  print(passes(wrong, zero));

  //%% retain | What breaks: a graph is used twice
  cell("retain", "What breaks: a graph is used twice");
  /// To go back through $w^2$, the graph keeps $w$. After the backward these values are freed,
  /// because a second backward is rare and memory is what training runs out of. A second backward
  /// is an error, unless the first one was given `retain_graph`. The weight is 2.7 by now, and
  /// each of the two backwards that succeed adds $2w = 5.4$.
  ///
  /// ```python
  /// w.grad = None
  /// square = w * w
  /// square.backward(retain_graph=True)
  /// square.backward()
  /// print(w.grad)
  /// try:
  ///     square.backward()
  /// except RuntimeError as error:
  ///     print("RuntimeError:", str(error).split(" (")[0])
  /// ```
  tw.mutable_grad().reset();
  const Tensor square = tw * tw;
  square.backward({}, true);
  square.backward();
  print(tw.grad());
  try {
    square.backward();
  } catch (const etude::Error& error) {
    const std::string text = error.what();
    print("RuntimeError:", text.substr(0, text.find(" (")));
  }

  //%% in_place | What breaks: a number changed too early
  cell("in_place", "What breaks: a number changed too early");
  /// The derivative of $e^v$ is $e^v$, so the graph keeps the result and needs no more. Adding 1
  /// to this very tensor destroys what was kept. Every tensor counts its changes, and the
  /// backward compares the count with the one that it remembers. It refuses to go on where it
  /// would otherwise give a wrong gradient.
  ///
  /// The last line does the same without harm: `+` makes a new tensor and leaves the old one.
  ///
  /// ```python
  /// v = torch.tensor(2.0, requires_grad=True)
  /// power = v.exp()
  /// power += 1
  /// try:
  ///     power.backward()
  /// except RuntimeError as error:
  ///     print("RuntimeError:", str(error).split(":")[0])
  /// (v.exp() + 1).backward()
  /// print(v.grad)
  /// ```
  const Tensor exponent = etude::tensor(2.0f, with_grad);
  Tensor power = exponent.exp();
  power += 1;
  try {
    power.backward();
  } catch (const etude::Error& error) {
    const std::string text = first_line(error.what());
    print("RuntimeError:", text.substr(0, text.find(':')));
  }
  (exponent.exp() + 1).backward();
  print(exponent.grad());

  //%% exercise1 | Two gradients by hand
  cell("exercise1", "Two gradients by hand");
  /// The model of [the chain rule by hand](#by_hand) with another weight: $x = 2$, $w = 1$,
  /// $b = 1$ and the target $t = 5$. Compute $dL/dw$ and $dL/db$ on paper and set `dw_now` and
  /// `db_now`.
  {
    double dw_now = 0, db_now = 0;
    //%% answer
    /// The error is $e = 1 \cdot 2 + 1 - 5 = -2$, so $dL/db = 2e = -4$ and $dL/dw = 2e\,x = -8$.
    ///
    /// ```python
    /// dw_now, db_now = -8.0, -4.0
    /// print(dw_now, db_now)
    /// ```
    dw_now = -8;
    db_now = -4;
    //%% end answer
    const Tensor one = etude::tensor(1.0f, with_grad), bias = etude::tensor(1.0f, with_grad);
    (one * 2 + bias - 5).pow(2).backward();
    expect(db_now == bias.grad().item<double>(), "the gradient of the bias is twice the error");
    expect(dw_now == one.grad().item<double>(), "the weight has the input as a factor too");
    print(dw_now, db_now);
  }

  //%% exercise2 | Parts of unequal size
  cell("exercise2", "Parts of unequal size");
  /// The eight examples of [a batch in parts](#in_parts) come as three and five. Give `share` the
  /// right value, so that the two gradients add up to `whole`, the gradient of the mean over all
  /// eight.
  {
    weight.mutable_grad().reset();
    for (const Tensor& part : {data.slice(0, 0, 3), data.slice(0, 3, 8)}) {
      double share = 1;
      //%% answer
      /// The mean of a part divides by the size of the part, and should divide by 8.
      ///
      /// ```python
      /// weight.grad = None
      /// for part in (data[:3], data[3:]):
      ///     share = len(part) / 8
      ///     ((part @ weight).pow(2).mean() * share).backward()
      /// print(weight.grad)
      /// ```
      share = static_cast<double>(part.size(0)) / 8;
      //%% end answer
      (etude::matmul(part, weight).pow(2).mean() * share).backward();
    }
    expect(etude::allclose(weight.grad(), whole), "the parts add up to the whole");
    print(weight.grad());
  }

  //%% exercise3 | A division for the tape
  cell("exercise3", "A division for the tape");
  /// The tape can add and multiply. With $1/a$ as a third step it can divide, since
  /// $b / a = b \cdot (1/a)$. The step is there; set its local derivative, `local`.
  {
    const auto reciprocal = [](Number a) {
      double local = 0;
      //%% answer
      /// The derivative of $1/a$ is $-1/a^2$. Nothing else has to be known about the step.
      ///
      /// ```python
      /// def reciprocal(a):
      ///     local = -1 / (a.value() * a.value())
      ///     return Number(a.tape, a.tape.add(1 / a.value(), (a.place, local)))
      ///
      /// division = Tape()
      /// three, four = number(division, 3.0), number(division, 4.0)
      /// quotient = three * reciprocal(four)
      /// d = division.gradients(quotient.place)
      /// print(quotient.value(), d[three.place], d[four.place])
      /// ```
      local = -1 / (a.value() * a.value());
      //%% end answer
      return Number{a.tape, a.tape->add(1 / a.value(), {{a.place, local}})};
    };
    Tape division;
    const Number three = number(division, 3), four = number(division, 4);
    const Number quotient = three * reciprocal(four);
    const std::vector<double> d = division.gradients(quotient.place);
    const double step = 1e-6, measured = (3 / (4 + step) - 3 / (4 - step)) / (2 * step);
    expect(d[four.place] != 0, "the quotient changes when the 4 does");
    expect(std::abs(d[four.place] - measured) < 1e-6, "a difference quotient agrees");
    print(quotient.value(), d[three.place], d[four.place]);
  }

  //%% summary
  /// 1. The chain rule, done from the loss outwards, needs one pass for all inputs of one loss.
  /// 2. A tape keeps for each step its inputs and its local derivatives, and shares add up where ways meet.
  /// 3. Gradients are added to what a leaf has already, so training clears them.
  /// 4. A row of an embedding that no id picks has gradient zero.
  /// 5. A wrong gradient raises no error, but differences in float64 find it.
  //%% references
  /// 1. A. G. Baydin et al., [Automatic Differentiation in Machine Learning: a Survey](https://arxiv.org/abs/1502.05767), 2018, section 3
  /// 2. PyTorch, [Autograd mechanics](https://pytorch.org/docs/1.13/notes/autograd.html)
  /// 3. R. E. Wengert, [A Simple Automatic Derivative Evaluation Program](https://doi.org/10.1145/355586.364791), 1964
  /// 4. Y. Bengio, N. Léonard, A. Courville, [Estimating or Propagating Gradients Through Stochastic Neurons for Conditional Computation](https://arxiv.org/abs/1308.3432), 2013
  //%% end
  return tutorial.finish();
} catch (const std::exception& error) {
  return report(error);
}
