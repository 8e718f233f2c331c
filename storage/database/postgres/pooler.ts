import { randomUUID } from "node:crypto";
import pg from "pg";
import { UnsupportedPoolerError } from "#storage/lib/errors.ts";
import { channel, createPostgresPubSub, type PostgresPubSub } from "#storage/pub-sub/postgres-pub-sub.ts";

/** 10 s: on a busy machine, PostgreSQL has taken 6 s to respond the first time. */
const defaultRetries = { tries: 10, retryMs: 1_000 };

/**
 * Checks that notifications sent through the pool arrive. A pooler in transaction mode accepts `LISTEN` and drops the
 * notifications. Throws `UnsupportedPoolerError`.
 */
export async function assertNotificationsArrive(
  pool: pg.Pool,
  pubSub: PostgresPubSub,
  { tries, retryMs } = defaultRetries,
): Promise<void> {
  const topic = `probe:${randomUUID()}`;
  const received = Promise.withResolvers<true>();
  const unsubscribe = pubSub.subscribe(topic, () => received.resolve(true));
  try {
    for (let tried = 0; tried < tries; tried++) {
      await pool.query("select pg_notify($1, $2)", [channel, pubSub.payloadFromOther(topic)]);
      if (await Promise.race([received.promise, falseAfter(retryMs)])) return;
    }
  } finally {
    unsubscribe();
  }
  throw new UnsupportedPoolerError(
    "notifications sent through DATABASE_URL do not arrive, as behind a pooler in transaction mode",
  );
}

/** The same check for `cli doctor`: returns the error instead of throwing it. Throws what connecting throws. */
export async function checkNotifications(
  url: string,
  directUrl: string | undefined,
  retries = defaultRetries,
): Promise<UnsupportedPoolerError | undefined> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on("error", () => {});
  const newClient = (): pg.Client => new pg.Client({ connectionString: directUrl ?? url });
  const pubSub = createPostgresPubSub({ newClient, sender: randomUUID() });
  try {
    await pubSub.connected;
    await assertNotificationsArrive(pool, pubSub, retries);
    return undefined;
  } catch (error) {
    if (error instanceof UnsupportedPoolerError) return error;
    throw error;
  } finally {
    await pubSub.close();
    await pool.end();
  }
}

/** The error for PgBouncer's refusal of startup parameters, which it reports as a protocol violation. */
export function poolerError(error: unknown): UnsupportedPoolerError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause.message.includes("unsupported startup parameter"))
      return new UnsupportedPoolerError(
        `DATABASE_URL leads through a pooler that refuses the startup parameters of a connection (${cause.message})`,
        { cause: error },
      );
  return undefined;
}

async function falseAfter(ms: number): Promise<false> {
  return await new Promise((resolve) => {
    setTimeout(() => resolve(false), ms).unref();
  });
}
