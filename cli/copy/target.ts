import { createHash } from "node:crypto";
import { idPrefixes, isId } from "#contract/ids.ts";
import { isJsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { RefusedError, type Remote } from "./remote.ts";
import type { Source, SourceThread } from "./source.ts";

/**
 * What became of one thread. `here`: it was copied before and has not gone on since; `deleted`: it was copied before and
 * somebody deleted it here.
 */
export type Copied = { id: string; state: "copied" | "here" | "deleted"; messages: number };

/** What a thread's metadata says until all of it is here: how an interrupted copy is found and gone on with. */
const mark = "parlance_copy";
/** Until its first message is here, a thread that is being copied stands at the end of every list. */
const beforeAll = new Date(0).toISOString();

/**
 * Copies one thread into this server, under an id that follows from where it came from; stored twice is stored once.
 * A thread that is here and was last written in at the source gets its newer messages and metadata; its title and
 * archive are whatever they are here by now. One that was last written in here is left as it is. Throws `RefusedError` where this thread cannot be copied.
 */
export async function copyThread(options: {
  source: Source;
  sourceUrl: string;
  target: Remote;
  workspace: string;
  thread: SourceThread;
}): Promise<Copied> {
  const { target, workspace, thread } = options;
  const id = idHere(options.sourceUrl, thread.id);
  const path = `/v1/threads/${id}`;

  const before = await target.ask("GET", path, { workspace }).then(threadOf, absent);
  const state = before === undefined ? "new" : (before.unfinished ?? "again");
  if (before !== undefined && before.unfinished === undefined) {
    if (before.lastMessageAtMs >= Date.parse(thread.last_message_at))
      return { id, state: "here", messages: 0 };
    await target.ask("PUT", path, { workspace, body: { metadata: { [mark]: "again" } } });
  }
  if (before === undefined) {
    // The same words whenever it is tried, so that this server knows the thread again.
    const external = thread.external_id === null ? {} : { external_id: thread.external_id };
    const body = { id, last_message_at: beforeAll, metadata: { [mark]: "new" }, ...external };
    const { status } = await target
      .ask("POST", "/v1/threads", { workspace, body })
      .catch((error: unknown) => {
        throw error instanceof RefusedError && error.status === 409 ? new ElsewhereError(workspace) : error;
      });
    // This server knows it and does not show it: it is in the trash.
    if (status === 200 && (await target.ask("GET", path, { workspace }).catch(absent)) === undefined)
      return { id, state: "deleted", messages: 0 };
  }

  const messages = await copyMessages(options, path);

  await target.ask("PUT", path, {
    workspace,
    body: {
      last_message_at: thread.last_message_at,
      metadata: isJsonObject(thread.metadata) ? thread.metadata : null,
      ...(state === "new" ? shownAs(thread) : {}),
    },
  });
  return { id, state: "copied", messages };
}

/** Its id is taken: it was copied to another place before, or comes from another project of this very server. */
class ElsewhereError extends RefusedError {
  constructor(workspace: string) {
    super(
      409,
      `This thread is here already, in another workspace than ${workspace}. Copy it into that one, or delete it there for good first.`,
    );
  }
}

/** Ids of ours stay what they are, so that links still lead there; others become one, always the same. */
function idHere(sourceUrl: string, id: string): string {
  const isOurs: boolean = isId("thread", id);
  if (isOurs) return id;
  const digest = createHash("sha256").update(`${sourceUrl}\n${id}`).digest();
  return idPrefixes.thread + [...digest.subarray(0, 24)].map((byte) => letters[byte % 32]).join("");
}

const letters = "0123456789abcdefghjkmnpqrstvwxyz";

/** How many were new here. */
async function copyMessages(
  { source, target, workspace, thread }: Parameters<typeof copyThread>[0],
  path: string,
): Promise<number> {
  const idsHere = new Map<string, string>();
  let made = 0;
  for await (const page of source.messages(thread)) {
    for (const message of page) {
      const parent = message.parent_id === null ? null : idsHere.get(message.parent_id);
      if (parent === undefined)
        throw new RefusedError(409, `Its message ${message.id} has a parent that the source does not list.`);
      const { status, body } = await target.ask("POST", `${path}/messages`, {
        workspace,
        body: {
          parent_id: parent,
          external_id: message.external_id ?? message.id,
          format: message.format,
          content: message.content,
        },
      });
      if (status === 201) made++;
      const { message_id: idOfIt } = body as { message_id: string };
      idsHere.set(message.id, idOfIt);
    }
  }
  return made;
}

function shownAs({ title, is_archived }: SourceThread): object {
  const named = title === null || title === "" ? {} : { title: title.slice(0, limits.titleCharacters) };
  return { ...named, ...(is_archived ? { is_archived } : {}) };
}

function threadOf({ body }: { body: unknown }): { lastMessageAtMs: number; unfinished?: string } {
  const { thread } = body as { thread: { last_message_at: string; metadata: unknown } };
  const said = isJsonObject(thread.metadata) ? thread.metadata[mark] : undefined;
  return {
    lastMessageAtMs: Date.parse(thread.last_message_at),
    ...(typeof said === "string" ? { unfinished: said } : {}),
  };
}

function absent(error: unknown): undefined {
  if (error instanceof RefusedError && error.status === 404) return undefined;
  throw error;
}
