import { randomUUID } from "node:crypto";
import pg from "pg";
import { channel, createPostgresPubSub, type PostgresPubSub } from "../pub-sub/postgres-pub-sub.ts";

/** Between us and PostgreSQL stands a pooler that takes from us what we cannot do without. */
export class PoolerInTheWayError extends Error {
  override readonly name = "PoolerInTheWayError";
  readonly about: string;
  readonly remedy =
    "Set DATABASE_DIRECT_URL to the database's own address (docs/scaling-out.md, PgBouncer), or DATABASE_URL itself.";

  constructor(about: string, options?: ErrorOptions) {
    super("", options);
    this.about = about;
    this.message = `${about.slice(0, 1).toUpperCase()}${about.slice(1)}. ${this.remedy}`;
  }
}

/** 10 s, asked every second: a first answer of a PostgreSQL that shares two cores with everything else has taken 6. */
const patience = { tries: 10, askAgainMs: 1_000 };

/**
 * Checks that notifications sent through the pool arrive. A pooler in transaction mode accepts `LISTEN` and drops the
 * notifications. Throws `PoolerInTheWayError`.
 */
export async function assertNotificationsArrive(
  pool: pg.Pool,
  pubSub: PostgresPubSub,
  { tries, askAgainMs } = patience,
): Promise<void> {
  const topic = `probe:${randomUUID()}`;
  const heard = Promise.withResolvers<true>();
  const unsubscribe = pubSub.subscribe(topic, () => heard.resolve(true));
  try {
    for (let tried = 0; tried < tries; tried++) {
      await pool.query("select pg_notify($1, $2)", [channel, pubSub.payloadFromOther(topic)]);
      if (await Promise.race([heard.promise, after(askAgainMs)])) return;
    }
  } finally {
    unsubscribe();
  }
  throw new PoolerInTheWayError(
    "what is notified through DATABASE_URL is not heard, as through a pooler in transaction mode",
  );
}

/** The same for an operator who asks: what is in the way, if anything. Throws what connecting throws. */
export async function checkNotifications(
  url: string,
  directUrl: string | undefined,
  patient = patience,
): Promise<PoolerInTheWayError | undefined> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on("error", () => {});
  const newClient = (): pg.Client => new pg.Client({ connectionString: directUrl ?? url });
  const pubSub = createPostgresPubSub({ newClient, sender: randomUUID() });
  try {
    await pubSub.connected;
    await assertNotificationsArrive(pool, pubSub, patient);
    return undefined;
  } catch (error) {
    if (error instanceof PoolerInTheWayError) return error;
    throw error;
  } finally {
    await pubSub.close();
    await pool.end();
  }
}

/** PgBouncer's words for settings of a connection that it does not pass on; it calls them a break of the protocol. */
export function poolerError(error: unknown): PoolerInTheWayError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause.message.includes("unsupported startup parameter"))
      return new PoolerInTheWayError(
        `DATABASE_URL leads through a pooler that refuses how we connect (${cause.message})`,
        { cause: error },
      );
  return undefined;
}

async function after(ms: number): Promise<false> {
  return await new Promise((resolve) => {
    setTimeout(() => resolve(false), ms).unref();
  });
}
