import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { errors } from "#contract/errors.ts";
import { en, english } from "./en.ts";
import { chooseLanguage, languages, type LanguageTag } from "./languages.ts";
import type { Language } from "./language.ts";
import type { Plural } from "./plural.ts";
import { errorSentence, printDay, printDuration, printList, printNumber, speak, t } from "./translate.ts";

const web = join(import.meta.dirname, "..");
const sources = readdirSync(web, { recursive: true, encoding: "utf8" })
  .filter(
    (path) =>
      /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path) && !/words[\\/](en|ar(-errors)?)\.ts$/.test(path),
  )
  .map((path) => ({ path, text: readFileSync(join(web, path), "utf8") }));

const tags = Object.keys(languages) as LanguageTag[];
const others = tags.filter((tag) => tag !== "en");
const slotsOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "").toSorted();
const formsOf = (entry: string | Plural) => Object.values(typeof entry === "string" ? [entry] : entry);
const entriesOf = ({ words }: Language) => Object.entries<string | Plural>(words);

async function speaking(tag: LanguageTag, wanted?: string[]): Promise<Language> {
  const language = await languages[tag].load();
  speak(tag, languages[tag].direction, language, wanted);
  return language;
}

afterEach(() => speak("en", "ltr", english));

it("has no word that nothing shows", () => {
  const used = sources.map(({ text }) => text).join("\n");
  const groups = [...used.matchAll(/`([a-zA-Z]+\.)\$\{/g)].map((match) => match[1] ?? "");
  const unused = Object.keys(en).filter(
    (key) => !used.includes(`"${key}"`) && !groups.some((group) => key.startsWith(group)),
  );
  expect(unused).toEqual([]);
});

describe.each(tags)("the words of %s", (tag) => {
  it("speak plainly: no exclamation, no Oops, no empty entry, nothing at their edges", async () => {
    for (const [key, entry] of entriesOf(await languages[tag].load())) {
      for (const text of formsOf(entry)) {
        expect(text, key).not.toMatch(/!|oops|please|sorry|عذرًا|من فضلك|يرجى/i);
        expect(text.trim(), key).toBe(text);
        expect(text, key).not.toBe("");
      }
    }
  });

  it("have the forms that the language counts with, and no other", async () => {
    const categories = new Intl.PluralRules(tag).resolvedOptions().pluralCategories.toSorted();
    const counted = entriesOf(await languages[tag].load()).flatMap(([key, entry]) =>
      typeof entry === "string" ? [] : [[key, Object.keys(entry).toSorted()]],
    );
    expect(counted.length).toBeGreaterThan(5);
    for (const [key, forms] of counted) expect(forms, String(key)).toEqual(categories);
  });
});

describe.each(others)("the words of %s, beside the English ones,", (tag) => {
  it("have the same keys", async () => {
    const { words } = await languages[tag].load();
    expect(Object.keys(words).toSorted()).toEqual(Object.keys(en).toSorted());
  });

  it("have the same slots, except for a number that the words themselves say", async () => {
    const { words } = await languages[tag].load();
    for (const [key, entry] of Object.entries<string | Plural>(words)) {
      const wanted = formsOf(en[key as keyof typeof en]).at(-1) ?? "";
      const isCounted = typeof entry !== "string";
      for (const [category, text] of Object.entries(isCounted ? entry : { other: entry })) {
        const mayLeaveOut = isCounted && ["zero", "one", "two"].includes(category);
        const slots = mayLeaveOut ? withoutCount(slotsOf(text)) : slotsOf(text);
        expect(slots, `${key}, ${category}`).toEqual(
          mayLeaveOut ? withoutCount(slotsOf(wanted)) : slotsOf(wanted),
        );
      }
    }
  });

  it("have a sentence for each error of the service", async () => {
    const language = await languages[tag].load();
    expect(Object.keys(language.errors ?? {}).toSorted()).toEqual(Object.keys(errors).toSorted());
  });

  it("are another language's: all but names, keys and what is typed are other words", async () => {
    const { words } = await languages[tag].load();
    const same = entriesOf({ words }).filter(
      ([key, entry]) => JSON.stringify(entry) === JSON.stringify(en[key as keyof typeof en]),
    );
    const mayBeSame = /^(app\.(name|title|titleReady)|key\.|search\.hint|settings\.sendEnter$)/;
    expect(same.map(([key]) => key).filter((key) => !mayBeSame.test(key))).toEqual([]);
  });
});

function withoutCount(slots: string[]): string[] {
  return slots.filter((slot) => slot !== "count");
}

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

  it("sets a title of the other direction apart, so that the marks around it stay where they are", async () => {
    expect(t("thread.deleted", { title: "أنهار" })).toBe("Deleted “\u2068أنهار\u2069”.");
    await speaking("ar");
    expect(t("thread.deleted", { title: "Rivers (2)" })).toBe("حُذفت «\u2068Rivers (2)\u2069».");
  });

  it("counts in Arabic with each of its six forms", async () => {
    await speaking("ar");
    const count = (number: number) => t("search.count", { count: number });
    expect([0, 1, 2, 3, 11, 100].map(count)).toEqual([
      "لا نتائج",
      "نتيجة واحدة",
      "نتيجتان",
      "3 نتائج",
      "11 نتيجة",
      "100 نتيجة",
    ]);
  });
});

it("says an error in the language of the page, and knows which codes are ours", async () => {
  expect(errorSentence("thread-not-found")).toBe(errors["thread-not-found"].message);
  const { errors: sentences } = await speaking("ar");
  expect(errorSentence("thread-not-found")).toBe(sentences?.["thread-not-found"]);
  expect(errorSentence("toString")).toBeUndefined();
});

it("writes numbers, days and lists as the person's own variety of the language does", async () => {
  const day = new Date(2026, 2, 10, 12);
  expect([printNumber(1234.5), printDay(day), printList(["a", "b"])]).toEqual([
    "1,234.5",
    "March 10, 2026",
    "a, b",
  ]);
  await speaking("en", ["de-DE", "en-GB"]);
  expect(printDay(day)).toBe("10 March 2026");
  await speaking("ar", ["ar-EG"]);
  expect([printNumber(1234.5), printDay(day)]).toEqual(["١٬٢٣٤٫٥", "١٠ مارس ٢٠٢٦"]);
  await speaking("ar", ["ar-AE"]);
  expect([printNumber(1234.5), printDay(day)]).toEqual(["1,234.5", "10 مارس 2026"]);
});

it("chooses what is set, else the first language of the browser that is there, else English", () => {
  expect(chooseLanguage("ar", ["en-US"])).toBe("ar");
  expect(chooseLanguage("system", ["fr", "AR-eg", "en"])).toBe("ar");
  expect(chooseLanguage("system", ["fr-FR", "ja"])).toBe("en");
  expect(chooseLanguage("constructor", [])).toBe("en");
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
