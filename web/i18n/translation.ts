/**
 * One text per plural category of the language. Each entry has those in `Category`. A category that is missing has the
 * text of `other`.
 */
export type Plural<Category extends Intl.LDMLPluralRule = "other"> = {
  [C in Category | "other"]: string;
} & { [C in Intl.LDMLPluralRule]?: string };

/** All keys of the English texts, for a language with these plural categories. */
export type Translation<English, Category extends Intl.LDMLPluralRule = "other"> = {
  readonly [Key in keyof English]: English[Key] extends string ? string : Plural<Category>;
};
