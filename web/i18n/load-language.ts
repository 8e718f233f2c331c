import { importOrRetry } from "#web/lib/import-or-retry.ts";
import { createStore } from "#web/lib/store.ts";
import type { Language, ScreenStrings } from "./language.ts";
import { chooseLanguage, languages, type LanguageTag } from "./languages.ts";
import { addStrings, setLanguage } from "./translate.ts";

const currentTag = createStore<LanguageTag | undefined>(undefined);

/** The tag of the page's language. Components that use it render again when the language changes. */
export const useLanguageTag = currentTag.use;

/** The tag of the page's language, for what the server writes in it. */
export function currentLanguageTag(): LanguageTag {
  return currentTag.get() ?? "en";
}

let areScreenStringsNeeded = false;

/**
 * Loads the strings of accounts, the administration and other screens in the page's language. From then on, they are loaded with every
 * other language too. Throws when they do not load.
 */
export async function loadScreenStrings(): Promise<void> {
  areScreenStringsNeeded = true;
  const tag = currentTag.get();
  if (tag === undefined) return;
  const more = await screenStringsOf(await languages[tag].load());
  if (tag === currentTag.get()) addStrings(more);
}

async function screenStringsOf({ importScreenStrings }: Language): Promise<ScreenStrings> {
  return (await importOrRetry(importScreenStrings)).screenStrings;
}

/** Increases with each call, so that a slow load does not replace the language of a later call. */
let latestCall = 0;

/**
 * Loads the language for `setting` (a tag, or `system` for the browser's) and switches the page to it. Nothing changes
 * until it has loaded. Returns whether the language changed; throws when its strings do not load.
 */
export async function loadLanguage(setting: string): Promise<boolean> {
  const call = ++latestCall;
  const browserLanguages = navigator.languages;
  const tag = chooseLanguage(setting, browserLanguages);
  if (tag === currentTag.get()) return false;
  const { direction, load } = languages[tag];
  const language = await load();
  const more = areScreenStringsNeeded ? await screenStringsOf(language) : undefined;
  if (call !== latestCall) return false;
  setLanguage(tag, direction, language, browserLanguages);
  if (more !== undefined) addStrings(more);
  document.documentElement.lang = tag;
  document.documentElement.dir = direction;
  currentTag.set(tag);
  return true;
}
