import type { ErrorCode } from "#contract/errors.ts";
import type { en } from "./en.ts";

export type WordKey = keyof typeof en;

/**
 * An entry that depends on a number, by the plural categories of its language: English has `one` and `other`, others
 * have up to six.
 */
export type Plural<Category extends Intl.LDMLPluralRule = "other"> = {
  [C in Category | "other"]: string;
};

/** The catalogue's keys with the words of a language whose plurals have these categories. */
export type Words<Category extends Intl.LDMLPluralRule = "other"> = {
  readonly [Key in WordKey]: (typeof en)[Key] extends string ? string : Plural<Category>;
};

/** What is loaded of a language. */
export type Language = {
  words: Words;
  /** What each error code of the service means, in this language; absent where the service's own words will do. */
  errors?: Readonly<Record<ErrorCode, string>>;
};
