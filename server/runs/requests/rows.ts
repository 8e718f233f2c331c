import { keepStep } from "../replay/kept-steps.ts";
import { deleteSumsOf } from "#server/people/budgets/rows.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import type { Tx } from "#storage/database/database.ts";
import { sql } from "#storage/database/sql.ts";
import type { NewRow, Row } from "#storage/database/tables.ts";
import type { Erased } from "#server/threads/erase.ts";
import type { ThreadMove } from "#server/threads/claim.ts";

/** The SQL of the requests to models: a table that only this module writes. */

/** The owner of a request. A request of a run gets these columns from the run when it is stored. */
export type RequestOwner =
  | { runId: string }
  | {
      appId: string;
      workspaceId: string;
      userId: string;
      /** Null for a request outside of threads. */
      threadId: string | null;
      assistantId?: string | null;
    };

/** A request to a model, before its owner is known by its row. */
export type NewRequest = Omit<NewRow<"model_requests">, keyof OwnerColumns> & {
  owner: RequestOwner;
  contents: RequestContents;
  /** Of an answer, for apps that keep it. */
  body?: string;
};

export type RequestContents = Omit<Row<"request_contents">, "request_id" | "thread_id">;

type TokenColumn = "input_tokens" | "output_tokens" | "reasoning_tokens" | "cached_tokens";

type OwnerColumns = Pick<
  Row<"model_requests">,
  "run_id" | "app_id" | "workspace_id" | "user_id" | "thread_id" | "message_id" | "assistant_id"
>;

/** Stores these requests, or how they ended if they are stored. Of the same request, the last one counts. */
export async function putRequests(tx: Tx, requests: readonly NewRequest[]): Promise<void> {
  if (requests.length === 0) return;
  const last = [...new Map(requests.map((request) => [request.id, request])).values()];
  const values: NewRow<"model_requests">[] = [];
  const contents: NewRow<"request_contents">[] = [];
  const bodies: (() => Promise<void>)[] = [];
  for (const { owner, contents: itsContents, body, ...columns } of last) {
    const found = await findOwner(tx, owner);
    if (found === undefined) continue;
    values.push({ ...columns, ...found });
    const { run_id: runId } = found;
    if (body !== undefined && runId !== null) {
      const step = { item: columns.id, content: () => body, nowMs: columns.sent_at };
      bodies.push(async () => await keepStep(tx, { ...found, id: runId }, step));
    }
    if (found.thread_id !== null)
      contents.push({ request_id: columns.id, thread_id: found.thread_id, ...itsContents });
  }
  if (values.length === 0) return;
  await tx.q
    .insertInto("model_requests")
    .values(values)
    .onConflict((row) =>
      row.column("id").doUpdateSet((is) => ({
        first_token_at: is.ref("excluded.first_token_at"),
        ended_at: is.ref("excluded.ended_at"),
        outcome: is.ref("excluded.outcome"),
        error_code: is.ref("excluded.error_code"),
        input_tokens: is.ref("excluded.input_tokens"),
        output_tokens: is.ref("excluded.output_tokens"),
        reasoning_tokens: is.ref("excluded.reasoning_tokens"),
        cached_tokens: is.ref("excluded.cached_tokens"),
        cache_write_tokens: is.ref("excluded.cache_write_tokens"),
        cost_micros: is.ref("excluded.cost_micros"),
        is_estimated: is.ref("excluded.is_estimated"),
      })),
    )
    .execute();
  for (const keep of bodies) await keep();
  if (contents.length === 0) return;
  await tx.q
    .insertInto("request_contents")
    .values(contents)
    .onConflict((row) => row.column("request_id").doNothing())
    .execute();
}

/** `undefined` if the run or the workspace was deleted. */
async function findOwner(tx: Tx, owner: RequestOwner): Promise<OwnerColumns | undefined> {
  if ("runId" in owner) {
    const run = await tx.q
      .selectFrom("runs")
      .select(["app_id", "workspace_id", "user_id", "thread_id", "assistant_id"])
      .select("reply_id as message_id")
      .where("id", "=", owner.runId)
      .executeTakeFirst();
    return run && { run_id: owner.runId, ...run };
  }
  const thread =
    owner.threadId === null
      ? undefined
      : await tx.q
          .selectFrom("threads")
          .select(["id", "app_id", "workspace_id", "assistant_id"])
          .where("id", "=", owner.threadId)
          .executeTakeFirst();
  return {
    run_id: null,
    app_id: thread?.app_id ?? owner.appId,
    workspace_id: thread?.workspace_id ?? owner.workspaceId,
    user_id: owner.userId,
    thread_id: thread?.id ?? null,
    message_id: null,
    assistant_id: thread?.assistant_id ?? owner.assistantId ?? null,
  };
}

/**
 * What the answer of a run cost, in millionths of a US dollar; null if any part of it is unknown. Like the run's tokens,
 * without estimates.
 */
export async function costOfRun(tx: Tx, runId: string): Promise<number | null> {
  const requests = await tx.q
    .selectFrom("model_requests")
    .select(["input_tokens", "output_tokens", "cost_micros"])
    .where("run_id", "=", runId)
    .where("purpose", "=", "answer")
    .where("is_estimated", "=", 0)
    .execute();
  const charged = requests.filter(
    (request) => request.input_tokens !== null || request.output_tokens !== null,
  );
  if (charged.length === 0) return null;
  return charged.reduce<number | null>(
    (sum, { cost_micros: cost }) => (sum === null || cost === null ? null : sum + cost),
    0,
  );
}

/** The tokens of the answer of a run, in the columns of the run. For a run whose log has none. */
export async function tokensOfRun(tx: Tx, runId: string) {
  const sumOf = (column: TokenColumn) =>
    sql<number | null>`cast(sum(${sql.ref(column)}) as bigint)`.as(column);
  return await tx.q
    .selectFrom("model_requests")
    .select([
      sumOf("input_tokens"),
      sumOf("output_tokens"),
      sumOf("reasoning_tokens"),
      sumOf("cached_tokens"),
    ])
    .where("run_id", "=", runId)
    .where("purpose", "=", "answer")
    .where("is_estimated", "=", 0)
    .executeTakeFirstOrThrow();
}

/** Moves the requests of moved threads to the new workspace. */
export async function moveRequests(tx: Tx, { threadIds, from, to }: ThreadMove): Promise<void> {
  await tx.q
    .updateTable("model_requests")
    .set((request) => ({
      app_id: to.appId,
      workspace_id: to.workspaceId,
      user_id: request
        .case()
        .when("user_id", "=", from.userId)
        .then(to.userId)
        .else(request.ref("user_id"))
        .end(),
    }))
    .where("workspace_id", "=", from.workspaceId)
    .where("thread_id", "in", idsOf(tx, threadIds))
    .execute();
}

/** Removes a person's name from their requests, and what these were made from. Usage stays counted. */
export async function eraseRequests(
  tx: Tx,
  { appId, userId, marker }: Erased,
  workspaceIds: string[],
): Promise<void> {
  const erased = tx.q
    .selectFrom("model_requests")
    .select("id")
    .where("app_id", "=", appId)
    .where((is) => is.or([is("user_id", "=", userId), is("workspace_id", "in", idsOf(tx, workspaceIds))]));
  await tx.q.deleteFrom("request_contents").where("request_id", "in", erased).execute();
  await tx.q
    .updateTable("model_requests")
    .set((request) => ({
      body_sha256: null,
      user_id: request.case().when("user_id", "=", userId).then(marker).else(request.ref("user_id")).end(),
    }))
    .where("app_id", "=", appId)
    .where((is) => is.or([is("user_id", "=", userId), is("workspace_id", "in", idsOf(tx, workspaceIds))]))
    .execute();
  await deleteSumsOf(tx, { appId, userId });
}

/** Removes the hashes of what was sent in this thread. */
export async function forgetBodies(tx: Tx, threadId: string): Promise<void> {
  await tx.q
    .updateTable("model_requests")
    .set({ body_sha256: null })
    .where("thread_id", "=", threadId)
    .execute();
}
