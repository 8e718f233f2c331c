import * as z from "zod/mini";
import { isJsonObject, type JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { CommandError } from "../errors.ts";
import { RefusedError, type Remote } from "./remote.ts";

/** What is read of a thread elsewhere. */
const thread = z.object({
  id: z.string(),
  workspace_id: z.string(),
  title: z.nullable(z.string()),
  external_id: z.nullable(z.string()),
  last_message_at: z.string(),
  is_archived: z.boolean(),
  metadata: z.unknown(),
});
export type SourceThread = z.infer<typeof thread>;

/** What is read of a message. Its content stays the object that came: no key or order is lost. */
const message = z.object({
  id: z.string(),
  parent_id: z.nullable(z.string()),
  external_id: z.optional(z.nullable(z.string())),
  format: z.string(),
  content: z.custom<JsonObject>(isJsonObject, "must be a JSON object"),
});
export type SourceMessage = z.infer<typeof message>;

/** The threads of one workspace, or of every workspace of the key's project where none is named. */
export type Source = {
  threads(): AsyncGenerator<SourceThread>;
  /** A thread's messages, parents before children, in pages of which one is held at a time. */
  messages(thread: SourceThread): AsyncGenerator<SourceMessage[]>;
};

export function createSource(remote: Remote, workspace: string | undefined): Source {
  const prefix = workspace === undefined ? "/v1/projects/threads" : "/v1/threads";

  async function list<Row>(
    path: string,
    field: string,
    row: z.ZodMiniType<Row>,
    query: Query,
  ): Promise<Row[]> {
    const { body } = await remote.ask("GET", path, { query, workspace });
    const rows = isJsonObject(body) ? body[field] : undefined;
    const read = z.safeParse(z.array(row), rows);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    throw new CommandError(
      `The source answered GET ${path} in a way that is not the protocol's: ${[field, ...(issue?.path ?? [])].join(".")} ${issue?.message ?? ""}`,
    );
  }

  async function* side(archived: boolean): AsyncGenerator<SourceThread> {
    let after: string | undefined;
    let first: string | undefined;
    for (;;) {
      const query = { is_archived: String(archived), limit: String(limits.threadPageMax), after };
      const page = await list(prefix, "threads", thread, query).catch(noService);
      // A server that does not know the place any more begins anew.
      if (first !== undefined && page[0]?.id === first) return;
      first ??= page[0]?.id;
      yield* page;
      after = page.at(-1)?.id;
      if (page.length < limits.threadPageMax) return;
    }
  }

  /**
   * The list comes newest first and children must go after their parents. So the places of the pages are gone through
   * first, and the pages then read from the last one back.
   */
  async function* pages(of: SourceThread, limit: number): AsyncGenerator<SourceMessage[]> {
    const page = async (after: string | undefined) =>
      await list(`${prefix}/${encodeURIComponent(of.id)}/messages`, "messages", message, {
        limit: String(limit),
        after,
      });
    const places: (string | undefined)[] = [undefined];
    let oldest = await page(undefined);
    while (oldest.length === limit) {
      const last = oldest.at(-1)?.id;
      if (places.includes(last)) break;
      const next = await page(last);
      if (next.length === 0) break;
      places.push(last);
      oldest = next;
    }
    yield oldest.toReversed();
    for (let at = places.length - 2; at >= 0; at--) {
      const rows = await page(places[at]);
      if (rows.at(-1)?.id !== places[at + 1]) throw new MovedError();
      yield rows.toReversed();
    }
  }

  return {
    async *threads() {
      yield* side(false);
      yield* side(true);
    },
    async *messages(of) {
      let limit: number = limits.messagePageMax;
      for (let begun = 1; ; begun++) {
        try {
          yield* pages(of, limit);
          return;
        } catch (error) {
          const tooLarge = error instanceof RefusedError && error.status === 413 && limit > 1;
          if (tooLarge) limit = Math.ceil(limit / 4);
          else if (!(error instanceof MovedError) || begun >= beginningsMax) throw error;
        }
      }
    },
  };
}

type Query = Record<string, string | undefined>;

/** How often a thread that is being written in is begun anew: what was copied is known by then, and not stored twice. */
const beginningsMax = 10;

/** The thread got new messages between the two walks over it. */
class MovedError extends Error {
  override readonly message =
    "The thread is being written in at the source. Run it again in a quieter moment.";
}

function noService(error: unknown): never {
  if (!(error instanceof RefusedError)) throw error;
  throw new CommandError(
    `The source does not list threads: ${error.message} Is this the address of the chat service?`,
  );
}
