import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { en, type Plural } from "./en.ts";
import { printDuration, t } from "./words.ts";

const web = join(import.meta.dirname, "..");
const sources = readdirSync(web, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path) && path !== join("words", "en.ts"))
  .map((path) => ({ path, text: readFileSync(join(web, path), "utf8") }));

describe("the catalogue", () => {
  const all: [string, string | Plural][] = Object.entries(en);
  const entries = all.flatMap(([key, entry]) =>
    (typeof entry === "string" ? [entry] : Object.values(entry)).map((text) => ({ key, text })),
  );

  it("has no word that nothing shows", () => {
    const used = sources.map(({ text }) => text).join("\n");
    const groups = [...used.matchAll(/`([a-z]+\.)\$\{/g)].map((match) => match[1] ?? "");
    const unused = Object.keys(en).filter(
      (key) => !used.includes(`"${key}"`) && !groups.some((group) => key.startsWith(group)),
    );
    expect(unused).toEqual([]);
  });

  it("speaks plainly: no exclamation, no Oops, no empty entry, nothing at its edges", () => {
    for (const { key, text } of entries) {
      expect(text, key).not.toMatch(/!|oops|please|sorry/i);
      expect(text.trim(), key).toBe(text);
      expect(text, key).not.toBe("");
    }
  });

  it("has the same slots in both forms of what is counted", () => {
    const slots = (text: string) => new Set([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
    const counted = all.flatMap(([, entry]) => (typeof entry === "string" ? [] : [entry]));
    expect(counted.map(({ one }) => slots(one))).toEqual(counted.map(({ other }) => slots(other)));
  });
});

it("holds every word: no component writes its own", () => {
  const found = sources.flatMap(({ path, text }) =>
    path.endsWith(".tsx")
      ? [
          ...text.matchAll(/(?:aria-label|title|placeholder|alt|label|text)="([^"]*[a-z]{2}[^"]*)"/gi),
          ...text.matchAll(/^\s+([A-Z][a-z]+(?: [a-z]+)+[.?]?)\s*$/gm),
          ...text.matchAll(
            /<(?:p|h[1-6]|span|button|label|legend|Button)[^<>]*>([^<>{}]*[A-Za-z]{2}[^<>{}]*)<\//g,
          ),
        ].map((match) => `${path}: ${match[1]}`)
      : [],
  );
  expect(found).toEqual([]);
});

describe("t", () => {
  it("fills slots and chooses by number", () => {
    expect(t("thread.deleted", { title: "{count} $& lines" })).toBe("Deleted “{count} $& lines”.");
    expect(t("thread.latestLines", { count: 1 })).toBe("1 new line");
    expect(t("thread.latestLines", { count: 12 })).toBe("12 new lines");
  });
});

it("prints how long something took", () => {
  expect(printDuration(0)).toBe("1 ms");
  expect(printDuration(12)).toBe("12 ms");
  expect(printDuration(1830)).toBe("1.8 s");
  expect(printDuration(59_400)).toBe("59 s");
  expect(printDuration(59_940)).toBe("1 min 0 s");
  expect(printDuration(125_000)).toBe("2 min 5 s");
  expect(printDuration(300, true)).toBe("1 second");
  expect(printDuration(7400, true)).toBe("7 seconds");
});
