import { describe, expect, it } from "vitest";
import { isDrawable, withNamespace } from "./svg.ts";

const svg = (content: string) => `<svg xmlns="http://www.w3.org/2000/svg">${content}</svg>`;
const uses = (count: number, id: string) => `<use href="#${id}"/>`.repeat(count);
const levels = (count: number, each: number, tag = (id: number) => `<g id="l${id}">`) =>
  Array.from({ length: count }, (_, i) => `${tag(i + 1)}${uses(each, `l${i}`)}</g>`).join("");
const board = Array.from({ length: 12 }, (_, i) => `<g id="p${i}"><path/><path/></g>${uses(4, `p${i}`)}`);

describe("a picture", () => {
  it.each([
    ["plain shapes", svg('<circle r="5"/>'.repeat(5_000)), true],
    ["pieces of a board", svg(board.join("")), true],
    ["a part of a part", svg(`<path id="l0"/>${levels(3, 4)}`), true],
    ["levels of references", svg(`<path id="l0"/>${levels(10, 10)}`), false],
    ["levels of two references", svg(`<path id="l0"/>${levels(20, 2)}`), false],
    [
      "levels whose names are hard to find",
      svg(`<path id="l0"/>${levels(20, 2, (id) => `<g class="a>b" id="l${id}">`)}`),
      false,
    ],
    [
      "levels with other names beside theirs",
      svg(`<path id="l0"/>${levels(20, 2, (id) => `<g class=" id='a${id}'" id="l${id}">`)}`),
      false,
    ],
    ["levels in another order", svg(`${uses(2, "l20")}${levels(20, 2)}<path id="l0"/>`), false],
    ["entities", `<!DOCTYPE svg [<!ENTITY a "<path/>">]>${svg("&a;")}`, false],
    ["many references", svg(`<path id="a"/>${uses(201, "a")}`), false],
    ["very much code", svg(" ".repeat(500_000)), false],
  ])("with %s: drawn %#", (_, code, isDrawn) => {
    expect(isDrawable(code)).toBe(isDrawn);
  });

  it("is judged in linear time: quadratic work would take minutes", () => {
    for (const text of ["<svg ", '<g a="', "<!--", "<![CDATA[", "<a b='\"", "< "])
      isDrawable(`<use/>${text.repeat(490_000 / text.length)}`);
  });
});

describe("the namespace", () => {
  it.each([
    ["<svg><g/></svg>", '<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>'],
    [
      '<?xml version="1.0"?>\n<svg width="1"/>',
      '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="1"/>',
    ],
    [svg(""), svg("")],
    ["text", "text"],
  ])("of %s", (code, expected) => expect(withNamespace(code)).toBe(expected));

  it("is looked for once in a long text: quadratic work would take minutes", () => {
    withNamespace("<svg ".repeat(100_000));
  });
});
