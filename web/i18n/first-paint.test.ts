import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { chooseLanguage, languages } from "./languages.ts";

const script = readFileSync(join(import.meta.dirname, "..", "public", "first-paint.js"), "utf8");

type Page = {
  prefersReducedMotion?: boolean;
  storage?: Record<string, string> | "forbidden";
  browserLanguages?: string[];
  languages?: object;
  hidden?: boolean;
};

/** Runs the script in a fake page and returns the attributes and links that it sets. */
function paint(page: Page) {
  const {
    storage = {},
    browserLanguages = [],
    languages: list = languages,
    prefersReducedMotion = false,
    hidden = false,
  } = page;
  const html = { dataset: {} as Record<string, string>, lang: "", dir: "" };
  const links: Record<string, string>[] = [];
  const frames: (() => void)[] = [];
  const globals = {
    document: {
      documentElement: html,
      querySelector: () => ({ content: "" }),
      hidden,
      currentScript: { dataset: { languages: JSON.stringify(list), files: '["/assets/start.js"]' } },
      createElement: () => ({}),
      head: { append: (link: Record<string, string>) => links.push({ ...link }) },
    },
    requestAnimationFrame: (callback: () => void) => frames.push(callback),
    setTimeout: (callback: () => void) => callback(),
    navigator: { languages: browserLanguages },
    matchMedia: () => ({ matches: prefersReducedMotion }),
    localStorage: {
      getItem(key: string) {
        if (storage === "forbidden") throw new Error("SecurityError");
        return storage[key] ?? null;
      },
    },
  };
  runInContext(script, createContext(globals));
  const early = links.length;
  for (const frame of frames) frame();
  return { ...html, early, links };
}

describe("before the first paint", () => {
  it.each([
    ["en", ["ar"]],
    ["ar", ["en"]],
    ["system", ["ar-EG", "en"]],
    ["system", ["fr", "ja-JP"]],
    ["xx", ["de", "ar"]],
  ])(
    "the setting %s and the browser languages %s give the same language as in the app",
    (setting, browserLanguages) => {
      const tag = chooseLanguage(setting, browserLanguages);
      const page = paint({ storage: { "parlance.language": JSON.stringify(setting) }, browserLanguages });
      expect([page.lang, page.dir]).toEqual([tag, languages[tag].direction]);
    },
  );

  it("applies the chosen theme, text size and motion, and whether the sidebar is open", () => {
    const storage = {
      "parlance.theme": '"dark"',
      "parlance.textSize": '"larger"',
      "parlance.motion": '"full"',
      "parlance.sidebarOpen": "false",
    };
    expect(paint({ storage, prefersReducedMotion: true }).dataset).toEqual({
      sidebar: "closed",
      theme: "dark",
      textSize: "larger",
      motion: "full",
    });
    expect(paint({ prefersReducedMotion: true }).dataset).toEqual({ motion: "reduced" });
    expect(paint({ storage: { "parlance.motion": '"reduced"' } }).dataset).toEqual({ motion: "reduced" });
  });

  it("preloads the app's files and those of that language only, behind the first frame", () => {
    const list = {
      en: { direction: "ltr", strings: "/assets/en.js" },
      ar: { direction: "rtl", strings: "/assets/ar.js", font: "/assets/arabic.woff2" },
    };
    const preloads = ({ links }: ReturnType<typeof paint>) => links.map(({ as, href }) => `${as} ${href}`);
    const english = paint({ browserLanguages: ["en"], languages: list });
    expect(english.early).toBe(0);
    expect(preloads(english)).toEqual(["script /assets/start.js", "script /assets/en.js"]);
    expect(preloads(paint({ browserLanguages: ["ar"], languages: list }))).toEqual([
      "script /assets/start.js",
      "script /assets/ar.js",
      "font /assets/arabic.woff2",
    ]);
    // A page that opens in the background has no frames.
    expect(paint({ languages: list, hidden: true }).early).toBe(2);
  });

  it("uses the system's settings when storage is blocked or has invalid values", () => {
    const dataset = { motion: "full" };
    expect(paint({ storage: "forbidden", browserLanguages: ["ar"] })).toMatchObject({ dir: "rtl", dataset });
    const invalid = {
      "parlance.theme": "{",
      "parlance.language": "[1]",
      "parlance.textSize": '"huge"',
      "parlance.motion": "null",
    };
    expect(paint({ storage: invalid, browserLanguages: ["ar"] })).toEqual(
      paint({ browserLanguages: ["ar"] }),
    );
  });
});
