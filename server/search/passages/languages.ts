import { wordsOf } from "../words.ts";

/** What a language says without meaning much, and what its words have in common with their other forms. */
export type Language = {
  code: string;
  /** `term` as it is looked up. */
  isFiller(term: string): boolean;
  /** `term` without its ending, so that `messages` and `message` are one. */
  stem(term: string): string;
};

type Source = {
  fillers(): Promise<{ stopwords: string[] }>;
  stems?(): Promise<{ stemmer(word: string): string }>;
  /** Where a letter of this script stands in a question, it is in this language. */
  script?: RegExp;
};

const sources: Record<string, Source> = {
  en: {
    fillers: async () => await import("@orama/stopwords/english"),
    stems: async () => await import("@orama/stemmers/english"),
  },
  de: {
    fillers: async () => await import("@orama/stopwords/german"),
    stems: async () => await import("@orama/stemmers/german"),
  },
  fr: {
    fillers: async () => await import("@orama/stopwords/french"),
    stems: async () => await import("@orama/stemmers/french"),
  },
  es: {
    fillers: async () => await import("@orama/stopwords/spanish"),
    stems: async () => await import("@orama/stemmers/spanish"),
  },
  it: {
    fillers: async () => await import("@orama/stopwords/italian"),
    stems: async () => await import("@orama/stemmers/italian"),
  },
  pt: {
    fillers: async () => await import("@orama/stopwords/portuguese"),
    stems: async () => await import("@orama/stemmers/portuguese"),
  },
  nl: {
    fillers: async () => await import("@orama/stopwords/dutch"),
    stems: async () => await import("@orama/stemmers/dutch"),
  },
  sv: {
    fillers: async () => await import("@orama/stopwords/swedish"),
    stems: async () => await import("@orama/stemmers/swedish"),
  },
  no: {
    fillers: async () => await import("@orama/stopwords/norwegian"),
    stems: async () => await import("@orama/stemmers/norwegian"),
  },
  da: {
    fillers: async () => await import("@orama/stopwords/danish"),
    stems: async () => await import("@orama/stemmers/danish"),
  },
  fi: {
    fillers: async () => await import("@orama/stopwords/finnish"),
    stems: async () => await import("@orama/stemmers/finnish"),
  },
  tr: {
    fillers: async () => await import("@orama/stopwords/turkish"),
    stems: async () => await import("@orama/stemmers/turkish"),
  },
  ru: {
    fillers: async () => await import("@orama/stopwords/russian"),
    stems: async () => await import("@orama/stemmers/russian"),
    script: /\p{scx=Cyrl}/u,
  },
  ar: {
    fillers: async () => await import("@orama/stopwords/arabic"),
    stems: async () => await import("@orama/stemmers/arabic"),
    script: /\p{scx=Arab}/u,
  },
  ja: { fillers: async () => await import("@orama/stopwords/japanese"), script: /[\u3041-\u30ff]/u },
  zh: { fillers: async () => await import("@orama/stopwords/mandarin"), script: /\p{Script=Han}/u },
};

/** How people ask for what was said, where the list of fillers lacks it: it is never what they look for. */
const askingWords: Record<string, string> = {
  en: "much many say said says tell told mention mentioned talk talked discuss discussed ask asked remember remind recall thread threads conversation conversations chat chats message messages note notes noted find show know please again",
  de: "wann wer wen wem wieso weshalb wieviel viel gesagt gesprochen besprochen geredet notiz notizen gespräch gespräche bitte",
  fr: "quand où pourquoi combien dit parlé discuté conversation conversations note notes",
  es: "cuándo dónde cuánto cuánta dicho hablado conversación conversaciones nota notas",
  it: "quando dove quanto detto parlato conversazione conversazioni nota note",
  ar: "ابحث اعثر محادثتي محادثاتي محادثاتنا محادثات ملفاتي قلت قلنا ذكرت ذكرنا كتبت كتبنا تحدثنا ناقشنا اتفقنا أحتاج فضلك",
  pt: "quando onde quanto disse falamos conversa conversas nota notas",
};

/** The language that a question is most likely in: by its script, else by whose fillers stand in it. English in doubt. */
export async function languageOf(question: string): Promise<Language> {
  for (const [code, { script }] of Object.entries(sources))
    if (script?.test(question) === true) return await languages.of(code);
  const terms = termsOf(question);
  const codes = Object.keys(sources).filter((code) => sources[code]!.script === undefined);
  const fillers = await Promise.all(codes.map(async (code) => await fillersOf.of(code)));
  const counts = fillers.map((all) => terms.filter((term) => all.has(term)).length);
  return await languages.of(codes[counts.indexOf(Math.max(...counts))]!);
}

/** Each is read once, when it is first needed. */
function once<T>(read: (code: string) => Promise<T>): { of(code: string): Promise<T> } {
  const known = new Map<string, Promise<T>>();
  return {
    async of(code) {
      let value = known.get(code);
      if (value === undefined) known.set(code, (value = read(code)));
      return await value;
    },
  };
}

const fillersOf = once(async (code): Promise<ReadonlySet<string>> => {
  const { stopwords } = await sources[code]!.fillers();
  // As they are looked up, without accents and cut at apostrophes. Pairs of characters are no words.
  const words = code === "ja" || code === "zh" ? stopwords : stopwords.flatMap(termsOf);
  return new Set([...words, ...termsOf(askingWords[code] ?? "")]);
});

const languages = once(async (code): Promise<Language> => {
  const fillers = await fillersOf.of(code);
  const stem = (await sources[code]!.stems?.())?.stemmer ?? ((term: string) => term);
  const stemmed = new Map<string, string>();
  return {
    code,
    isFiller: (term) => fillers.has(term),
    stem(term) {
      const before = stemmed.get(term);
      if (before !== undefined) return before;
      if (stemmed.size >= stemsMax) stemmed.clear();
      const cut = stem(term) || term;
      stemmed.set(term, cut);
      return cut;
    },
  };
});

/** Stems that are kept for the next time; a language has some ten thousand that are used. */
const stemsMax = 50_000;

function termsOf(text: string): string[] {
  return [...wordsOf(text)].map(({ term }) => term);
}
