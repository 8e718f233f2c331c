import { createHash } from "node:crypto";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { SharedMessage } from "#contract/parts/share-page.ts";
import { limits } from "#contract/limits.ts";
import { lastSeq, readAfter } from "#storage/log/log.ts";
import type { Database } from "#storage/database/database.ts";
import { unpackRow } from "#storage/lib/packed-content.ts";
import { filesByMessage, filesReferencedBy } from "../files/file-reference-rows.ts";
import { replaceFileUrls } from "../lib/file-urls/file-urls.ts";
import { authorsOfRows, type AuthorsOf } from "../messages/authors.ts";
import { withoutLeases } from "../messages/client-leases/without-leases.ts";
import type { MessageRow } from "../messages/rows.ts";
import * as tree from "../messages/tree-rows.ts";
import { runTopic } from "../runs/log/topics.ts";
import type { OpenShare } from "./rows.ts";
import {
  findSharedHead,
  findSiblings,
  listReferencingInAll,
  listStored,
  type StoredContent,
} from "./shared-branches.ts";
import { sharedFiles } from "./shared-parts.ts";

/** A message of a shared branch without its content. */
export type SharedEntry = Pick<SharedMessage, "id" | "role" | "author" | "isRunning" | "branches"> & {
  /** The files that it references, if the link shares files. */
  files: string[];
  /** Changes whenever what is shown of the message does. */
  version: string;
  /** When its row was changed. */
  updatedAt: number;
  /** The run that is writing it. */
  runId: string | undefined;
  /** About the length of its content. */
  characters: number;
};

/** A page of a shared branch, oldest message first. */
export type SharedBranch = {
  messages: SharedEntry[];
  /** The first message, if there are earlier ones: `before` for the page above. */
  earlier: string | undefined;
  /** The beginning of the first words, for previews. */
  description: string;
};

/** The content of a message, as it is stored or as the log of its run. */
export type EntryContent = StoredContent | { events: string[] };

/** What a reader looks at: the branch through the message `at`, and the messages before `before`. */
export type Position = { at?: string | undefined; before?: string | undefined };

/** Messages that are searched for a file. A picture is referenced by a few. */
const referencesMax = 20;
const largeCharacters = 200_000;
const logPage = 200;
const descriptionCharacters = 200;

export type BranchReader = ReturnType<typeof createBranchReader>;

/**
 * Reads what links show: a branch up to the snapshot's last message, or what its person sees now. It reads in the read
 * worker, because the length of a branch and of its messages decides how long that takes.
 */
export function createBranchReader({
  db,
  authorsOf,
  filesIn,
}: {
  db: Database;
  authorsOf: AuthorsOf;
  filesIn: (stored: StoredContent) => Promise<string[]>;
}) {
  const q = db.readWorker;

  /** The messages up to `before`, which must be in the branch, or to its end. */
  async function endOf(share: OpenShare, { at, before }: Position): Promise<string | undefined> {
    const head = await findSharedHead(q, share, at);
    if (head === undefined || before === undefined) return head;
    if (!(await tree.isAncestorOrSelf(q, share.thread_id, before, head))) return head;
    return (await tree.findParent(q, share.thread_id, before)) ?? undefined;
  }

  async function listEntries(share: OpenShare, end: string | undefined) {
    if (end === undefined) return { page: [], hasMore: false };
    const range = { limit: limits.sharePage, charactersMax: limits.sharePageCharacters };
    const { rows: page, hasMore } = await tree.listEntries(q, share.thread_id, end, range);
    return { page: page.toReversed(), hasMore };
  }

  async function listReferencing(share: OpenShare, fileId: string): Promise<string[]> {
    const search = { fileId, limit: referencesMax };
    if (share.all_branches === 1) return await listReferencingInAll(q, share, search);
    const below = await findSharedHead(q, share, undefined);
    return below === undefined ? [] : await tree.listReferencing(q, share.thread_id, { ...search, below });
  }

  async function readEvents(runId: string): Promise<string[]> {
    const events: string[] = [];
    for (let after = 0; ;) {
      const { entries } = await readAfter(db, runTopic(runId), after, logPage);
      const last = entries.at(-1);
      if (last === undefined) return events;
      for (const { body } of entries) events.push(body);
      after = last.seq;
      // The log of a long answer has megabytes.
      await yieldToEventLoop();
    }
  }

  /** Only messages with whole files inside them are large. They are read in a worker thread. */
  async function filesOfStored(row: StoredContent): Promise<string[]> {
    if (row.content.length + row.plain_text.length > largeCharacters) return await filesIn(row);
    return sharedFiles(unpackRow(row));
  }

  return {
    /** A page of messages. */
    async read(share: OpenShare, position: Position): Promise<SharedBranch> {
      const { page, hasMore } = await listEntries(share, await endOf(share, position));
      const shown = page.filter((row) => isShown(share, row));
      const ids = shown.map(({ id }) => id);
      const [files, siblings, authors] = await Promise.all([
        share.with_files === 0 ? new Map<string, string[]>() : filesByMessage({ engine: db.engine, q }, ids),
        findSiblings(q, share, shown),
        authorsOfRows(authorsOf, share.app_id, shown),
      ]);
      const messages: SharedEntry[] = [];
      for (const row of shown) {
        const author = authors.get(row.id);
        const runId = isRunning(row) ? (row.run_id ?? undefined) : undefined;
        const entry = {
          id: row.id,
          role: row.role as SharedMessage["role"],
          author: author?.assistant_name ?? author?.model ?? null,
          isRunning: isRunning(row),
          branches: siblings.get(row.id),
          files: files.get(row.id) ?? [],
        };
        const written = runId === undefined ? row.updated_at : await lastSeq(db.read, runTopic(runId));
        const version = versionOf([entry, row.status, row.characters, written]);
        messages.push({ ...entry, version, updatedAt: row.updated_at, runId, characters: row.characters });
      }
      const opening = replaceFileUrls(shown.find((row) => row.opening !== "")?.opening ?? "", () => "");
      const description = opening.replaceAll(/\s+/g, " ").trim().slice(0, descriptionCharacters);
      return {
        messages,
        earlier: hasMore ? page[0]?.id : undefined,
        description: description.toWellFormed(),
      };
    },

    /** The contents of messages of a page, by id. Those that were deleted meanwhile are left out. */
    async listContents(
      share: OpenShare,
      entries: readonly Pick<SharedEntry, "id" | "runId">[],
    ): Promise<Map<string, EntryContent>> {
      const ids = entries.filter(({ runId }) => runId === undefined).map(({ id }) => id);
      const contents = new Map<string, EntryContent>(await listStored(db, share.thread_id, ids));
      for (const { id, runId } of entries)
        if (runId !== undefined) contents.set(id, { events: await readEvents(runId) });
      return contents;
    },

    /** The finished messages of the whole branch, for a copy; the last ones if it is larger than copies may be. */
    async listAll(share: OpenShare, at: string | undefined): Promise<MessageRow[]> {
      const head = await findSharedHead(q, share, at);
      if (head === undefined) return [];
      const range = { limit: limits.copiedMessagesMax, charactersMax: limits.copiedCharactersMax };
      const { rows } = await tree.listAncestors(q, share.thread_id, head, range);
      const shown = rows.toReversed().filter((row) => isShown(share, row) && !isRunning(row));
      return await withoutLeases({ engine: db.engine, q }, shown);
    },

    /** The ids of the files that these messages reference, if the link shares files. */
    async filesOf(share: OpenShare, page: readonly Pick<MessageRow, "id">[]): Promise<Set<string>> {
      if (share.with_files === 0 || page.length === 0) return new Set();
      return await filesReferencedBy(
        { engine: db.engine, q },
        page.map(({ id }) => id),
      );
    },

    /** Whether the link shares this file: a message of its branch, or of one of its branches, shows it. */
    async sharesFile(share: OpenShare, fileId: string): Promise<boolean> {
      if (share.with_files === 0) return false;
      for (const id of await listReferencing(share, fileId)) {
        const row = (await listStored(db, share.thread_id, [id])).get(id);
        if (row !== undefined && isShown(share, row) && (await filesOfStored(row)).includes(fileId))
          return true;
      }
      return false;
    },
  };
}

/** System messages are hidden, and a snapshot has no answer that is still being written. */
function isShown({ head_id }: OpenShare, row: Pick<MessageRow, "role" | "status">): boolean {
  if (row.role !== "user" && row.role !== "assistant") return false;
  return head_id === null || !isRunning(row);
}

function isRunning({ status }: Pick<MessageRow, "status">): boolean {
  return status === "running" || status === "requires-action";
}

function versionOf(facts: unknown): string {
  return createHash("sha256").update(JSON.stringify(facts)).digest("base64url").slice(0, 22);
}
