import type { LanguageTag } from "../i18n/languages.ts";

/**
 * Errors by status: `404` or, with flags, `"503, retry"`. A row has the code, the text of the hosted protocol, which its
 * clients read, a bar, and the message for people, which says what to do. Without a bar, the protocol's text is the code in
 * words. `Taken`: codes of other tables, which it must not have.
 *
 * - `retry`: the same request may succeed later.
 * - `expected`: the server works as configured, so the log does not count the 5xx status as a failure.
 * - `other clients`: our own pages never get it, or show the text of the response, so that not every page loads it.
 */
export type ErrorTable<Taken extends string = never> = {
  readonly [Kind in ErrorKind]?: Readonly<Record<string, string>> & { readonly [Code in Taken]?: never };
};

/** The errors of a noun, likewise, with the message in every language. */
export type NounErrors = { readonly [Kind in ErrorKind]?: Readonly<Record<string, NounError>> };

/** `protocol`: the text of the hosted protocol. Without it, that is the code in words. */
export type NounError = Readonly<Record<LanguageTag, string>> & { readonly protocol?: string };

type Optional<Flag extends string> = "" | `, ${Flag}`;
type ErrorKind = number | `${number}${Optional<"retry">}${Optional<"expected">}${Optional<"other clients">}`;

export type CodeIn<Table> = Table extends unknown ? KeyOf<Table[keyof Table]> : never;
type KeyOf<Rows> = Rows extends unknown ? keyof Rows & string : never;

export type ErrorEntry = {
  status: number;
  error: string;
  message: string;
  retry?: true;
  expected?: true;
  otherClients?: true;
};

export function entriesOf(table: ErrorTable | NounErrors): [code: string, entry: ErrorEntry][] {
  return Object.entries<Readonly<Record<string, string | NounError>> | undefined>(table).flatMap(
    ([kind, rows = {}]) => {
      const [status, ...flags] = kind.split(", ");
      const facts = {
        status: Number(status),
        ...(flags.includes("retry") ? { retry: true as const } : {}),
        ...(flags.includes("expected") ? { expected: true as const } : {}),
        ...(flags.includes("other clients") ? { otherClients: true as const } : {}),
      };
      return Object.entries(rows).map(([code, row]) => {
        const [message = "", error = inWords(code)] =
          typeof row === "string" ? row.split(" | ").toReversed() : [row.en, row.protocol];
        return [code, { ...facts, error, message }] as [string, ErrorEntry];
      });
    },
  );
}

/** `Thread not found` for `thread-not-found`. */
function inWords(code: string): string {
  return code[0]!.toUpperCase() + code.slice(1).replaceAll("-", " ");
}
