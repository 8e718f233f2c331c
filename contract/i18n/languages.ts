/** The languages of the app by tag, with the direction that they are written in. */
export const languageDirections = { en: "ltr", ar: "rtl" } as const satisfies Record<string, "ltr" | "rtl">;

export type LanguageTag = keyof typeof languageDirections;

export const languageTags = Object.keys(languageDirections) as LanguageTag[];
