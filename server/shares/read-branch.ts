import type { SharedMessage } from "#contract/parts/share-page.ts";
import { fold } from "#contract/fold.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import { filesReferencedBy } from "../files/file-reference-rows.ts";
import { authorsOfRows, type AuthorsOf } from "../messages/authors.ts";
import { replyContent } from "../messages/replies/reply-content.ts";
import { findMessage, type MessageRow } from "../messages/rows.ts";
import * as tree from "../messages/tree-rows.ts";
import { ownFormat } from "../messages/write-messages.ts";
import { readRunLog } from "../runs/log/run-log.ts";
import type { OpenShare } from "./rows.ts";
import { findSharedHead, findSiblings, listReferencingInAll } from "./shared-branches.ts";
import { cutParts, isEditedByHand, sharedFiles, sharedParts, type AddressOf } from "./shared-parts.ts";

/** A page of a shared branch, oldest message first. */
export type SharedBranch = {
  messages: SharedMessage[];
  /** The first message, if there are earlier ones: `before` for the page above. */
  earlier: string | undefined;
  /** Runs that are writing one of the messages. */
  runIds: string[];
};

/** What a reader looks at: the branch through the message `at`, and the messages before `before`. */
export type Position = { at?: string | undefined; before?: string | undefined };

/** Messages that are searched for a file. A picture is referenced by a few. */
const referencesMax = 20;

export type BranchReader = ReturnType<typeof createBranchReader>;

/** Reads what links show: a branch up to the snapshot's last message, or what its person sees now. */
export function createBranchReader({ db, authorsOf }: { db: Database; authorsOf: AuthorsOf }) {
  async function contentOf(row: MessageRow): Promise<Pick<MessageRow, "format" | "content">> {
    if (!isRunning(row) || row.run_id === null) return row;
    const { events } = await readRunLog(db, row.run_id);
    return { format: ownFormat, content: JSON.stringify(replyContent(fold(events))) };
  }

  /** The messages up to `before`, which must be in the branch, or to its end. */
  async function endOf(share: OpenShare, { at, before }: Position): Promise<string | undefined> {
    const head = await findSharedHead(db.read, share, at);
    if (head === undefined || before === undefined) return head;
    if (!(await tree.isAncestorOrSelf(db.read, share.thread_id, before, head))) return head;
    return (await tree.findParent(db.read, share.thread_id, before)) ?? undefined;
  }

  async function listRows(share: OpenShare, end: string | undefined, limit: number) {
    if (end === undefined) return { page: [], hasMore: false };
    const range = { limit, charactersMax: limits.sharePageCharacters };
    const { rows: page, hasMore } = await tree.listAncestors(db.read, share.thread_id, end, range);
    return { page: page.toReversed(), hasMore };
  }

  async function listReferencing(share: OpenShare, fileId: string): Promise<string[]> {
    const search = { fileId, limit: referencesMax };
    if (share.all_branches === 1) return await listReferencingInAll(db.read, share, search);
    const below = await findSharedHead(db.read, share, undefined);
    return below === undefined
      ? []
      : await tree.listReferencing(db.read, share.thread_id, { ...search, below });
  }

  return {
    /** A page of messages. `addressOf` gives the address of a file that the link shares. */
    async read(share: OpenShare, position: Position, addressOf: AddressOf): Promise<SharedBranch> {
      const { page, hasMore } = await listRows(share, await endOf(share, position), limits.sharePage);
      const shown = page.filter((row) => isShown(share, row));
      const files = await this.filesOf(share, page);
      const siblings = await findSiblings(db.read, share, shown);
      const authors = await authorsOfRows(authorsOf, share.project_id, page);
      const messages: SharedMessage[] = [];
      for (const row of shown) {
        const { format, content } = await contentOf(row);
        const author = authors.get(row.id);
        messages.push({
          id: row.id,
          role: row.role as SharedMessage["role"],
          ...cutParts(sharedParts(format, content, (id) => (files.has(id) ? addressOf(id) : ""))),
          author: author?.assistant_name ?? author?.model ?? null,
          isRunning: isRunning(row),
          isEdited: isEditedByHand(content),
          branches: siblings.get(row.id),
        });
      }
      return {
        messages,
        earlier: hasMore ? page[0]?.id : undefined,
        runIds: shown.filter(isRunning).flatMap((row) => row.run_id ?? []),
      };
    },

    /** The finished messages of the whole branch, for a copy; the last ones if it is larger than copies may be. */
    async listAll(share: OpenShare, at: string | undefined): Promise<MessageRow[]> {
      const head = await findSharedHead(db.read, share, at);
      if (head === undefined) return [];
      const range = { limit: limits.copiedMessagesMax, charactersMax: limits.copiedCharactersMax };
      const { rows } = await tree.listAncestors(db.read, share.thread_id, head, range);
      return rows.toReversed().filter((row) => isShown(share, row) && !isRunning(row));
    },

    /** The ids of the files that these messages reference, if the link shares files. */
    async filesOf(share: OpenShare, page: readonly Pick<MessageRow, "id">[]): Promise<Set<string>> {
      if (share.with_files === 0 || page.length === 0) return new Set();
      return await filesReferencedBy(
        { engine: db.engine, q: db.read },
        page.map(({ id }) => id),
      );
    },

    /** Whether the link shares this file: a message of its branch, or of one of its branches, shows it. */
    async sharesFile(share: OpenShare, fileId: string): Promise<boolean> {
      if (share.with_files === 0) return false;
      for (const id of await listReferencing(share, fileId)) {
        const row = await findMessage(db.read, share.thread_id, id);
        if (row !== undefined && isShown(share, row) && sharedFiles(row).includes(fileId)) return true;
      }
      return false;
    },
  };
}

/** System messages are hidden, and a snapshot has no answer that is still being written. */
function isShown({ head_id }: OpenShare, row: MessageRow): boolean {
  if (row.role !== "user" && row.role !== "assistant") return false;
  return head_id === null || !isRunning(row);
}

function isRunning({ status }: MessageRow): boolean {
  return status === "running" || status === "requires-action";
}
