/**
 * One text per plural category of the language. Each entry has those in `Category`. A category that is missing has the
 * text of `other`.
 */
export type Plural<Category extends Intl.LDMLPluralRule = "other"> = {
  [C in Category | "other"]: string;
} & { [C in Intl.LDMLPluralRule]?: string };
