import { createStore } from "#web/lib/store.ts";
import { chooseLanguage, languages, type LanguageTag } from "./languages.ts";
import { setLanguage } from "./translate.ts";

const currentTag = createStore<LanguageTag | undefined>(undefined);

/** The tag of the page's language. Components that use it render again when the language changes. */
export const useLanguageTag = currentTag.use;

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
  if (call !== latestCall) return false;
  setLanguage(tag, direction, language, browserLanguages);
  document.documentElement.lang = tag;
  document.documentElement.dir = direction;
  currentTag.set(tag);
  return true;
}
