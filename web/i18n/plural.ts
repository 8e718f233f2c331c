/**
 * An entry that depends on a number, by the plural categories of its language: English has `one` and `other`, others
 * have up to six.
 */
export type Plural<Category extends Intl.LDMLPluralRule = "other"> = {
  [C in Category | "other"]: string;
};
