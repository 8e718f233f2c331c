import type { Language } from "./language.ts";

/**
 * The languages that the app is there in, by their tags. `name` is how its own readers call it. `words` is the file of
 * its words, loaded where it is chosen and only then, and `font` the part of a font file's name that it needs at once.
 * To add one: its file, and its line here; the compiler and the tests say what its file lacks.
 */
export const languages = {
  en: {
    name: "English",
    direction: "ltr",
    words: "en.ts",
    font: undefined,
    load: async (): Promise<Language> => (await import("./en.ts")).english,
  },
  ar: {
    name: "العربية",
    direction: "rtl",
    words: "ar.ts",
    font: "vazirmatn-arabic-wght-normal",
    load: async (): Promise<Language> => (await import("./ar.ts")).arabic,
  },
} as const;

export type LanguageTag = keyof typeof languages;

/** The language for a person who has set `setting`, and whose browser wants `wanted`, best first: else English. */
export function chooseLanguage(setting: string, wanted: readonly string[]): LanguageTag {
  const names = [setting, ...wanted].map((tag) => tag.split("-")[0]?.toLowerCase() ?? "");
  return names.find(isLanguage) ?? "en";
}

function isLanguage(name: string): name is LanguageTag {
  return Object.hasOwn(languages, name);
}
