import type { ErrorCode } from "#contract/errors.ts";
import type { screenStrings } from "./en/screen-strings.ts";
import type { strings } from "./en/strings.ts";
import type { Plural } from "./plural.ts";

export type Direction = "ltr" | "rtl";

type Translated<English, Category extends Intl.LDMLPluralRule> = {
  readonly [Key in keyof English]: English[Key] extends string ? string : Plural<Category>;
};

/** All keys of the English strings, for a language with these plural categories. */
export type Strings<Category extends Intl.LDMLPluralRule = "other"> = Translated<typeof strings, Category>;
export type ScreenStrings<Category extends Intl.LDMLPluralRule = "other"> = Translated<
  typeof screenStrings,
  Category
>;

export type StringKey = keyof Strings | keyof ScreenStrings;

/** Errors about the settings of the server. Only its owner sees the names of the settings. */
export type OwnerErrorCode = Extract<
  ErrorCode,
  | "secret-not-set"
  | "public-url-not-set"
  | "provider-refused-key"
  | "provider-not-a-model"
  | "provider-unreachable"
  | "host-not-allowed"
  | "passkeys-not-here"
>;

/** What a language's folder exports. It is loaded when the language is chosen. */
export type Language = {
  strings: Strings;
  /** The strings of screens that are seldom opened, such as those of accounts and of the administration. */
  importScreenStrings(): Promise<{ screenStrings: ScreenStrings }>;
  /** A sentence for each error code. `undefined` for English, whose sentences are in `contract/errors.ts`. */
  errors: Readonly<Record<ErrorCode, string>> | undefined;
  /** What the owner of the server reads instead. */
  ownerErrors: Readonly<Record<OwnerErrorCode, string>>;
};

/** A language's entry in `languages.ts`. */
export type LanguageEntry = {
  /** In the language itself, for the settings. */
  name: string;
  direction: Direction;
  /** Part of the file name of a font to preload, for a language that is not written in Latin letters. */
  font: string | undefined;
  /** Shown when the app's own files do not load. */
  notLoaded: string;
  load(): Promise<Language>;
};
