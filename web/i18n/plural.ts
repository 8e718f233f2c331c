/** One text per plural category of the language: English has `one` and `other`, Arabic has six. */
export type Plural<Category extends Intl.LDMLPluralRule = "other"> = {
  [C in Category | "other"]: string;
};
