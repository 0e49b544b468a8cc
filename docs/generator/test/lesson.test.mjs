import assert from "node:assert/strict";
import { test } from "node:test";
import { drawDiagram, parseDiagram } from "../diagram.mjs";
import { indexPage } from "../home.mjs";
import { checkLesson } from "../lesson.mjs";
import { markdownRenderer } from "../markdown.mjs";
import { tutorialPage } from "../page.mjs";
import { parseTutorial } from "../parse.mjs";

const exercise = (n) => `  //%% exercise${n} | Task ${n}
  cell("exercise${n}", "Task ${n}");
  /// What to do [1].
  {
    int given = ${n};
    //%% answer
    /// Why.
    ///
    /// \`\`\`python
    /// given = 7
    /// \`\`\`
    given = 7;
    //%% end answer
    print(given);
  }
`;
const complete = `/// # A lesson
///
/// - You will be able to: do this; do that
///   and more
/// - You need: [another](01_x.cpp), patience
/// - Minutes: 25
/// - Result: a
///
/// The idea.
///
/// \`\`\`diagram From a to b
/// a: a thing [2]
/// b: (an operation) [2]
/// \`\`\`

int main() {
  //%% a | A
  cell("a", "A");
  /// Text.
  f();

${[1, 2, 3].map(exercise).join("\n")}
  //%% summary
  /// 1. One.
  /// 2. Two.
  /// 3. Three.
  /// 4. Four.
  /// 5. Five.
  //%% references
  /// 1. A. Author, [A paper](https://arxiv.org/abs/1706.03762), 2017
  //%% end
}
`;
const parse = (text = complete) => parseTutorial(text, "08_a.cpp");
const renderer = () => markdownRenderer({ figure: () => "", link: (href) => href });

function page(lesson = parse()) {
  const markdown = renderer();
  const block = (text, line, options) => markdown.block(text, { references: 1, ...options });
  const outputs = { a: "1\n2\n", exercise1: "7\n", exercise2: "7\n", exercise3: "7\n" };
  return tutorialPage({ tutorial: { ...lesson, name: "08_a", file: "tutorials/08_a.cpp", description: "", block }, outputs, site: { tutorials: [{ name: "08_a" }] }, markdown });
}

test("a lesson's facts, exercises, summary and references are read", () => {
  const { facts, cells, summary, references } = parse();
  assert.deepEqual(facts.outcomes, ["do this", "do that and more"]);
  assert.deepEqual([facts.minutes, facts.result], [25, "a"]);
  assert.equal(cells[1].rows[0].code, "int given = 1;\n// your lines\nprint(given);");
  assert.equal(cells[1].answer[0].code, "given = 7;");
  assert.match(summary.text, /^1\. One\./);
  assert.match(references.text, /arxiv/);
  checkLesson(parse(), "08_a.cpp");
});

test("what a lesson lacks is said with its file and line", () => {
  const lacks = (pattern, from, to) => {
    const text = complete.replace(from, to);
    assert.notEqual(text, complete);
    assert.throws(() => checkLesson(parse(text), "08_a.cpp"), pattern);
  };
  lacks(/08_a\.cpp:\d+: no diagram in the introduction/, "```diagram From a to b", "```text");
  lacks(/08_a\.cpp:\d+: the summary has to be an ordered list of five sentences, got 4/, "  /// 5. Five.\n", "");
  lacks(/08_a\.cpp:\d+: there have to be exercise1, exercise2 and exercise3/, exercise(3), "");
  lacks(/08_a\.cpp:\d+: this reference has no link/, "[A paper](https://arxiv.org/abs/1706.03762)", "A paper");
  lacks(/08_a\.cpp:\d+: the third fact has to be `- Minutes: \.\.\.`/, "/// - Minutes: 25\n", "");
  lacks(/08_a\.cpp:\d+: .*exercise2 has no answer/, exercise(2), exercise(2).replace(/ *\/\/%% (end )?answer\n/g, ""));
  assert.throws(() => parse(complete.replace("//%% end answer", "")), /08_a\.cpp:\d+: `\/\/%% end answer` is missing/);
});

test("a page of a lesson shows what comes out first, and folds the answers", () => {
  const html = page();
  assert.match(html, /<dt>You will be able to<\/dt><dd><ul><li>do this<\/li><li>do that and more<\/li>/);
  assert.match(html, /<figure class="shown"><figcaption><a href="#a">Result<\/a><\/figcaption><pre>1\n2<\/pre>/);
  assert.match(html, /<details class="answer"><summary>Answer<\/summary>\n<p>Why\.<\/p>[\s\S]*?given = <[\s\S]*?Output<\/figcaption><pre>7<\/pre>/);
  assert.equal(html.match(/<details class="answer">/g).length, 3);
  assert.match(html, /<a class="cite" href="#reference-1">\[1\]<\/a>/);
  assert.match(html, /<li id="reference-1">/);
  assert.match(html, /<svg class="diagram"[\s\S]*<figcaption>From a to b<\/figcaption>/);
});

test("a reference that does not exist is an error, and one in code is none", () => {
  const { block } = renderer();
  assert.throws(() => block("See [2].", { references: 1 }), /there is no reference \[2\]/);
  assert.match(block("`x[2]` and [1]", { references: 1 }), /<code class="kept">x\[2\]<\/code> and <a class="cite"/);
  assert.equal(block("[2]", {}), "<p>[2]</p>\n");
});

test("a diagram's boxes stand in rows, and arrows lead from row to row where none is given", () => {
  const { rows, arrows } = parseDiagram("a: one [2, 3]\nb: (two) | c: three");
  assert.deepEqual(rows.map((row) => row.map(({ name, label, shape, operation }) => [name, label, shape, operation])), [
    [["a", "one", "[2, 3]", false]],
    [["b", "two", "", true], ["c", "three", "", false]],
  ]);
  assert.deepEqual(arrows.map(({ from, to }) => from.name + to.name), ["ab", "ac"]);
});

test("a diagram that cannot be drawn says why and where", () => {
  const fails = (text, pattern) => assert.throws(() => parseDiagram(text), pattern);
  fails("a: one\na -> b", /line 2 of the diagram: there is no box "b"/);
  fails("a: one\na: two", /line 2 of the diagram: there are two boxes "a"/);
  fails("a: a text that is much too long", /line 1 of the diagram: more than 22 letters/);
  fails("a: x | b: x | c: x | d: x | e: x", /more than four boxes/);
  fails("one", /a box is `name: text \[shape\]`/);
  fails("", /no box/);
});

/** The boxes and arrows of a drawing, as numbers. */
function geometry(svg) {
  const boxes = [...svg.matchAll(/<rect class="\w+" x="([-\d.]+)" y="([-\d.]+)" width="([-\d.]+)" height="([-\d.]+)"/g)].map((m) => m.slice(1).map(Number));
  const paths = [...svg.matchAll(/<path d="M([^"]+)" marker/g)].map(([, d]) => d.split("L").map((point) => point.split(" ").map(Number)));
  return { boxes, paths };
}

test("boxes do not overlap, and no arrow crosses one", () => {
  const text = "x: words [4, 4]\nq: (x W_Q) | k: (x W_K) | v: (x W_V)\ns: (scores)\np: (softmax)\no: (p v)\nr: (x + o)\n" +
    "x -> q ; x -> k ; x -> v\nq -> s -> p -> o -> r ; k -> s ; v -> o ; x -> r";
  const { boxes, paths } = geometry(drawDiagram(text, "Attention"));
  assert.equal(boxes.length, 8);
  assert.equal(paths.length, 10);
  for (const [i, a] of boxes.entries())
    for (const b of boxes.slice(i + 1)) assert.ok(a[0] + a[2] <= b[0] || b[0] + b[2] <= a[0] || a[1] + a[3] <= b[1] || b[1] + b[3] <= a[1]);
  for (const path of paths)
    for (const [i, [x1, y1]] of path.slice(0, -1).entries()) {
      const [x2, y2] = path[i + 1];
      for (const [x, y, w, h] of boxes) {
        const inside = Math.max(x1, x2) > x + 1 && Math.min(x1, x2) < x + w - 1 && Math.max(y1, y2) > y + 1 && Math.min(y1, y2) < y + h - 1;
        assert.ok(!inside, `${x1} ${y1} to ${x2} ${y2} crosses the box at ${x} ${y}`);
      }
    }
});

test("a diagram says in words what leads where; text is escaped, indices are set", () => {
  const svg = drawDiagram("a: 1 < 2 [4]\nb: (x W_Q)", "A & B", { links: { b: "08_a.html#a" }, prefix: "p-" });
  assert.match(svg, /<desc id="p-desc">1 &lt; 2 \[4\] leads to x W_Q\.<\/desc>/);
  assert.match(svg, /<title id="p-title">A &amp; B<\/title>/);
  assert.match(svg, /W<tspan dy="3" font-size="12">Q<\/tspan>/);
  assert.match(svg, /<a href="08_a\.html#a"><rect class="operation"/);
});

test("the first page leads along paths with their hours, and to cells from its picture", () => {
  const [first, second] = ["01_x", "08_a"].map((name) => ({ ...parse(), title: `Title of ${name}`, name, description: "D" }));
  first.facts = { ...first.facts, needs: "nothing", minutes: 65 };
  const make = (course) => indexPage({ site: { tutorials: [first, second], guides: [] }, markdown: renderer(), course, pictures: {} });
  const path = { title: "Path", text: "For all.", needs: "nothing", lessons: ["01_x", "08_a"] };
  const map = { title: "Map", diagram: "a: one\nb: two", links: { a: "08_a#a" } };
  const html = make({ paths: [path], map });
  assert.match(html, /<a href="08_a\.html#a"><rect/);
  assert.match(html, /<p>For all\. You need nothing\. 2 lessons, 1\.5 hours\.<\/p>\n<ol><li><a href="01_x\.html">Title of 01_x<\/a>/);
  const fails = (pattern, course) => assert.throws(() => make({ paths: [path], map, ...course }), pattern);
  fails(/08_a has no cell b/, { map: { ...map, links: { a: "08_a#b" } } });
  fails(/there is no lesson 09_b/, { paths: [{ ...path, lessons: ["01_x", "08_a", "09_b"] }] });
  fails(/no path has the lesson 08_a/, { paths: [{ ...path, lessons: ["01_x"] }] });
  fails(/in the path "Path", 08_a needs 01_x, which does not stand before it/, { paths: [{ ...path, lessons: ["08_a", "01_x"] }] });
  fails(/in the path "Path", 08_a needs 01_x, which does not stand before it/, { paths: [path, { ...path, lessons: ["08_a"] }] });
});
