import { chooseLanguage, languages, type LanguageTag } from "#web/i18n/languages.ts";
import { addStrings, setLanguage } from "#web/i18n/translate.ts";

/**
 * Loads all languages. The result switches to the best one for a tag and returns it. Rendering is synchronous, so no other
 * page can change the language meanwhile.
 */
export async function loadLanguages(): Promise<(language: string) => LanguageTag> {
  const tags = Object.keys(languages) as LanguageTag[];
  const loaded = new Map(
    await Promise.all(
      tags.map(async (tag) => {
        const language = await languages[tag].load();
        const { shares, parts } = language.texts;
        return [tag, { language, more: { ...(await shares()).texts, ...(await parts()).texts } }] as const;
      }),
    ),
  );
  let current: LanguageTag | undefined;
  return (language) => {
    const tag = chooseLanguage(language, []);
    if (tag === current) return tag;
    const { language: strings, more } = loaded.get(tag)!;
    setLanguage(tag, languages[tag].direction, strings);
    addStrings(more);
    current = tag;
    return tag;
  };
}
