import { describe, expect, it } from "vitest";
import {
  artifactAt,
  artifactsOf,
  fileNameOf,
  givenFileName,
  readBlocks,
  versionOfBlock,
} from "./artifacts.ts";
import { fencedBlocks } from "./fenced-blocks.ts";

const page = (title: string, text = "") => `<!doctype html>\n<title>${title}</title>\n<p>${text}</p>`;
const fenced = (info: string, code: string) => `\`\`\`${info}\n${code}\n\`\`\``;
const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}`).join("\n");
const answer = (messageId: string, ...texts: string[]) => ({ messageId, texts });
const keyOf = (...block: Parameters<typeof versionOfBlock>) => versionOfBlock(...block)?.key;
const summary = (...answers: { messageId: string; texts: string[] }[]) =>
  artifactsOf(answers).map(({ key, versions }) => [
    key,
    versions.map(({ messageId }) => messageId).join(" "),
  ]);

describe("the fenced blocks of a text", () => {
  it.each<[string, string, { language: string; code: string; isClosed: boolean }[]]>([
    ["a block", "a\n```js\n1\n\n2\n```\nb", [{ language: "js", code: "1\n\n2", isClosed: true }]],
    ["tildes, and backticks in them", "~~~\n```\n~~~", [{ language: "", code: "```", isClosed: true }]],
    ["a longer fence", "````md\n```js\n```\n````", [{ language: "md", code: "```js\n```", isClosed: true }]],
    [
      "a list",
      "1. a\n   ```py\n   if x:\n     y\n   ```",
      [{ language: "py", code: "if x:\n  y", isClosed: true }],
    ],
    ["a quote", "> ```\n> > b\n> ```", [{ language: "", code: "> b", isClosed: true }]],
    ["an open block", "```css\na {\n", [{ language: "css", code: "a {", isClosed: false }]],
    ["Windows line ends", "```a\r\nb\r\n```\r\n", [{ language: "a", code: "b", isClosed: true }]],
    [
      "a block with an indented fence in it",
      '```py\ndef f():\n    """\n    ```\n    x\n    ```\n    """\n```\nb',
      [{ language: "py", code: 'def f():\n    """\n    ```\n    x\n    ```\n    """', isClosed: true }],
    ],
    [
      "a block with a quoted fence in it",
      "```md\n> ```\n> a\n> ```\n```",
      [{ language: "md", code: "> ```\n> a\n> ```", isClosed: true }],
    ],
    [
      "a block in a list with an indented fence in it",
      "1. a\n\n   ```py\n   b\n       ```\n   ```",
      [{ language: "py", code: "b\n    ```", isClosed: true }],
    ],
    [
      "a block that ends up to three spaces in",
      "```\na\n   ```\nb",
      [{ language: "", code: "a", isClosed: true }],
    ],
    [
      "a list in a list",
      "- a\n  - b\n\n    ```js\n    1\n    ```",
      [{ language: "js", code: "1", isClosed: true }],
    ],
    [
      "a list in a quote",
      "> - a\n>   ```js\n>   1\n>   ```",
      [{ language: "js", code: "1", isClosed: true }],
    ],
    ["indented code", "a\n\n    ```js\n    1\n    ```\n\nb", []],
    ["indented code after a list", "- a\n\nb\n\n    ```js\n    1\n    ```", []],
    ["inline code with three backticks", "```a``` b\nc", []],
  ])("finds %s", (_, text, expected) => {
    expect(fencedBlocks(text)).toMatchObject(expected);
    expect(fencedBlocks(text)).toHaveLength(expected.length);
  });
});

describe("the artifacts of a branch", () => {
  it("are long blocks, and short ones of a kind that can be shown", () => {
    const texts = [
      fenced("py", lines(14)),
      fenced("py", lines(15)),
      fenced("mermaid", "graph"),
      fenced("js", "1"),
    ];
    expect(summary(answer("a", texts.join("\n\n")))).toEqual([
      ["python:", "a"],
      ["mermaid:", "a"],
    ]);
  });

  it("takes blocks of the same kind and title as versions, in the order of the branch", () => {
    const first = answer("a", `# Tools\n\n${fenced("html", page("Clock"))}\n${fenced("csv", "a,b")}`);
    const second = answer("b", "Now in blue:", fenced("html", page("Clock", "blue")));
    const other = answer("c", fenced("html", page("Timer")));
    expect(summary(first, second, other)).toEqual([
      ["html:Clock", "a b"],
      ["csv:Tools", "a"],
      ["html:Timer", "c"],
    ]);
    expect(artifactsOf([first, second])[0]?.versions[1]).toEqual({
      id: "b",
      messageId: "b",
      position: 0,
      code: page("Clock", "blue"),
      isClosed: true,
    });
    // Another branch has its own versions.
    expect(summary(first, other)[0]).toEqual(["html:Clock", "a"]);
  });

  it("have the blocks that an answer was edited from as versions, also of another title", () => {
    const other = fenced("csv", "a,b");
    const original = answer("a", fenced("html", page("Clock")), other);
    const edited = answer("b", fenced("html", page("Watch")), other);
    const again = answer("c", fenced("html", page("Watch")), fenced("csv", "a,c"));
    const [clock, table] = artifactsOf([{ ...again, originals: [original, edited] }]);
    const versionsOf = (artifact = clock) =>
      artifact?.versions.map(({ messageId, isByHand }) => [messageId, isByHand === true]);
    expect([clock?.key, versionsOf(clock)]).toEqual([
      "html:Watch",
      [
        ["a", false],
        ["c", true],
      ],
    ]);
    expect(versionsOf(table)).toEqual([
      ["b", false],
      ["c", true],
    ]);
    // The place of the original still leads to it.
    const places = artifactsOf([{ ...edited, originals: [original] }]);
    expect(artifactAt(places, { messageId: "a", position: 0 })?.key).toBe("html:Watch");
  });

  it("finds a block of an edited answer in the original by its key, then by its place among as many", () => {
    const clock = fenced("html", page("Clock"));
    const table = fenced("csv", "a,b");
    const original = answer("a", clock, table);
    const histories = (...texts: string[]) =>
      artifactsOf([{ ...answer("b", ...texts), originals: [original] }]).map(
        ({ key, versions }) => `${key} ${versions.map(({ code }) => code).join(" → ")}`,
      );
    const [blue, again] = [page("Clock", "blue"), page("Watch")];
    expect(histories(fenced("svg", "<svg/>"), fenced("html", blue), table)).toEqual([
      "svg: <svg/>",
      `html:Clock ${page("Clock")} → ${blue}`,
      "csv: a,b",
    ]);
    expect(histories(fenced("html", again))).toEqual([`html:Watch ${again}`]);
    expect(histories(fenced("svg", "<svg/>"), table)).toEqual(["svg: <svg/>", "csv: a,b"]);
    expect(histories(fenced("html", again), clock)).toEqual([
      `html:Watch ${again}`,
      `html:Clock ${page("Clock")}`,
    ]);
  });

  it("keep a block that an edit made short, and know the keys that edits changed", () => {
    const original = answer("a", fenced("py tool.py", lines(20)), fenced("html", page("Clock")));
    const edited = answer("b", fenced("py tool.py", "1"), fenced("html", page("Watch")));
    const artifacts = artifactsOf([{ ...edited, originals: [original] }]);
    expect(artifacts.map(({ key, formerKeys, versions }) => [key, formerKeys, versions.length])).toEqual([
      ["python:tool.py", [], 2],
      ["html:Watch", ["html:Clock"], 2],
    ]);
    // Another one has the key now.
    const next = answer("c", fenced("html", page("Clock")));
    expect(artifactsOf([{ ...edited, originals: [original] }, next])[1]?.formerKeys).toEqual([]);
    expect(summary(edited)).toEqual([["html:Watch", "b"]]);
  });

  it.each([
    [fenced('py title="The tool"', lines(20)), "The tool"],
    [fenced("py src/app.py", lines(20)), "src/app.py"],
    [fenced("py", `# app.py\n${lines(20)}`), "app.py"],
    [`Save this as:\n\n**\`lib/app.py\`**:\n\n${fenced("py", lines(20))}`, "lib/app.py"],
    [`* **File:** \`app.py\`\n\n${fenced("py", lines(20))}`, "app.py"],
    [`# Step 2 ##\n${fenced("py", lines(20))}`, "Step 2"],
    [`## The *first* step\n\nText\n${fenced("py", lines(20))}`, "The first step"],
    [fenced("jsx", `export default function Game() {}\n${lines(20)}`), "Game"],
    [fenced("md", "# Notes\n\nText"), "Notes"],
    [fenced("py", lines(20)), undefined],
  ])("get their title from the answer: %#", (text, title) => {
    expect(artifactsOf([answer("a", text)])[0]?.title).toBe(title);
  });

  it("tells apart several of one answer, and snippets of different answers", () => {
    const two = `${fenced("html", page("Same"))}\n${fenced("html", page("Same", "2"))}`;
    expect(summary(answer("a", two))).toEqual([
      ["html:Same", "a"],
      ["html:Same  2", "a"],
    ]);
    const snippet = fenced("html", "<br>");
    expect(summary(answer("a", snippet), answer("b", snippet))).toHaveLength(2);
  });

  it("takes a block that says that it updates another one as a version of it, also in one answer", () => {
    const texts = [
      fenced('html title="Clock"', page("A")),
      fenced('html title="Clock" update', page("B")),
      fenced('html title="Clock" update', page("C")),
    ];
    const [clock, ...others] = artifactsOf([answer("a", ...texts)]);
    expect(clock?.versions.map(({ id }) => id)).toEqual(["a", "a.1", "a.2"]);
    expect(others).toEqual([]);
    const block = { language: "html", code: page("B") };
    expect(versionOfBlock(answer("a", ...texts), block)).toEqual({ key: "html:Clock", id: "a.1" });
  });

  it("takes no block for an update because of a word in its title", () => {
    const titles = ["How to update", "update", "Or update it"];
    const infos = titles.flatMap((title) => [`html title="${title}"`, `html title='${title}'`]);
    const blocks = [...infos, "html title=update"].map((info, i) => fenced(info, page("A", String(i))));
    expect(artifactsOf([answer("a", ...blocks)])).toHaveLength(blocks.length);
  });

  it.each(["Same#2", "Same  2"])("tells apart the second of a title and the title %s", (title) => {
    const pages = [page("Same"), page("Same", "2"), page(title)].map((code) => fenced("html", code));
    const keys = artifactsOf([answer("a", pages.join("\n"))]).map(({ key }) => key);
    expect(new Set(keys).size).toBe(3);
  });

  it.each([
    ["its title comes", "```js\n1\n```\n```html\n<!doctype html>", "\n<title>Clock</title>"],
    ["it gets long", "```js\n1\n```\n```html\n<p>", `\n${lines(20)}`],
  ])("finds a block that is being written by its place when %s", (_, begun, rest) => {
    const [first] = artifactsOf([answer("a", begun)]);
    const later = artifactsOf([answer("a", begun + rest)]);
    expect(later.map(({ key }) => key)).not.toContain(first?.key);
    expect(artifactAt(later, first!.versions[0])).toBe(later[0]);
    expect(artifactAt(later, { messageId: "b", position: 1 })).toBeUndefined();
  });

  it("finds a block whose code is the beginning of another one", () => {
    const short = page("One");
    const longer = fenced('html title="Longer"', `${short}\n<p>More</p>`);
    const texts = answer("a", `${longer}\n\n${fenced('html title="Short"', short)}\n\n${longer}`);
    expect(keyOf(texts, { language: "html", code: short })).toBe("html:Short");
    expect(keyOf(texts, { language: "html", code: `${short}\n` })).toBe("html:Short");
  });

  it("finds a block by its code, also while only its beginning is shown", () => {
    const texts = answer("a", `${fenced("html", page("One"))}\n\n\`\`\`html\n${page("Two", "grows")}`);
    expect(keyOf(texts, { language: "html", code: page("One") })).toBe("html:One");
    expect(keyOf(texts, { language: "html", code: "<!doctype html>\n<title>Two" })).toBe("html:Two");
    expect(keyOf(texts, { language: "svg", code: page("One") })).toBeUndefined();
  });

  it.each([
    ["marks of bold text above a block", `${"*".repeat(10_000)}a${"*".repeat(10_000)}b`],
    ["stars with spaces above a block", `${"* ".repeat(10_000)}a`],
    ["a heading of spaces", `# a${" ".repeat(20_000)}b`],
    ["a heading of marks", `# a${" #".repeat(10_000)}b`],
  ])("reads the block below %s", (_, line) => {
    expect(artifactsOf([answer("a", `${line}\n\n${fenced("py", lines(20))}`)])).toHaveLength(1);
  });

  it("reads an answer with 5,000 blocks once, and each that it was edited from", () => {
    const texts = (word: string) =>
      Array.from({ length: 5_000 }, (_, i) => fenced("html", page(`Page ${i}`, word)));
    const originals = [answer("a", ...texts("one")), answer("b", ...texts("two"))];
    const read: string[] = [];
    const artifacts = artifactsOf([{ ...answer("c", ...texts("three")), originals }], (each) => {
      read.push(each.messageId);
      return readBlocks(each);
    });
    expect(artifacts).toHaveLength(5_000);
    expect(artifacts[0]?.versions).toHaveLength(3);
    expect(read.toSorted()).toEqual(["a", "b", "c"]);
  });

  it("finds 500 versions, each under its own id", () => {
    const answers = Array.from({ length: 500 }, (_, i) =>
      answer(`a${i}`, fenced("html", page("Clock", String(i)))),
    );
    const [clock, ...others] = artifactsOf(answers);
    expect(others).toEqual([]);
    expect(new Set(clock?.versions.map(({ id }) => id)).size).toBe(500);
  });
});

describe("the name of a saved file", () => {
  it.each([
    ['html title="Clock"', "Clock.html"],
    ["py src/app.py", "src-app.py"],
    ['js title="a/../b: <c>"', "a-..-b- -c-.js"],
    ['csv title="...."', "artifact.csv"],
    ["xyz", "Text 1.txt"],
  ])("of %s is %s", (info, name) => {
    const [artifact] = artifactsOf([answer("a", fenced(info, lines(20)))]);
    expect(fileNameOf(artifact!, "Text 1")).toBe(name);
  });

  it("is that of its block, also of a short one, without the folders", () => {
    const named = (text: string, language: string, code: string) => givenFileName([text], { language, code });
    expect(named(`**src/app.ts**\n\n${fenced("ts", "a")}\n\n${fenced("ts", "b")}`, "ts", "a")).toBe("app.ts");
    expect(
      named(`**src/app.ts**\n\n${fenced("ts", "a")}\n\nOther:\n\n${fenced("ts", "b")}`, "ts", "b"),
    ).toBeUndefined();
    expect(named(fenced("py file=a/b.py", "c"), "py", "c")).toBe("b.py");
    expect(givenFileName([], { language: "py", code: "# tools/run.py\nd" })).toBe("run.py");
  });
});
