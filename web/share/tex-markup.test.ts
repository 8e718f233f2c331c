import { expect, test } from "vitest";
import { createTexMarkup } from "./tex-markup.ts";

test("formulas are MathML, and what could grow without limit or is invalid stays TeX", () => {
  const markup = createTexMarkup().forMessage();
  expect(markup(String.raw`\frac{a}{b}`, false)).toMatch(/^<math.*<mfrac>/);
  expect(markup(String.raw`\frac{a}{b}`, true)).toContain('display="block"');
  for (const tex of [
    String.raw`\def\x{\x\x}\x`,
    String.raw`\llap{`.repeat(5),
    String.raw`\frac{`,
    "x".repeat(1_001),
    String.raw`\href{javascript:alert(1)}{x}`,
  ])
    expect(markup(tex, false), tex).toBeUndefined();
  expect(markup(String.raw`\text{<img src=x onerror=alert(1)>"}`, false)).not.toContain("<img");
  expect(markup(String.raw`\label{here}\fcolorbox{red}{yellow}{\color{red}x}`, false)).not.toMatch(
    / (?:id|style)="/,
  );
});

test("formulas keep their colours without styles", () => {
  const markup = createTexMarkup().forMessage();
  expect(markup(String.raw`\color{red}x`, false)).toContain('<mi mathcolor="#ff0000">x</mi>');
  expect(markup(String.raw`\boxed{\color{red}x}`, false)).toContain('mathcolor="#ff0000"');
  const onBlack = markup(String.raw`\colorbox{black}{\color{white}x}`, false);
  expect(onBlack).toMatch(/mathcolor="(?:white|#fff(?:fff)?)"/);
  expect(onBlack).toMatch(/mathbackground="(?:black|#000(?:000)?)"/);
  expect(markup(String.raw`\text{ style="color:\#ff0000;"}x`, false)).not.toContain("mathcolor");
});

test("the formulas of a message get a limited time, and are rendered once", () => {
  let nowMs = 0;
  const formulas = createTexMarkup(() => (nowMs += 30));
  const render = () => {
    const markup = formulas.forMessage();
    return ["a", "b", "c", "d", "e"].map((tex) => markup(tex, false) !== undefined);
  };
  expect(render()).toEqual([true, true, false, false, false]);
  // As a live view is rendered again, the others follow.
  expect(render()).toEqual([true, true, true, true, false]);
  expect(render()).toEqual([true, true, true, true, true]);
});
