import fc from "fast-check";
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { noBlocks, splitBlocks } from "./blocks.ts";
import { Markdown } from "./markdown.tsx";

beforeAll(() => void vi.stubGlobal("location", { origin: "https://parlance.example" }));
afterAll(() => void vi.unstubAllGlobals());

const page = (text: string) => renderToStaticMarkup(<Markdown text={text} />).replace(/ class="[^"]*"/g, "");

describe("Markdown", () => {
  it("shows raw HTML as text (CVE-2025-46719)", () => {
    const html = page(
      "<script>alert(1)</script>\n\ntext <img src=x onerror=alert(1)> text\n\n<iframe src='https://a.example'></iframe>\n\n<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    );
    expect(html).not.toMatch(/<(script|img|iframe)/);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  });

  it("renders <br> in a table as a line break", () => {
    expect(page("| a |\n|---|\n| b<br>c |")).toContain("b<br/>c");
  });

  it("keeps the header of a table that follows a code block at once or after blank lines", () => {
    for (const gap of ["", "\n", " \n\n"])
      expect(page(`\`\`\`js\na\n\`\`\`\n${gap}| Name |\n|---|\n| one |\n\nend\n`), gap).toMatch(
        /<thead><tr><th [^>]*>Name.*<tbody><tr><td[^>]*>one<\/td><\/tr><\/tbody>.*end/,
      );
  });

  it("opens links in a new tab without an opener, and drops unsafe addresses", () => {
    expect(page("[a](https://a.example)")).toContain(
      '<a href="https://a.example/" target="_blank" rel="noopener noreferrer">a</a>',
    );
    expect(page("[a](javascript:alert%281%29) <javascript:alert(1)>")).not.toContain("<a");
    expect(page("see https://a.example.")).toContain('href="https://a.example/"');
    expect(page("see Www.a.example")).toContain('href="http://www.a.example/"');
    expect(page("write to ada@a.example")).toContain('href="mailto:ada@a.example"');
  });

  it("links to a picture of another origin instead of loading it", () => {
    const html = page("![A cat](https://cats.example/1.png)");
    expect(html).not.toContain("<img");
    expect(html).toContain('href="https://cats.example/1.png"');
    expect(html).toContain("cats.example");
  });

  it("resolves definitions in earlier and later chunks", () => {
    const html = page(
      "[one]: https://one.example\n\nSee [one] and [two].\n\n[two]: https://two.example\n\nend\n",
    );
    expect(html).toContain('href="https://one.example/"');
    expect(html).toContain('href="https://two.example/"');
  });

  it("renders a list as one list with its numbers, spacing and tasks", () => {
    expect(page("3. three\n4. four\n5. five\n\nend\n")).toMatch(
      /^<div><ol dir="auto" start="3"><li>three<\/li><li>four<\/li><li>five<\/li><\/ol><p>end<\/p><\/div>$/,
    );
    expect(page("- a\n\n- b\n\nend\n")).toBe(
      '<div><ul dir="auto" data-loose="true"><li><p>a</p></li><li><p>b</p></li></ul><p>end</p></div>',
    );
    expect(page("- [x] done\n- [ ] open\n")).toMatch(/checked="".*done.*open/);
  });

  it("resolves definitions at the end of the text", () => {
    const html = page(
      "A[^1] and B[^two], see [one].\n\n[^1]: First.\n[^two]: Second.\n\n[one]: https://one.example",
    );
    expect(html).toContain("A<sup>1</sup> and B<sup>two</sup>");
    expect(html).toContain('href="https://one.example/"');
    expect(html).not.toContain("[^");
    expect(html).toContain("Second.");
  });

  it("leaves text that only looks like a footnote", () => {
    expect(page("The class [^abc] matches.")).toContain("[^abc]");
  });

  it("separates the paragraphs of a list item in a tight list too", () => {
    expect(page("- one\n- Step two\n\n  A paragraph\n")).toContain("<p>Step two</p><p>A paragraph</p>");
    expect(page("1. Step two\n\n   A paragraph")).toContain("<p>Step two</p><p>A paragraph</p>");
  });

  it("shows no incomplete syntax while a text streams", () => {
    const text =
      "See [the manual](https://a.example/b) and *how* it **is** `code`, ~~gone~~ and ***both***.[^1] " +
      "![A cat](https://cats.example/1.png) It is _so_ __strong__.\n\n- **Bold** item\n- `code` and [more](https://c.example)";
    for (let end = 1; end <= text.length; end++) {
      const shown = renderToStaticMarkup(<Markdown text={text.slice(0, end)} isRunning />).replaceAll(
        /<[^>]*>/g,
        "",
      );
      expect(shown, text.slice(0, end)).not.toMatch(/[*_~`[\]^]|\(http|!$/);
    }
  });

  it("shows a footnote reference before its definition arrives, and operators unchanged", () => {
    const running = (text: string) => renderToStaticMarkup(<Markdown text={text} isRunning />);
    expect(running("A sentence.[^1] Another one")).toMatch(/sentence\.<sup[^>]*>1<\/sup> Another/);
    expect(running("5 * 3 and snake_case and a < b")).toContain("5 * 3 and snake_case and a &lt; b");
  });

  it("renders the same whether a text arrives at once or by character", () => {
    const text =
      "# T\n\nA *b* **c** ~~d~~ ~e~ `f`\n\n1. x\n   - y\n     ```js\n     z\n     ```\n2. w\n\n> q\n> r\n\n| a | b |\n|--:|---|\n| 1 | 2 |\n\n```py\nprint(1)\n```\n\n***\n\nend[^1]\n\n[^1]: note\n";
    const whole = page(text);
    for (let end = 1; end <= text.length; end++) expect(() => page(text.slice(0, end))).not.toThrow();
    expect(page(text)).toBe(whole);
    expect(whole).toContain("~e~");
    expect(whole).toContain('<th scope="col" data-align="right">a</th>');
  });

  describe("given a text that is made to be slow", () => {
    const nested = Array.from({ length: 200 }, (_, i) => `${"  ".repeat(i)}- ${i}`).join("\n");

    it.each([
      ["quotes", ">".repeat(2000), 50, 1950],
      ["lists", `${"- ".repeat(400)}x`, 50, 0],
      ["lists over many lines", nested, 50, 0],
    ])("nests %s 50 deep and shows the rest as text", (_, text, depth, marks) => {
      const html = page(`${text}\n\nend\n`);
      expect(html.match(/<(blockquote|ul)/g)).toHaveLength(depth);
      expect(html.match(/&gt;/g) ?? []).toHaveLength(marks);
      expect(html).toContain("<p>end</p>");
    });

    it("shows the text after 50 levels, and starts again with the next block", () => {
      expect(page(nested)).toContain("- 199");
      expect(page(`${">".repeat(60)}\n\n* a\n\n> b\n`)).toMatch(
        /<li>a<\/li><\/ul><blockquote dir="auto"><p>b</,
      );
    });

    it("nests emphasis a limited number of times and shows the rest as text", () => {
      const html = page(`${"*a **b ".repeat(300)}c${"** d*".repeat(300)}`);
      expect(html.match(/<(em|strong)>/g)?.length).toBeLessThan(130);
      expect(html.match(/[ab]/g)).toHaveLength(600);
    });

    it("resolves 200 footnotes and shows the others and their references as text", () => {
      const numbers = Array.from({ length: 300 }, (_, i) => i);
      const html = page(
        `${numbers.map((i) => `[^${i}]`).join(" ")}\n\n${numbers.map((i) => `[^${i}]: note`).join("\n")}\n`,
      );
      expect(html.match(/<sup>/g)).toHaveLength(200 + 200);
      expect(html).toContain("[^200]");
      expect(html).toContain('<p dir="auto">[^200]: note\n');
      expect(html).toMatch(/\n\[\^299\]: note<\/p>/);
    });

    it("shows a long table as few tables with the same header", () => {
      const html = page(`| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(2500)}\nend\n`);
      expect(html.match(/<td[^>]*>1</g)).toHaveLength(2500);
      expect(html.match(/<th [^>]*>a</g)).toHaveLength(2);
      expect(html).not.toContain("|");
      expect(html).toMatch(/<\/figure><p>end<\/p>/);
    });

    it("marks a limited number of words in a paragraph and shows the rest as text", () => {
      const html = page("**a** ".repeat(3000));
      const marked = html.match(/<strong>a<\/strong>/g)?.length ?? 0;
      expect(marked).toBeGreaterThan(250);
      expect(marked).toBeLessThan(700);
      expect(html.match(/\*\*a\*\*/g)).toHaveLength(3000 - marked);
    });

    it.each(["[a](", "<!-- ", '<a b="', "*_", "]", "www.a "])("keeps the text of many %j", (mark) => {
      const html = page(`x ${mark.repeat(3000)}\n\nend\n`);
      expect(html.match(/a/g)?.length ?? 0).toBeGreaterThanOrEqual(mark.includes("a") ? 3000 : 0);
      expect(html.endsWith("<p>end</p></div>")).toBe(true);
    });

    it("shows any repeated combination of marks (CVE-2026-58578): exponential work would take minutes", () => {
      const marks =
        "a|0| |\t|\n|\n\n|    |*|**|_|~|`|```|[|]|(|)|![|](|[^|]:|<|>|</|<!--|<a b='|&|&#|\\|- |1. |# |> |$|$$|\\[|\\(|http://|www.|a@|.|:|-|=|!|\"";
      const repeated = fc
        .array(fc.constantFrom(...marks.split("|"), "|", "|-"), { minLength: 1, maxLength: 4 })
        .map((combination) => combination.join("").repeat(10_000).slice(0, 10_000));
      fc.assert(
        fc.property(repeated, (text) => {
          let blocks = noBlocks;
          for (let end = 500; end <= text.length; end += 500)
            blocks = splitBlocks(text.slice(0, end), blocks);
          page(text);
        }),
        { numRuns: 60 },
      );
    }, 60_000);

    it("does not link addresses with thousands of characters or hundreds of punctuation marks", () => {
      const isLinked = (end: string) => page(`https://a.example/${end}`).includes("<a");
      expect(isLinked("a".repeat(1500))).toBe(true);
      expect(isLinked("a".repeat(2500))).toBe(false);
      expect(isLinked(`${"!".repeat(500)}a`)).toBe(false);
    });

    it("shows a line of more than 20,000 characters as text from there on", () => {
      const html = page(`${"**a** ".repeat(100)}${"word ".repeat(5000)}**b**\n\n**c**\n`);
      expect(html.match(/<strong>a/g)).toHaveLength(100);
      expect(html).toContain("**b**");
      expect(html).toContain("<strong>c");
    });
  });

  describe("mathematics", () => {
    // Static rendering never loads the math renderer, so formulas appear as TeX.
    const tex = (text: string) =>
      [...page(text).matchAll(/<code dir="ltr">(.*?)<\/code>/gs)].map(([, it]) => it);

    it.each([
      ["a line $x_1$ and $y*z*w$", ["x_1", "y*z*w"]],
      [String.raw`a line \(a_1 \le b\) and \(c\)`, [String.raw`a_1 \le b`, "c"]],
      ["a line $$E = mc^2$$ shown large", ["E = mc^2"]],
      [String.raw`a line \[E = mc^2\] too`, ["E = mc^2"]],
      ["- an item with $x$\n- and $y$", ["x", "y"]],
      ["| a | b |\n|---|---|\n| $x$ | $y$ |", ["x", "y"]],
      [String.raw`worth $\$5$ at most`, [String.raw`\$5`]],
      ["و$x$ و中$y$中", ["x", "y"]],
      ["| a |\n|---|\n| $P(A\\|B)$ |", ["P(A|B)"]],
      [String.raw`\(\left(\frac{a}{b}\right)\)`, [String.raw`\left(\frac{a}{b}\right)`]],
    ])("is found in %j", (text, expected) => {
      expect(tex(text)).toEqual(expected);
    });

    it.each([
      ["$$\nx = 1\n- y\n= z\n$$", "x = 1\n- y\n= z"],
      ["\\[\nx = 1 \\\\[2pt]\n> 0\n\\]", "x = 1 \\\\[2pt]\n&gt; 0"],
      ["so\n\\[ a\n= b \\]\nthen", "a\n= b"],
      ["$$ x $$", "x"],
      ["1. first\n\n   $$\n   x\n   = y\n   $$\n2. second", "x\n= y"],
      ["> $$\n> x\n> $$", "x"],
    ])("is a block in %j", (text, expected) => {
      expect(page(`${text}\n\nend\n`)).toContain(`<code dir="ltr">${expected}</code>`);
      expect(page(`${text}\n\nend\n`)).toContain("<p>end</p>");
    });

    it.each([
      "It costs $5, or $10 for two.",
      "From US$5 to CA$6 and 7$ each",
      "$HOME/bin:$PATH and ${x}",
      "a $ b $ c",
      "one $x\ny$ two",
      "Price ($), Cost ($)",
      "between $5 and 10$.",
      "$100 (USD$) and $200(US$)",
      "${HOME}/${USER}, ${a}${b}",
      "x/$(basename $y)",
      "^(a|b)$|^c$",
      "[$5](https://a.example) or [6$](https://b.example)",
      "only an $x",
      String.raw`escaped \$x\$ and \(never closed`,
      String.raw`\\(x\\)`,
      "$$ $$",
      String.raw`\[sic\] and, as he says \[1\], and \[ \] to do`,
      "`$x$` and `\\(y\\)`",
    ])("is not found in %j", (text) => {
      const html = page(text);
      for (const found of tex(text)) expect(text).toContain(`\`${found}\``);
      expect(html).not.toContain("<pre");
    });

    it("adds no empty line before a formula over several lines", () => {
      expect(page(String.raw`so \[` + "\nx = 1\n\\] then")).toContain(
        '<p>so <code dir="ltr">x = 1</code> then</p>',
      );
    });

    it("ends at a code block", () => {
      const html = page("$$ is the PID:\n```sh\necho $$\n```\n\nend\n");
      // Another test may have loaded the highlighter.
      expect(html.replaceAll(/<[^>]+>/g, "")).toContain("echo $$");
      expect(html).toContain("<pre");
      expect(html).toContain("<p>end</p>");
    });

    it.each(["\\(", "\\( ", "\\[\n", "$", "$$", "$x ", "$$ "])(
      "is searched once for ten thousand unclosed %j",
      (mark) => {
        expect(page(mark.repeat(10_000))).not.toContain("<code");
      },
    );

    it("ends with its paragraph if nothing closes it, and the paragraph is normal text", () => {
      const html = page("\\[Chorus\nla *la*\n\nThen the *verse*\n");
      expect(html).toContain("<p>[Chorus\nla <em>la</em></p><p>Then the <em>verse</em></p>");
      expect(page("$$\nx = \\frac{1")).toContain("<p>$$\nx = \\frac{1</p>");
    });
  });
});
