import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { hostileMarkup } from "#fixtures/hostile-markup.ts";
import { Markdown } from "./markdown.tsx";

beforeAll(() => void vi.stubGlobal("location", { origin: "https://parlance.example" }));
afterAll(() => void vi.unstubAllGlobals());

const forbidden =
  /^(?:script|iframe|frame|object|embed|base|link|meta|style|form|audio|video|source|template|noscript|animate|use|foreignobject)$/i;

/** What is wrong with a page that React has printed, in which each value is quoted and has no `"`. */
function problemsIn(html: string): string[] {
  return [...html.matchAll(/<([a-z][^\s/>]*)([^>]*)>/gi)].flatMap(([tag, name = "", rest = ""]) => {
    if (forbidden.test(name)) return [tag];
    return [...rest.matchAll(/([^\s="]+)="([^"]*)"/g)].flatMap(([, attribute = "", value = ""]) => {
      if (/^on|^srcdoc$|^formaction$|^xlink/i.test(attribute)) return [tag];
      if (attribute === "style" && /url|expression/i.test(value)) return [tag];
      if (/^(?:src|srcset|poster|data)$/.test(attribute) && !isOwn(value)) return [tag];
      if (attribute === "href" && !/^(?:https?:\/\/|mailto:|\/(?!\/)|#)/.test(value)) return [tag];
      return [];
    });
  });
}

function isOwn(address: string): boolean {
  if (address.startsWith("data:image/")) return true;
  const { origin } = location;
  return URL.canParse(address, origin) && new URL(address, origin).origin === origin;
}

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
