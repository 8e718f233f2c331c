import type { ImportKind, SkippedContent } from "#contract/endpoints/imports.ts";
import type { Prompt } from "#contract/prompts/endpoints.ts";
import { limits } from "#contract/limits.ts";
import type { Spool } from "#storage/lib/spool.ts";
import { AppError } from "#server/lib/errors.ts";
import type { ExportFiles } from "./other-services/files-of-export.ts";
import type { ServerExport } from "./servers/server-export.ts";
import type { JsonItem } from "./stream-json.ts";
import type { Candidate, ThreadSource } from "./thread-source.ts";

/** How one kind of conversation in another service's export is recognized and converted. */
export type Importer = {
  kind: ImportKind;
  /** The names of the files in a zip that have a list of conversations, or one conversation. */
  files: RegExp;
  /** The name of the file in a zip that has the original names of attached files. */
  originalNames?: RegExp;
  /** Whether an element of a file, or the object that the file is, shows that it is one of this service. `list`: see `JsonItem`. */
  recognizes(value: unknown, list: string): value is Conversation;
  /** The conversations of a file whose elements are not conversations. */
  gather?(file: JsonFile): AsyncIterable<unknown>;
  /** Whether the person wrote nothing of the conversation, so that it is left out. */
  isBlank?(conversation: Conversation): boolean;
  thread(conversation: Conversation, files: ExportFiles): ThreadSource;
};

/** Something in a service's export that there is no place for yet. It is only counted. */
export type NotYet = {
  kind: ImportKind;
  files: RegExp;
  recognizes(value: unknown): boolean;
  /** How many of what an element of a file has. */
  countOf(value: Conversation): Record<string, number>;
};

/** A conversation as the service exports it. */
export type Conversation = Record<string, unknown>;

/** A JSON file of an export. */
export type JsonFile = {
  /** Reads the file from its beginning, with the elements of `lists` one by one. */
  items(lists: readonly string[]): AsyncIterable<JsonItem>;
  /** A place to sort its rows. It is removed when the import ends. */
  openSpool(): Promise<Spool>;
};

/** An export of a known format. `count`: the number of threads, if it is known. */
export type DetectedImport = {
  /** null: the export is empty. */
  kind: ImportKind | null;
  count: number | null;
  threads: AsyncIterable<Candidate>;
  prompts?: readonly Prompt[];
  /** After the last thread: what there is no place for yet. */
  skipped?: () => readonly SkippedContent[];
  /** The people of another product's server. `threads` has nothing then. */
  server?: ServerExport;
  /** After the last thread: the files that no thread references. */
  unused: ExportFiles["unused"];
};

/** The whole file as one conversation: the object, or `elements` of the list. Throws `too-large`. */
export async function* wholeFile({ items }: Pick<JsonFile, "items">): AsyncGenerator<Conversation> {
  const members: Conversation = {};
  const elements: unknown[] = [];
  let characters = 0;
  for await (const item of items([])) {
    if ("element" in item) {
      characters += JSON.stringify(item.element).length;
      if (characters > limits.importConversationBytes) throw new AppError("too-large");
      elements.push(item.element);
    } else members[item.key] = item.value;
  }
  yield elements.length === 0 ? members : { elements };
}
