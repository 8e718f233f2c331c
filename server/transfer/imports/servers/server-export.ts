import type { ImportKind, SkippedContent } from "#contract/endpoints/imports.ts";
import type { BodyOf } from "#contract/api.ts";
import type { Prompt } from "#contract/prompts/endpoints.ts";
import type { Actor } from "#server/audit/audit.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { Spool } from "#storage/lib/spool.ts";
import type { Candidate } from "../thread-source.ts";
import type { ExportFiles } from "../other-services/files-of-export.ts";

/** Who imports it. */
export type Administrator = {
  visitor: Visitor;
  /** The person who invites. For the operator, that is the owner. */
  inviterId: string;
  actor: Actor;
  isPreview: boolean;
  base: string;
  signal: AbortSignal;
  /** The page on which people use their invitations. */
  linkOf(token: string): string;
};

/** What the database of another product's server has, by person. */
export type ServerExport = {
  kind: ImportKind;
  people: readonly ForeignPerson[];
  groups: readonly { name: string; members: readonly string[] }[];
  assistants: readonly ForeignAssistant[];
  /** The chats of a person, one in memory at a time. */
  threadsOf(key: string): AsyncIterable<Candidate>;
  promptsOf(key: string): readonly Prompt[];
  /** What there is no place for yet, and what belongs to nobody. */
  skipped: readonly SkippedContent[];
};

/** `key`: their id there. `threads`: how many chats they have. */
export type ForeignPerson = { key: string; name: string; email: string; threads: number };

/** `model`: the name of the model there. */
export type ForeignAssistant = { key: string; model: string } & Pick<
  BodyOf<"assistants.create">,
  "name" | "instructions"
>;

/** The rows of tables or collections, sorted into a spool. */
export type ServerDatabase = {
  kind: ImportKind;
  /** The tables that are read. */
  tables: readonly string[];
  /** Without one of these, it is the database of another product, or of a version that is too new. */
  required: readonly string[];
  /** Where a row of a table is kept, in the order of its time. */
  placeOf(table: string, row: Record<string, unknown>): { key: string; order?: number };
  assemble(spool: Spool, files: ExportFiles, tooLarge: ReadonlyMap<string, number>): ServerExport;
};
