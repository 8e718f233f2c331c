import { createStore } from "#web/lib/store.ts";
import { chooseLanguage, languages, type LanguageTag } from "./languages.ts";
import { speak } from "./translate.ts";

const spoken = createStore<LanguageTag | undefined>(undefined);

/** The language of the page. What shows words is drawn anew when it changes. */
export const useSpoken = spoken.use;

/** Counts the choices: one that loads more slowly than the next is late. */
let latest = 0;

/**
 * Brings the language of the page: the one that is `setting`, else the browser's, else English. Until it is there
 * everything stays as it was. Answers whether it is another than before; throws where its words do not come.
 */
export async function speakChosen(setting: string): Promise<boolean> {
  const mine = ++latest;
  const wanted = navigator.languages;
  const tag = chooseLanguage(setting, wanted);
  if (tag === spoken.get()) return false;
  const { direction, load } = languages[tag];
  const language = await load();
  if (mine !== latest) return false;
  speak(tag, direction, language, wanted);
  document.documentElement.lang = tag;
  document.documentElement.dir = direction;
  spoken.set(tag);
  return true;
}
