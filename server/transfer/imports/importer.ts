import type { ImportKind } from "#contract/endpoints/imports.ts";
import type { Prompt } from "#contract/prompts/endpoints.ts";
import type { AppError } from "#server/lib/errors.ts";
import type { ExportFiles } from "./other-services/files-of-export.ts";
import type { ThreadSource } from "./thread-source.ts";

/** How one kind of conversation in another service's export is recognized and converted. */
export type Importer = {
  kind: ImportKind;
  /** The names of the files in a zip that have a list of conversations, or one conversation. */
  files: RegExp;
  /** The name of the file in a zip that has the original names of attached files. */
  originalNames?: RegExp;
  recognizes(value: unknown): value is Conversation;
  /** Whether the person wrote nothing of the conversation, so that it is left out. */
  isBlank?(conversation: Conversation): boolean;
  thread(conversation: Conversation, files: ExportFiles): ThreadSource;
};

/** A conversation as the service exports it. */
export type Conversation = Record<string, unknown>;

/** An export of a known format. `count`: the number of threads, if it is known. */
export type DetectedImport = {
  /** null: the export is empty. */
  kind: ImportKind | null;
  count: number | null;
  threads: AsyncIterable<Candidate>;
  /** The prompts of an export of our own. */
  prompts?: readonly Prompt[];
  /** After the last thread: the files that no thread references. */
  unused: ExportFiles["unused"];
};

/** A thread to import, or why it is refused. The title, if it is known before the thread is read. */
export type Candidate =
  | { title: string | null; source: ThreadSource }
  | { title: string | null; error: AppError };
