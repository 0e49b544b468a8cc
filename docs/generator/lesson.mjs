// What a lesson of the course has to have.

/**
 * Throws an Error, beginning with `file:line:`, for the first thing that the lesson lacks: facts, a diagram in the
 * introduction, a summary of five sentences, three exercises with answers, references with links.
 */
export function checkLesson(lesson, file) {
  const fail = (line, message) => {
    throw new Error(`${file}:${line}: ${message}`);
  };
  const { facts, intro, introLine, cells, summary, references } = lesson;
  if (!facts) fail(introLine, "no facts: right after the title, a list `- You will be able to: ...`, `- You need: ...`, " +
                              "`- Minutes: ...`, `- Result: ...`");
  if (!/^```diagram /m.test(intro)) fail(introLine, "no diagram in the introduction: a fence ```diagram Title");

  const exercises = cells.filter(({ exercise }) => exercise);
  const last = cells.at(-1).line;
  if (exercises.map(({ id }) => id).join() !== "exercise1,exercise2,exercise3")
    fail(exercises[0]?.line ?? last, `there have to be exercise1, exercise2 and exercise3, in this order, got ${exercises.map(({ id }) => id).join(", ") || "none"}`);
  if (cells.at(-3) !== exercises[0]) fail(exercises[0].line, "the exercises have to be the last cells");
  for (const { id, line, answer, rows } of exercises) {
    if (!answer) fail(line, `${id} has no answer: the lines between \`//%% answer\` and \`//%% end answer\``);
    if (!rows[0].text) fail(line, `${id} does not say the task`);
    if (!answer.some(({ code }) => code)) fail(line, `the answer of ${id} has no code`);
  }

  if (!summary) fail(last, "no summary: `//%% summary` and five sentences, an ordered list");
  const sentences = listItems(summary.text).length;
  if (sentences !== 5) fail(summary.line, `the summary has to be an ordered list of five sentences, got ${sentences}`);
  if (!references) fail(last, "no references: `//%% references` and an ordered list, each with a link");
  if (listItems(references.text).length === 0) fail(references.line, "the references have to be an ordered list");
  for (const { text, line } of listItems(references.text)) {
    if (!/\]\(https?:\/\//.test(text)) fail(references.textLine + line, `this reference has no link: ${text}`);
  }
}

/** The items of an ordered list in Markdown, `{text, line}`, the line counted from 0. */
export function listItems(markdown) {
  const items = [];
  for (const [line, text] of markdown.split("\n").entries()) {
    const item = /^\d+\.\s+(.*)/.exec(text);
    if (item) items.push({ text: item[1], line });
    else if (items.length && text.trim()) items.at(-1).text += ` ${text.trim()}`;
  }
  return items;
}

/** The names of the lessons that the lesson's fact `You need` links to. */
export function neededLessons({ facts }) {
  return facts ? [...facts.needs.matchAll(/\]\((\d\d_\w+)\.cpp[#)]/g)].map(([, name]) => name) : [];
}
