import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { hostileMarkup } from "#fixtures/hostile-markup.ts";
import { problemsIn } from "#web/testing/markup-problems.ts";
import { Markdown } from "./markdown.tsx";

beforeAll(() => void vi.stubGlobal("location", { origin: "https://parlance.example" }));
afterAll(() => void vi.unstubAllGlobals());

const page = (text: string) => renderToStaticMarkup(<Markdown text={text} />);

it("finds what is wrong with a page", () => {
  for (const html of [
    "<p><script>a</script></p>",
    '<img src="https://evil.example/"/>',
    '<a href="javascript:1">a</a>',
    '<img src="/a" onerror="1"/>',
  ])
    expect(problemsIn(html)).toHaveLength(1);
});

it.each(hostileMarkup)(
  "shows %j without running it, whole and cut at each position (CVE-2026-32626)",
  (text) => {
    expect(problemsIn(page(`Before ${text} after`))).toEqual([]);
    for (let end = 1; end <= text.length; end++) expect(problemsIn(page(text.slice(0, end)))).toEqual([]);
  },
);
