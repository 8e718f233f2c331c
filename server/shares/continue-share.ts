import { newId } from "#contract/ids.ts";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { SharedPart } from "#contract/parts/share-page.ts";
import type { Database } from "#storage/database/database.ts";
import type { Contents } from "../files/contents.ts";
import { rewriteFileUrls, withoutFileSecrets } from "../lib/file-urls/file-urls.ts";
import type { ImportedFile, TransferFiles } from "../files/transfer-files.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { isOwnUser, type Visitor } from "../lib/route.ts";
import type { ImportedMessage, MessageImport } from "../messages/import-messages.ts";
import { insertCopy } from "../messages/insert-copy.ts";
import type { MessageRow } from "../messages/rows.ts";
import { ownFormat, type ThreadContext } from "../messages/write-messages.ts";
import type { ThreadImport } from "../threads/import-threads.ts";
import type { OpenShares } from "./open-share.ts";
import type { BranchReader } from "./read-branch.ts";
import type { OpenShare } from "./rows.ts";
import { isEditedByHand, markedAddress, sharedFiles, sharedParts } from "./shared-parts.ts";

export type ContinueShare = ReturnType<typeof createContinueShare>;

/** Copies shared threads into the workspaces of their readers. */
export function createContinueShare(options: {
  db: Database;
  clock: Clock;
  openShares: OpenShares;
  branches: BranchReader;
  contents: Pick<Contents, "find">;
  transferFiles: TransferFiles;
  threadImport: ThreadImport;
  messageImport: MessageImport;
}) {
  const { db, clock, openShares, branches, contents, transferFiles, messageImport } = options;

  /** Copies files into the visitor's workspace, except those whose bytes are lost. */
  async function copyFiles(visitor: Visitor, share: OpenShare, ids: string[], signal: AbortSignal) {
    const copied = new Map<string, ImportedFile>();
    for (const [id, file] of await contents.find(share.workspace_id, ids)) {
      const source = await transferFiles.open(file);
      if (source === undefined) continue;
      const described = {
        ids: [newId("file", clock.now())],
        name: file.name,
        sizeBytes: file.size_bytes,
        sha256: file.sha256,
      };
      try {
        copied.set(id, await transferFiles.import(visitor, described, () => source, signal));
      } finally {
        source.destroy();
      }
    }
    return copied;
  }

  /** The rows of the copy: what the link shows of each message, in a chain. */
  async function copyRows(
    context: ThreadContext,
    found: readonly MessageRow[],
    { copied, base }: { copied: ReadonlyMap<string, ImportedFile>; base: string },
  ): Promise<MessageRow[]> {
    let parentId: string | null = null;
    const copies: MessageRow[] = [];
    for (const row of found) {
      // A large message takes long, so other requests are answered in between.
      await yieldToEventLoop();
      const id = newId("message", context.nowMs);
      const addressOf = (file: string) => (copied.has(file) ? markedAddress(file) : "");
      const parts = sharedParts(row.format, row.content, addressOf).filter(isComplete);
      // The link may not show the original, so the copy names the edited answer.
      const custom = isEditedByHand(row.content) ? { edited_from: row.id } : {};
      const text = JSON.stringify({ role: row.role, content: parts, metadata: { custom } });
      const message: ImportedMessage = {
        id,
        parent_id: parentId,
        external_id: null,
        role: row.role,
        format: ownFormat,
        content: JSON.parse(rewriteFileUrls(text, copied, base)) as ImportedMessage["content"],
        author: null,
        isPinned: false,
        status: { status: "complete", status_reason: null, error_code: null },
        createdAtMs: row.created_at,
        updatedAtMs: row.created_at,
      };
      parentId = id;
      copies.push(messageImport.toRow(context, message));
    }
    return copies;
  }

  /**
   * Copies what the link shows into a new thread of the visitor, with its files if it shares them. Returns its id. Throws
   * `share-not-found`, `share-locked` and `quota-full`.
   */
  return async function continueShare(
    visitor: Visitor,
    { token, pass, at }: { token: string; pass?: string | undefined; at?: string | undefined },
    { base, signal }: { base: string; signal: AbortSignal },
  ): Promise<string> {
    // Clients of the protocol do not see shared threads.
    if (!isOwnUser(visitor)) throw new AppError("share-not-found");
    const opened = await openShares.open(token, { visitor, pass });
    if (opened === undefined || opened.state === "members") throw new AppError("share-not-found");
    if (opened.state === "locked") throw new AppError("share-locked");
    const { share } = opened;
    const found = await branches.listAll(share, at);
    if (found.length === 0) throw new AppError("share-not-found");
    const shared = await branches.filesOf(share, found);
    const wanted = new Set<string>();
    for (const row of shared.size === 0 ? [] : found) {
      await yieldToEventLoop();
      for (const id of sharedFiles(row)) if (shared.has(id)) wanted.add(id);
    }
    const copied = await copyFiles(visitor, share, [...wanted], signal);
    const nowMs = clock.now();
    const threadId = newId("thread", nowMs);
    const context = { workspaceId: visitor.workspaceId, threadId, userId: visitor.userId, nowMs };
    const copies = await copyRows(context, found, { copied, base });
    const title = share.title === null ? null : withoutFileSecrets(share.title);
    const copy = { id: threadId, title, assistantId: null, model: null, nowMs };
    await db.write(async (tx) => await insertCopy(tx, options, visitor, copy, copies));
    return threadId;
  };
}

/** Whether the part has all that it needs: files that are not shared have no address. */
function isComplete(part: SharedPart): boolean {
  if (part.type === "image") return part.image !== "";
  return part.type !== "file" || part.data !== "";
}
