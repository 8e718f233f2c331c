import { createHash } from "node:crypto";
import { idPrefixes } from "#contract/facts/id-prefixes.ts";
import { isId } from "#contract/ids.ts";
import { isJsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { RefusedError, type Remote } from "./remote.ts";
import type { Source, SourceThread } from "./source.ts";

/**
 * The result for one thread. `here`: it was copied before and has no newer messages. `deleted`: it was copied before and
 * then deleted here.
 */
export type CopiedThread = { id: string; state: "copied" | "here" | "deleted"; messages: number };

/** A metadata key that a thread has until its copy is complete, so that an interrupted copy can continue. */
const copyStateKey = "parlance_copy";
/** The time of a new thread until its copy is complete, which puts it at the end of every list. */
const endOfList = new Date(0).toISOString();

/**
 * Copies one thread to this server. Its id is derived from the source, so copying twice stores it once. If the thread exists
 * here and its last message is at the source, it gets the newer messages and metadata, but keeps its title and archive
 * state. If its last message was written here, it stays unchanged. Throws `RefusedError` if it cannot be copied.
 */
export async function copyThread(options: {
  source: Source;
  sourceUrl: string;
  target: Remote;
  workspace: string;
  thread: SourceThread;
}): Promise<CopiedThread> {
  const { target, workspace, thread } = options;
  const id = targetId(options.sourceUrl, thread.id);
  const path = `/v1/threads/${id}`;

  const before = await target.request("GET", path, { workspace }).then(parseThread, undefinedIfMissing);
  const state = before === undefined ? "new" : (before.unfinished ?? "again");
  if (before !== undefined && before.unfinished === undefined) {
    if (before.lastMessageAtMs >= Date.parse(thread.last_message_at))
      return { id, state: "here", messages: 0 };
    await target.request("PUT", path, { workspace, body: { metadata: { [copyStateKey]: "again" } } });
  }
  if (before === undefined) {
    // The same body in each attempt, so that this server recognizes the thread.
    const external = thread.external_id === null ? {} : { external_id: thread.external_id };
    const body = { id, last_message_at: endOfList, metadata: { [copyStateKey]: "new" }, ...external };
    const { status } = await target
      .request("POST", "/v1/threads", { workspace, body })
      .catch((error: unknown) => {
        throw error instanceof RefusedError && error.status === 409
          ? new OtherWorkspaceError(workspace)
          : error;
      });
    // The server has the thread but does not return it: it is in the trash.
    if (
      status === 200 &&
      (await target.request("GET", path, { workspace }).catch(undefinedIfMissing)) === undefined
    )
      return { id, state: "deleted", messages: 0 };
  }

  const messages = await copyMessages(options, path);

  await target.request("PUT", path, {
    workspace,
    body: {
      last_message_at: thread.last_message_at,
      metadata: isJsonObject(thread.metadata) ? thread.metadata : null,
      ...(state === "new" ? titleAndArchive(thread) : {}),
    },
  });
  return { id, state: "copied", messages };
}

/** The id is taken: the thread was copied to another workspace before, or belongs to another app of this server. */
class OtherWorkspaceError extends RefusedError {
  constructor(workspace: string) {
    super(
      409,
      `This thread already exists in another workspace than ${workspace}. Copy it into that workspace, or delete it there permanently first.`,
    );
  }
}

/** Our own ids are kept, so that links still work. Other ids are replaced by one derived from them. */
function targetId(sourceUrl: string, id: string): string {
  const isOurs: boolean = isId("thread", id);
  if (isOurs) return id;
  const digest = createHash("sha256").update(`${sourceUrl}\n${id}`).digest();
  return idPrefixes.thread + [...digest.subarray(0, 24)].map((byte) => letters[byte % 32]).join("");
}

const letters = "0123456789abcdefghjkmnpqrstvwxyz";

/** Returns the number of new messages. */
async function copyMessages(
  { source, target, workspace, thread }: Parameters<typeof copyThread>[0],
  path: string,
): Promise<number> {
  const idsHere = new Map<string, string>();
  let createdCount = 0;
  for await (const page of source.messages(thread)) {
    for (const message of page) {
      const parent = message.parent_id === null ? null : idsHere.get(message.parent_id);
      if (parent === undefined)
        throw new RefusedError(409, `Its message ${message.id} has a parent that the source does not list.`);
      // A copy keeps the source's titles, so the server need not generate others.
      const { status, body } = await target.request("POST", `${path}/messages?title=false`, {
        workspace,
        body: {
          parent_id: parent,
          external_id: message.external_id ?? message.id,
          format: message.format,
          content: message.content,
        },
      });
      if (status === 201) createdCount++;
      const { message_id: copiedId } = body as { message_id: string };
      idsHere.set(message.id, copiedId);
    }
  }
  return createdCount;
}

function titleAndArchive({ title, is_archived }: SourceThread): object {
  const named = title === null || title === "" ? {} : { title: title.slice(0, limits.titleCharacters) };
  return { ...named, ...(is_archived ? { is_archived } : {}) };
}

function parseThread({ body }: { body: unknown }): { lastMessageAtMs: number; unfinished?: string } {
  const { thread } = body as { thread: { last_message_at: string; metadata: unknown } };
  const state = isJsonObject(thread.metadata) ? thread.metadata[copyStateKey] : undefined;
  return {
    lastMessageAtMs: Date.parse(thread.last_message_at),
    ...(typeof state === "string" ? { unfinished: state } : {}),
  };
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof RefusedError && error.status === 404) return undefined;
  throw error;
}
