import { languageTags, type LanguageTag } from "../i18n/languages.ts";
import type { CodeIn, NounErrors } from "./error-table.ts";
import { nouns, type FactsOf } from "./nouns.ts";

type NounErrorCode = CodeIn<FactsOf<"errors">>;

/**
 * The messages of the errors of nouns, by language and code. In the browser's bundle `scripts/vite/used-values.ts` replaces
 * this module by its value, and each language becomes a module of its own.
 */
export const errorSentences = Object.fromEntries(
  languageTags.map((tag) => [
    tag,
    Object.fromEntries(
      nouns
        .flatMap(({ errors }: { errors: NounErrors }) => Object.values(errors))
        .flatMap((rows) => Object.entries(rows ?? {}))
        .map(([code, row]) => [code, row[tag]]),
    ),
  ]),
) as Readonly<Record<LanguageTag, Readonly<Record<NounErrorCode, string>>>>;
