import type { ErrorCode } from "#contract/errors.ts";
import type { en } from "./en.ts";
import type { Plural } from "./plural.ts";

export type WordKey = keyof typeof en;

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
