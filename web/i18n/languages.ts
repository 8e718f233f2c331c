import type { languageDirections, LanguageTag } from "#contract/i18n/languages.ts";
import type { LanguageEntry } from "./language.ts";

/** The languages of the app by tag. Each has a folder of the same name beside this file. */
export const languages = {
  en: {
    name: "English",
    direction: "ltr",
    font: undefined,
    notLoaded: "Parlance did not load. Reload the page.",
    load: async () => (await import("./en/en.ts")).language,
  },
  ar: {
    name: "العربية",
    direction: "rtl",
    font: "vazirmatn-arabic-wght-normal",
    notLoaded: "لم يُحمَّل Parlance. أعد تحميل الصفحة.",
    load: async () => (await import("./ar/ar.ts")).language,
  },
} as const satisfies {
  [Tag in LanguageTag]: LanguageEntry & { direction: (typeof languageDirections)[Tag] };
};

export type { LanguageTag };

/**
 * The language to show: the one in `setting`, else the first of the browser's languages (best first) that the app has,
 * else English.
 */
export function chooseLanguage(setting: string, browserLanguages: readonly string[]): LanguageTag {
  const names = [setting, ...browserLanguages].map((tag) => tag.split("-")[0]?.toLowerCase() ?? "");
  return names.find(isLanguage) ?? "en";
}

function isLanguage(name: string): name is LanguageTag {
  return Object.hasOwn(languages, name);
}
