import type { LanguageTag } from "#contract/i18n/languages.ts";
import { wordsOf } from "../indexed-words.ts";

/** The stop words and the stemmer of a language. */
export type Language = {
  code: string;
  /** `term` is normalized. */
  isStopWord(term: string): boolean;
  /** `term` without its ending, so that `messages` and `message` are one. */
  stem(term: string): string;
};

type Source = {
  stopWords(): Promise<{ stopwords: string[] }>;
  stemmer?(): Promise<{ stemmer(word: string): string }>;
  /** A question with a letter of this script is in this language. */
  script?: RegExp;
};

/** All languages of the app, and more. */
type ByLanguage<T> = Record<LanguageTag, T> & Record<string, T>;

const sources: ByLanguage<Source> = {
  en: {
    stopWords: async () => await import("@orama/stopwords/english"),
    stemmer: async () => await import("@orama/stemmers/english"),
  },
  de: {
    stopWords: async () => await import("@orama/stopwords/german"),
    stemmer: async () => await import("@orama/stemmers/german"),
  },
  fr: {
    stopWords: async () => await import("@orama/stopwords/french"),
    stemmer: async () => await import("@orama/stemmers/french"),
  },
  es: {
    stopWords: async () => await import("@orama/stopwords/spanish"),
    stemmer: async () => await import("@orama/stemmers/spanish"),
  },
  it: {
    stopWords: async () => await import("@orama/stopwords/italian"),
    stemmer: async () => await import("@orama/stemmers/italian"),
  },
  pt: {
    stopWords: async () => await import("@orama/stopwords/portuguese"),
    stemmer: async () => await import("@orama/stemmers/portuguese"),
  },
  nl: {
    stopWords: async () => await import("@orama/stopwords/dutch"),
    stemmer: async () => await import("@orama/stemmers/dutch"),
  },
  sv: {
    stopWords: async () => await import("@orama/stopwords/swedish"),
    stemmer: async () => await import("@orama/stemmers/swedish"),
  },
  no: {
    stopWords: async () => await import("@orama/stopwords/norwegian"),
    stemmer: async () => await import("@orama/stemmers/norwegian"),
  },
  da: {
    stopWords: async () => await import("@orama/stopwords/danish"),
    stemmer: async () => await import("@orama/stemmers/danish"),
  },
  fi: {
    stopWords: async () => await import("@orama/stopwords/finnish"),
    stemmer: async () => await import("@orama/stemmers/finnish"),
  },
  tr: {
    stopWords: async () => await import("@orama/stopwords/turkish"),
    stemmer: async () => await import("@orama/stemmers/turkish"),
  },
  ru: {
    stopWords: async () => await import("@orama/stopwords/russian"),
    stemmer: async () => await import("@orama/stemmers/russian"),
    script: /\p{scx=Cyrl}/u,
  },
  ar: {
    stopWords: async () => await import("@orama/stopwords/arabic"),
    stemmer: async () => await import("@orama/stemmers/arabic"),
    script: /\p{scx=Arab}/u,
  },
  ja: { stopWords: async () => await import("@orama/stopwords/japanese"), script: /[\u3041-\u30ff]/u },
  zh: { stopWords: async () => await import("@orama/stopwords/mandarin"), script: /\p{Script=Han}/u },
};

/** More stop words: words with which people ask about earlier messages. */
const askingWords: ByLanguage<string> = {
  en: "much many say said says tell told mention mentioned talk talked discuss discussed ask asked remember remind recall thread threads conversation conversations chat chats message messages note notes noted find show know please again",
  de: "wann wer wen wem wieso weshalb wieviel viel gesagt gesprochen besprochen geredet notiz notizen gespräch gespräche bitte",
  fr: "quand où pourquoi combien dit parlé discuté conversation conversations note notes",
  es: "cuándo dónde cuánto cuánta dicho hablado conversación conversaciones nota notas",
  it: "quando dove quanto detto parlato conversazione conversazioni nota note",
  ar: "ابحث اعثر محادثتي محادثاتي محادثاتنا محادثات ملفاتي قلت قلنا ذكرت ذكرنا كتبت كتبنا تحدثنا ناقشنا اتفقنا أحتاج فضلك",
  pt: "quando onde quanto disse falamos conversa conversas nota notas",
};

/** The most likely language of a question, by its script or its stop words. English in doubt. */
export async function languageOf(question: string): Promise<Language> {
  for (const [code, { script }] of Object.entries(sources))
    if (script?.test(question) === true) return await languages.of(code);
  const terms = termsOf(question);
  const codes = Object.keys(sources).filter((code) => sources[code]!.script === undefined);
  const stopWords = await Promise.all(codes.map(async (code) => await stopWordsOf.of(code)));
  const counts = stopWords.map((all) => terms.filter((term) => all.has(term)).length);
  return await languages.of(codes[counts.indexOf(Math.max(...counts))]!);
}

/** Caches what `load` returns for each language. */
function createCache<T>(load: (code: string) => Promise<T>): { of(code: string): Promise<T> } {
  const loaded = new Map<string, Promise<T>>();
  return {
    async of(code) {
      let value = loaded.get(code);
      if (value === undefined) loaded.set(code, (value = load(code)));
      return await value;
    },
  };
}

const stopWordsOf = createCache(async (code): Promise<ReadonlySet<string>> => {
  const { stopwords } = await sources[code]!.stopWords();
  // Normalized: without accents and split at apostrophes. Scripts without spaces are not split into pairs here.
  const words = code === "ja" || code === "zh" ? stopwords : stopwords.flatMap(termsOf);
  return new Set([...words, ...termsOf(askingWords[code] ?? "")]);
});

const languages = createCache(async (code): Promise<Language> => {
  const stopWords = await stopWordsOf.of(code);
  const stem = (await sources[code]!.stemmer?.())?.stemmer ?? ((term: string) => term);
  const stemmed = new Map<string, string>();
  return {
    code,
    isStopWord: (term) => stopWords.has(term),
    stem(term) {
      const cached = stemmed.get(term);
      if (cached !== undefined) return cached;
      if (stemmed.size >= stemsMax) stemmed.clear();
      const result = stem(term) || term;
      stemmed.set(term, result);
      return result;
    },
  };
});

/** The size of the cache of stems. A language has some ten thousand words in common use. */
const stemsMax = 50_000;

function termsOf(text: string): string[] {
  return [...wordsOf(text)].map(({ term }) => term);
}
