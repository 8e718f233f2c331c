import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { errors, type ErrorCode } from "#contract/errors.ts";
import { entriesOf as entriesInTable } from "#contract/facts/error-table.ts";
import { nouns } from "#contract/facts/nouns.ts";
import { languageTags, type LanguageTag } from "#contract/i18n/languages.ts";
import { limits } from "#contract/limits.ts";
import { language as english } from "./en/en.ts";
import type { AllStrings, Language, StringKey, TextsName } from "./language.ts";
import { chooseLanguage, languages } from "./languages.ts";
import type { Plural } from "./translation.ts";
import {
  errorSentence,
  printBytes,
  printDay,
  printDuration,
  printList,
  printNumber,
  printRecent,
  setLanguage,
  t,
} from "./translate.ts";

const web = join(import.meta.dirname, "..");
const sources = readdirSync(web, { recursive: true, encoding: "utf8" })
  .filter(
    (path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path) && !/(i18n[\\/]\w+|texts)[\\/]/.test(path),
  )
  .map((path) => ({ path, text: readFileSync(join(web, path), "utf8") }));

const tags = Object.keys(languages) as LanguageTag[];
const others = tags.filter((tag) => tag !== "en");
const slotsOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "").toSorted();
const formsOf = (entry: string | Plural) => Object.values(typeof entry === "string" ? [entry] : entry);
const stringsOf = async (tag: LanguageTag): Promise<AllStrings> => {
  const language = await languages[tag].load();
  const loaded = await Promise.all(Object.values(language.texts).map(async (load) => (await load()).texts));
  return Object.assign({}, language.strings, ...loaded) as AllStrings;
};
const englishStrings = await stringsOf("en");
const entriesOf = async (tag: LanguageTag): Promise<[string, string | Plural][]> =>
  Object.entries(await stringsOf(tag));

async function switchTo(tag: LanguageTag, browserLanguages?: string[]): Promise<Language> {
  const language = await languages[tag].load();
  setLanguage(tag, languages[tag].direction, language, browserLanguages);
  return language;
}

afterEach(() => setLanguage("en", "ltr", english));

it("has no string that no component uses", () => {
  const used = sources.map(({ text }) => text).join("\n");
  const groups = [...used.matchAll(/`([a-zA-Z]+\.)\$\{/g)].map((match) => match[1] ?? "");
  const unused = Object.keys(englishStrings).filter(
    (key) => !used.includes(`"${key}"`) && !groups.some((group) => key.startsWith(group)),
  );
  expect(unused).toEqual([]);
});

describe.each(tags)("the strings of %s", (tag) => {
  it("have each key in one place", async () => {
    const { strings, texts } = await languages[tag].load();
    const names = Object.keys(texts) as TextsName[];
    const keys = await Promise.all(names.map(async (name) => Object.keys((await texts[name]()).texts)));
    const all = [...Object.keys(strings), ...keys.flat()];
    expect(all.filter((key, index) => all.indexOf(key) !== index)).toEqual([]);
  });

  it("have no exclamation mark, no apology, no empty entry and no space at the ends", async () => {
    for (const [key, entry] of await entriesOf(tag)) {
      for (const text of formsOf(entry)) {
        expect(text, key).not.toMatch(/!|oops|please|sorry|عذرًا|من فضلك|يرجى/i);
        expect(text.trim(), key).toBe(text);
        expect(text, key).not.toBe("");
      }
    }
  });

  it("have only plural forms of the language", async () => {
    const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions();
    const counted = (await entriesOf(tag)).filter(([, entry]) => typeof entry !== "string");
    expect(counted.length).toBeGreaterThan(5);
    for (const [key, entry] of counted)
      expect(pluralCategories, key).toEqual(expect.arrayContaining(Object.keys(entry)));
  });
});

describe.each(others)("the strings of %s, compared with the English ones,", (tag) => {
  it("have the same keys, in the same folders", async () => {
    const { texts } = await languages[tag].load();
    expect(Object.keys(texts).toSorted()).toEqual(Object.keys(english.texts).toSorted());
    for (const name of Object.keys(texts) as TextsName[])
      expect(Object.keys((await texts[name]()).texts), name).toEqual(
        expect.arrayContaining(Object.keys((await english.texts[name]()).texts)),
      );
    expect(Object.keys(await stringsOf(tag)).toSorted()).toEqual(Object.keys(englishStrings).toSorted());
  });

  it("have the same slots, except a number that the text spells out", async () => {
    for (const [key, entry] of await entriesOf(tag)) {
      const english = formsOf(englishStrings[key as StringKey]).at(-1) ?? "";
      const isCounted = typeof entry !== "string";
      for (const [category, text] of Object.entries(isCounted ? entry : { other: entry })) {
        const mayLeaveOut = isCounted && ["zero", "one", "two"].includes(category);
        const slots = mayLeaveOut ? withoutCount(slotsOf(text)) : slotsOf(text);
        expect(slots, `${key}, ${category}`).toEqual(
          mayLeaveOut ? withoutCount(slotsOf(english)) : slotsOf(english),
        );
      }
    }
  });

  it("have a sentence for each error code", async () => {
    const language = await languages[tag].load();
    expect(Object.keys(language.errors ?? {}).toSorted()).toEqual(Object.keys(errors).toSorted());
  });

  it("are translated, except names, keys and search syntax", async () => {
    const same = (await entriesOf(tag)).filter(
      ([key, entry]) => JSON.stringify(entry) === JSON.stringify(englishStrings[key as StringKey]),
    );
    const mayBeSame = /^(app\.(name|title|titleIn|titleReady)|key\.|search\.hint|settings\.sendEnter$)/;
    expect(same.map(([key]) => key).filter((key) => !mayBeSame.test(key))).toEqual([]);
  });
});

function withoutCount(slots: string[]): string[] {
  return slots.filter((slot) => slot !== "count");
}

it("has no component with a text of its own", () => {
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
  it("fills in slots and selects the plural form", () => {
    expect(t("thread.deleted", { title: "{count} $& lines" })).toBe("Deleted “{count} $& lines”.");
    expect(t("thread.latestLines", { count: 1 })).toBe("1 new line");
    expect(t("thread.latestLines", { count: 12 })).toBe("12 new lines");
  });

  it("isolates a title of the other direction from the quotes around it", async () => {
    expect(t("thread.deleted", { title: "أنهار" })).toBe("Deleted “\u2068أنهار\u2069”.");
    await switchTo("ar");
    expect(t("thread.deleted", { title: "Rivers (2)" })).toBe("حُذفت «\u2068Rivers (2)\u2069».");
  });

  it("selects each of the six plural forms of Arabic", async () => {
    await switchTo("ar");
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

it("translates error codes of the contract and no others", async () => {
  expect(errorSentence("thread-not-found")).toBe(errors["thread-not-found"].message);
  const { errors: sentences } = await switchTo("ar");
  expect(errorSentence("thread-not-found")).toBe(sentences?.["thread-not-found"]);
  expect(errorSentence("toString")).toBeUndefined();
  expect(errorSentence("toString", true)).toBeUndefined();
});

/** The numbers in sentences of errors. Those of a noun's own errors are limits of the noun. */
const errorNumbers: Partial<Record<ErrorCode, readonly number[]>> = {
  "attributes-too-large": [limits.reportAttributesBytes / 1024],
  "bad-day-range": [limits.usageDaysMax],
  "workspace-claim-missing": [1, limits.nameCharacters],
  "invalid-user-header": [1, limits.nameCharacters],
  "invalid-workspace-header": [1, limits.nameCharacters],
  "too-many-origins": [limits.appOriginsMax],
  "too-many-groups": [limits.groupsMax],
  "too-many-members": [limits.threadMembersMax],
  "too-many-shares": [limits.sharesMax],
  "too-many-pins": [limits.pinnedMessagesMax, limits.pinnedCharactersMax],
  "too-many-personal-keys": [limits.personalKeysMax],
  "too-many-assistants": [limits.assistantsMax],
  "too-many-providers": [limits.providersMax],
  "too-many-passkeys": [limits.passkeysMax],
  "import-too-many-files": [limits.importZipFilesMax],
  "pdf-too-many-pages": [limits.pdfPages],
  "pdf-too-large": [limits.pdfBytes / 1024 ** 2],
};

it.each(languageTags)("names the numbers of the limits in error messages, in %s", async (tag) => {
  await switchTo(tag);
  for (const code of Object.keys(errors) as ErrorCode[]) {
    const written = errorSentence(code)?.match(/(?<![\w=-])\d+(?:,\d{3})*/g) ?? [];
    const numbers = written.map((number) => Number(number.replaceAll(",", "")));
    const noun = nouns.find((each) => entriesInTable(each.errors).some(([own]) => own === code));
    if (noun === undefined) expect(numbers, code).toEqual(errorNumbers[code] ?? []);
    else expect(Object.values<number>(noun.limits), code).toEqual(expect.arrayContaining(numbers));
  }
});

const settingsPath: Record<LanguageTag, RegExp> = { en: /Settings >/, ar: /الإعدادات ←/ };

it.each(languageTags)("names settings in error messages only for the owner, in %s", async (tag) => {
  const { ownerErrors } = await switchTo(tag);
  const settings = new RegExp(`[A-Z]{2,}_[A-Z]|${settingsPath[tag].source}`);
  for (const code of Object.keys(errors)) expect(errorSentence(code)).not.toMatch(settings);
  for (const code of Object.keys(ownerErrors)) expect(errorSentence(code, true)).toMatch(settings);
  expect(errorSentence("thread-not-found", true)).toBe(errorSentence("thread-not-found"));
});

it("formats numbers, days and lists for the browser's variety of the language", async () => {
  const day = new Date(2026, 2, 10, 12);
  expect([printNumber(1234.5), printDay(day), printList(["a", "b"])]).toEqual([
    "1,234.5",
    "March 10, 2026",
    "a, b",
  ]);
  await switchTo("en", ["de-DE", "en-GB"]);
  expect(printDay(day)).toBe("10 March 2026");
  await switchTo("ar", ["ar-EG"]);
  expect([printNumber(1234.5), printDay(day)]).toEqual(["١٬٢٣٤٫٥", "١٠ مارس ٢٠٢٦"]);
  await switchTo("ar", ["ar-AE"]);
  expect([printNumber(1234.5), printDay(day)]).toEqual(["1,234.5", "10 مارس 2026"]);
});

it("chooses the setting, else the first of the browser languages that it has, else English", () => {
  expect(chooseLanguage("ar", ["en-US"])).toBe("ar");
  expect(chooseLanguage("system", ["fr", "AR-eg", "en"])).toBe("ar");
  expect(chooseLanguage("system", ["fr-FR", "ja"])).toBe("en");
  expect(chooseLanguage("constructor", [])).toBe("en");
});

it("prints how long ago something was today, the time of yesterday, and the day before", async () => {
  const now = new Date(2026, 2, 10, 14, 30);
  const printed = () =>
    [
      new Date(2026, 2, 10, 14, 18),
      new Date(2026, 2, 10, 0, 5),
      new Date(2026, 2, 9, 23, 58),
      new Date(2026, 2, 8, 23, 58),
    ].map((instant) => printRecent(instant, now).replaceAll(/\p{Zs}/gu, " "));
  expect(printed()).toEqual(["12 minutes ago", "14 hours ago", "yesterday at 11:58 PM", "March 8, 2026"]);
  await switchTo("ar", ["ar-AE"]);
  expect(printed()[0]).toBe("قبل 12 دقيقة");
});

it("prints durations", () => {
  expect(printDuration(0)).toBe("1 ms");
  expect(printDuration(12)).toBe("12 ms");
  expect(printDuration(1830)).toBe("1.8 s");
  expect(printDuration(59_400)).toBe("59 s");
  expect(printDuration(59_940)).toBe("1 min 0 s");
  expect(printDuration(125_000)).toBe("2 min 5 s");
  expect(printDuration(300, true)).toBe("1 second");
  expect(printDuration(7400, true)).toBe("7 seconds");
});

it("prints sizes in units of 1024", () => {
  const sizes = [0, 1023, 1024, 1536 * 1024, 1024 * 1024 * 1024, 15 * 1024 * 1024];
  expect(sizes.map(printBytes)).toEqual(["0 bytes", "1,023 bytes", "1 kB", "1.5 MB", "1 GB", "15 MB"]);
});
