import { importOrRetry } from "#web/lib/import-or-retry.ts";
import { createStore } from "#web/lib/store.ts";
import type { AllStrings, Language, TextsName } from "./language.ts";
import { chooseLanguage, languages, type LanguageTag } from "./languages.ts";
import { addStrings, setLanguage } from "./translate.ts";

const currentTag = createStore<LanguageTag | undefined>(undefined);

/** The tag of the page's language. Components that use it render again when the language changes. */
export const useLanguageTag = currentTag.use;

/** The tag of the page's language, for what the server writes in it. */
export function currentLanguageTag(): LanguageTag {
  return currentTag.get() ?? "en";
}

const neededTexts = new Set<TextsName>();

/**
 * Loads texts of screens and other parts in the page's language. From then on, they are loaded with every other language
 * too. Throws when they do not load.
 */
export async function loadTexts(...names: TextsName[]): Promise<void> {
  for (const name of names) neededTexts.add(name);
  const tag = currentTag.get();
  if (tag === undefined) return;
  const more = await textsOf(await languages[tag].load(), names);
  if (tag === currentTag.get()) addStrings(more);
}

async function textsOf({ texts }: Language, names: Iterable<TextsName>): Promise<Partial<AllStrings>> {
  const loaded = await Promise.all(
    [...names].map(async (name) => {
      const load: () => Promise<{ texts: Partial<AllStrings> }> = texts[name];
      return await importOrRetry(load);
    }),
  );
  return Object.assign({}, ...loaded.map((module) => module.texts));
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
  const more = await textsOf(language, neededTexts);
  if (call !== latestCall) return false;
  setLanguage(tag, direction, language, browserLanguages);
  addStrings(more);
  document.documentElement.lang = tag;
  document.documentElement.dir = direction;
  currentTag.set(tag);
  return true;
}
