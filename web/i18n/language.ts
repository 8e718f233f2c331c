/// <reference types="vite/types/importMeta.d.ts" />
import type { ErrorCode } from "#contract/errors.ts";
import type { strings } from "./en/strings.ts";
import type { texts } from "./en/texts.ts";
import type { Translation } from "./translation.ts";

export type Direction = "ltr" | "rtl";

/** The names of the texts that load with a screen or another part of the page. */
export type TextsName = keyof typeof texts;

type TextsOf<Name extends TextsName> = Awaited<ReturnType<(typeof texts)[Name]>>["texts"];
type Intersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** All English texts. */
export type English = typeof strings & Intersection<{ [Name in TextsName]: TextsOf<Name> }[TextsName]>;
export type StringKey = keyof English;
/** All texts in one of the languages. */
export type AllStrings = Translation<English>;

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
  /** What loads with the page. */
  strings: Translation<typeof strings>;
  /** What loads with a screen or another part of the page. */
  texts: { [Name in TextsName]: () => Promise<{ texts: Translation<TextsOf<Name>> }> };
  /** A sentence for each error code. `undefined` for English, whose sentences are in `contract/errors.ts`. */
  errors: Readonly<Record<ErrorCode, string>> | undefined;
  /** What the owner of the server reads instead. */
  ownerErrors: Readonly<Record<OwnerErrorCode, string>>;
};

/** The texts that are beside the screens and other parts. `files`: what loads each `texts/<tag>.ts`, by its path. */
export function textsIn(files: Record<string, () => Promise<unknown>>): Language["texts"] {
  const named = Object.entries(files).map(([path, load]) => [path.split("/").at(-3), load]);
  return Object.fromEntries(named) as Language["texts"];
}

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
