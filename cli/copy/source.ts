import * as z from "zod/mini";
import { isJsonObject, type JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { CommandError } from "../errors.ts";
import { RefusedError, type Remote } from "./remote.ts";

/** The fields of a thread that the copy reads. */
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

/** The fields of a message that the copy reads. Its content is copied unchanged, including unknown keys. */
const message = z.object({
  id: z.string(),
  parent_id: z.nullable(z.string()),
  external_id: z.optional(z.nullable(z.string())),
  format: z.string(),
  content: z.custom<JsonObject>(isJsonObject, "must be a JSON object"),
});
export type SourceMessage = z.infer<typeof message>;

/** Reads one workspace, or every workspace of the key's app if none is named. */
export type Source = {
  threads(): AsyncGenerator<SourceThread>;
  /** A thread's messages, parents before children, one page at a time. */
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
    const { body } = await remote.request("GET", path, { query, workspace });
    const rows = isJsonObject(body) ? body[field] : undefined;
    const read = z.safeParse(z.array(row), rows);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    throw new CommandError(
      `The source answered GET ${path} with an unexpected shape: ${[field, ...(issue?.path ?? [])].join(".")} ${issue?.message ?? ""}`,
    );
  }

  async function* threadsOf(archived: boolean): AsyncGenerator<SourceThread> {
    let after: string | undefined;
    let first: string | undefined;
    for (;;) {
      const query = { is_archived: String(archived), limit: String(limits.threadPageMax), after };
      const page = await list(prefix, "threads", thread, query).catch(wrongAddressError);
      // A server that has lost the cursor starts again at the first page.
      if (first !== undefined && page[0]?.id === first) return;
      first ??= page[0]?.id;
      yield* page;
      after = page.at(-1)?.id;
      if (page.length < limits.threadPageMax) return;
    }
  }

  /**
   * The list is newest first, but parents must be copied before children. So this collects the cursors of all pages first,
   * and then reads the pages from last to first.
   */
  async function* pages(of: SourceThread, limit: number): AsyncGenerator<SourceMessage[]> {
    const page = async (after: string | undefined) =>
      await list(`${prefix}/${encodeURIComponent(of.id)}/messages`, "messages", message, {
        limit: String(limit),
        after,
      });
    const cursors: (string | undefined)[] = [undefined];
    let oldest = await page(undefined);
    while (oldest.length === limit) {
      const last = oldest.at(-1)?.id;
      if (cursors.includes(last)) break;
      const next = await page(last);
      if (next.length === 0) break;
      cursors.push(last);
      oldest = next;
    }
    yield oldest.toReversed();
    for (let at = cursors.length - 2; at >= 0; at--) {
      const rows = await page(cursors[at]);
      if (rows.at(-1)?.id !== cursors[at + 1]) throw new MovedError();
      yield rows.toReversed();
    }
  }

  return {
    async *threads() {
      yield* threadsOf(false);
      yield* threadsOf(true);
    },
    async *messages(of) {
      let limit: number = limits.messagePageMax;
      for (let attempt = 1; ; attempt++) {
        try {
          yield* pages(of, limit);
          return;
        } catch (error) {
          const tooLarge = error instanceof RefusedError && error.status === 413 && limit > 1;
          if (tooLarge) limit = Math.ceil(limit / 4);
          else if (!(error instanceof MovedError) || attempt >= attemptsMax) throw error;
        }
      }
    },
  };
}

type Query = Record<string, string | undefined>;

/** How often to restart a thread that changes during the copy. Messages that were copied are not stored twice. */
const attemptsMax = 10;

/** The thread got new messages between the two passes. */
class MovedError extends Error {
  override readonly message = "The thread is changing at the source. Run the copy again later.";
}

function wrongAddressError(error: unknown): never {
  if (!(error instanceof RefusedError)) throw error;
  throw new CommandError(
    `The source does not list threads: ${error.message} Is this the address of the chat service?`,
  );
}
