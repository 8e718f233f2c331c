import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { chooseLanguage, languages } from "./languages.ts";

const script = readFileSync(join(import.meta.dirname, "..", "public", "first-paint.js"), "utf8");

type Page = {
  still?: boolean;
  kept?: Record<string, string> | "forbidden";
  wanted?: string[];
  languages?: object;
};

/** What the script does to a page, in a browser that has kept and wants this. */
function paint({ kept = {}, wanted = [], languages: given = languages, still = false }: Page) {
  const html = { dataset: {} as Record<string, string>, lang: "", dir: "" };
  const links: Record<string, string>[] = [];
  const page = {
    document: {
      documentElement: html,
      currentScript: { dataset: { languages: JSON.stringify(given) } },
      createElement: () => ({}),
      head: { append: (link: Record<string, string>) => links.push({ ...link }) },
    },
    navigator: { languages: wanted },
    matchMedia: () => ({ matches: still }),
    localStorage: {
      getItem(key: string) {
        if (kept === "forbidden") throw new Error("SecurityError");
        return kept[key] ?? null;
      },
    },
  };
  runInContext(script, createContext(page));
  return { ...html, links };
}

describe("before the first paint", () => {
  it.each([
    ["en", ["ar"]],
    ["ar", ["en"]],
    ["system", ["ar-EG", "en"]],
    ["system", ["fr", "ja-JP"]],
    ["xx", ["de", "ar"]],
  ])("%s with a browser that wants %s gets the language that the app speaks then", (setting, wanted) => {
    const tag = chooseLanguage(setting, wanted);
    const page = paint({ kept: { "parlance.language": JSON.stringify(setting) }, wanted });
    expect([page.lang, page.dir]).toEqual([tag, languages[tag].direction]);
  });

  it("has the theme, the size of the letters and the motion that were chosen", () => {
    const kept = { "parlance.theme": '"dark"', "parlance.textSize": '"larger"', "parlance.motion": '"full"' };
    expect(paint({ kept, still: true }).dataset).toEqual({
      theme: "dark",
      textSize: "larger",
      motion: "full",
    });
    expect(paint({ still: true }).dataset).toEqual({ motion: "reduced" });
    expect(paint({ kept: { "parlance.motion": '"reduced"' } }).dataset).toEqual({ motion: "reduced" });
  });

  it("sends for the words and the font of that language alone", () => {
    const given = {
      en: { direction: "ltr", words: "/assets/en.js" },
      ar: { direction: "rtl", words: "/assets/ar.js", font: "/assets/arabic.woff2" },
    };
    const asked = ({ links }: ReturnType<typeof paint>) => links.map(({ rel, href }) => `${rel} ${href}`);
    expect(asked(paint({ wanted: ["en"], languages: given }))).toEqual(["modulepreload /assets/en.js"]);
    expect(asked(paint({ wanted: ["ar"], languages: given }))).toEqual([
      "modulepreload /assets/ar.js",
      "preload /assets/arabic.woff2",
    ]);
  });

  it("does with the system's choices where storage is forbidden or holds something else", () => {
    const dataset = { motion: "full" };
    expect(paint({ kept: "forbidden", wanted: ["ar"] })).toMatchObject({ dir: "rtl", dataset });
    const strange = {
      "parlance.theme": "{",
      "parlance.language": "[1]",
      "parlance.textSize": '"huge"',
      "parlance.motion": "null",
    };
    expect(paint({ kept: strange, wanted: ["ar"] })).toEqual(paint({ wanted: ["ar"] }));
  });
});
