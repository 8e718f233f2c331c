import { expect, test } from "vitest";
import { guardPage, guardScript } from "./guard-loops.ts";

const guarded = (code: string) => guardScript(code, "§();").replaceAll("§();", "§");

test.each([
  ["a block", "for (;;) { a() }", "for (;;) {§ a() }"],
  ["a single statement", "while (a) b()", "while (a) {§b()}"],
  ["no statement", "for (;;);", "for (;;){§;}"],
  ["do and while", "do a(); while (b)\ndo { a() } while (b)", "do {§a();} while (b)\ndo {§ a() } while (b)"],
  [
    "for in and of",
    "for (const a in b) c; for (const a of b) { c }",
    "for (const a in b) {§c;} for (const a of b) {§ c }",
  ],
  ["an if with else", "while (a) if (b) c; else d; e", "while (a) {§if (b) c; else d;} e"],
  ["a loop in a loop", "for (;;) for (;;) a()", "for (;;) {§for (;;) {§a()}}"],
  ["labels", "a: for (;;) b: for (;;) continue a", "a: for (;;) {§b: for (;;) {§continue a}}"],
  [
    "functions and classes",
    "const f = () => { for (;;); }; class A { static { while (1); } #b() { while (1); } }",
    "const f = () => { for (;;){§;} }; class A { static { while (1){§;} } #b() { while (1){§;} } }",
  ],
  ["generators", "function* f() { while (true) yield 1 }", "function* f() { while (true) {§yield 1} }"],
  [
    "a template",
    "`${(() => { for (;;) a() })()} for (;;) {}`",
    "`${(() => { for (;;) {§a()} })()} for (;;) {}`",
  ],
])("checks the loops of %s", (_, code, expected) => {
  expect(guarded(code)).toBe(expected);
});

test.each([
  "'for (;;) {}' + \"while (1);\" + /for (;;) {}/.source",
  "// for (;;) {}\n/* while (1); */",
  "a.for(function () {}); ({ while() {} })",
  "for (;;) { unfinished",
])("leaves alone what is no loop or cannot be parsed: %s", (code) => {
  expect(guarded(code)).toBe(code);
});

test("parses modules and scripts, and keeps the lines", () => {
  const module = 'import a from "a";\nexport default await a;\n\nfor (const b of a)\n  c(b)\nfor (;;) {\n}';
  const expected =
    'import a from "a";\nexport default await a;\n\nfor (const b of a)\n  {§c(b)}\nfor (;;) {§\n}';
  expect(guardScript(module, "§", "module")).toBe(expected);
  expect(guarded(module)).toBe(module);
  expect(guarded("<!-- a\nfor (;;) b()")).toBe("<!-- a\nfor (;;) {§b()}");
});

test("checks the scripts of a document, not its text, comments, data or the app's own scripts", () => {
  const page = (check: string) => `<!doctype html>
<!-- <script>for (;;) {}</script> --><p>for (;;) {}</p>
<SCRIPT type="text/javascript" title="a > b">for (;;) {${check}}</SCRIPT >
<script type=module>import "a"; for (;;) {${check} '<script>' }</script><scripted>for (;;) {}</scripted>
<script type="application/json">{"a": 1}</script><script type="text/x-template">for (;;) {}</script>
<script data-library>for (;;) {}</script>
<script>for (;;) {`;
  expect(guardPage(page(""), "§();")).toBe(page("§();"));
});

test.each(["<!-->", "<!--->", "<!-- a --!>", "<title>a <!-- b</title>"])(
  "checks the script after %s, where no comment is open",
  (start) => {
    const page = (check: string) => `${start}<script>for (;;) {${check}}</script>`;
    expect(guardPage(page(""), "§();")).toBe(page("§();"));
  },
);

test("stops a loop that runs on, also when its error is caught", () => {
  let turns = 0;
  const check = () => {
    if (++turns > 1_000) throw new Error("too long");
  };
  const code = guardScript("for (;;) { try { while (true); } catch {} }", "check();");
  // oxlint-disable-next-line typescript/no-implied-eval -- it runs what it has written
  expect(() => new Function("check", code)(check)).toThrow("too long");
});
