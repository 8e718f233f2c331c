import type { NounErrors } from "./error-table.ts";

/**
 * What a noun adds to the lists that all nouns share, apart from its schema and endpoints. Without zod, because the browser
 * gets some of it.
 */
export type NounFacts = {
  /** Chapters of the API reference: one for each first word of its endpoints' names. */
  chapters: Readonly<Record<string, Chapter>>;
  /** The prefixes of its ids: see `newId`. */
  ids: Readonly<Record<string, string>>;
  /** See `limits`. */
  limits: Readonly<Record<string, number>>;
  errors: NounErrors;
  /** Changes that say only that something changed, so that pages load it again: see `Change`. */
  changes: readonly `${string}-put`[];
  auditActions: readonly string[];
};

export type Chapter = { title: string; description: string };
