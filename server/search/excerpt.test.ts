import { expect, test } from "vitest";
import { excerptOf } from "./excerpt.ts";
import { parseQuery } from "./query.ts";

function excerpt(text: string, typed: string): string {
  const pieces = excerptOf(text, parseQuery(typed, "UTC").all);
  return pieces.map(({ text: piece, hit }) => (hit ? `[${piece}]` : piece)).join("");
}

test("marks every hit with its spelling in the text", () => {
  expect(excerpt("Green tea, CAFÉ and green beans.", "green cafe ")).toBe(
    "[Green] tea, [CAFÉ] and [green] beans.",
  );
  expect(excerpt("Greenland", "gree")).toBe("[Greenland]");
});

test("marks phrases only where the words are adjacent", () => {
  expect(excerpt("tea green, green tea", '"green tea"')).toBe("tea green, [green tea]");
});

test("marks only adjacent characters", () => {
  expect(excerpt("今日は日本語を話す。", "日本語")).toBe("今日は[日本語]を話す。");
  expect(excerpt("今日は日本語を話す。", "語")).toBe("今日は日本[語]を話す。");
});

test("shows the part where most phrases are close together", () => {
  const filler = "Nothing of interest stands here. ".repeat(40);
  const text = `A lone kettle. ${filler}The kettle and the green teapot. ${filler}`;
  const cut = excerpt(text, "kettle teapot ");
  expect(cut).toContain("The [kettle] and the green [teapot].");
  expect(cut).toMatch(/^… /);
  expect(cut).toMatch(/ …$/);
  expect(cut.length).toBeLessThan(260);
});

test("shows the beginning if the hit is too far in", () => {
  expect(excerpt(`${"word ".repeat(30_000)}needle`, "needle")).toMatch(/^word word .* …$/);
});

test("removes the escapes of quotations, and keeps stars between numbers", () => {
  expect(excerpt(String.raw`I keep this (*The garage is &#91;mine\]*), 2*3 * 4 \$5`, "garage ")).toBe(
    "I keep this (The [garage] is [mine]), 2*3 * 4 $5",
  );
});

test("shows links and images as their text", () => {
  const text =
    'See [the kettle](https://example.com/a_(b) "A title") and ![some tea](/tea.png), not [x] (y).';
  expect(excerpt(text, "kettle tea ")).toBe("See the [kettle] and some [tea], not [x] (y).");
});

test("removes Markdown syntax, and splits no character", () => {
  expect(excerpt("# Title\n\n- **Green** `tea`\n> said", "tea ")).toBe("Title Green [tea] said");
  const emoji = "😀".repeat(300);
  expect(excerpt(emoji, "word").isWellFormed()).toBe(true);
});
