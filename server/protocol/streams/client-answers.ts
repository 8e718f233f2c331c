import { fold } from "#contract/fold.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Jobs } from "#server/jobs/jobs.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { ClientLeases } from "#server/messages/client-leases/client-leases.ts";
import { readRunLog } from "#server/runs/log/run-log.ts";
import type { Runner } from "#server/runs/loop/runner.ts";

/** The messages in which clients store the answers of this process's resumable runs. */
export type ClientAnswers = {
  /**
   * While the run is in progress, the message with this external id is shown as being written, even if its client is gone.
   * If the client is still gone after the run, the answer is stored in its message.
   */
  follow(runId: string, threadId: string, externalId: string): void;
};

/** With a heartbeat between them, five minutes: a database is restarted sooner. */
const attemptsMax = 30;

export function createClientAnswers(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  jobs: Pick<Jobs, "track">;
  clientLeases: ClientLeases;
  runner: Pick<Runner, "waitForEnd">;
}): ClientAnswers {
  const { db, clock, logger, jobs, clientLeases, runner } = options;

  /** Repeats what the database refuses, at each heartbeat. */
  async function persist<T>(runId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++)
      try {
        return await work();
      } catch (error) {
        if (attempt === attemptsMax) throw error;
        logger.warn({ runId, err: error }, "the database refused a client's answer; it is tried again");
        await clock.sleep(limits.clientHeartbeatMs, signal);
      }
  }

  async function followToEnd(
    runId: string,
    threadId: string,
    externalId: string,
    signal: AbortSignal,
  ): Promise<void> {
    const heartbeat = async () =>
      await persist(runId, signal, async () => await clientLeases.answerHeartbeat(threadId, externalId));
    const ended = runner.waitForEnd(runId).then(() => "ended" as const);
    let state: "ended" | void;
    do {
      await heartbeat();
      state = await Promise.race([ended, clock.sleep(limits.clientHeartbeatMs, signal)]);
    } while (state !== "ended");
    const endedMs = clock.now();
    for (;;) {
      const heardMs = await heartbeat();
      // Its client stored it, or will do so.
      if (heardMs === undefined || heardMs > endedMs) return;
      const leftMs = heardMs + limits.clientSilenceMs - clock.now();
      if (leftMs <= 0) break;
      await clock.sleep(Math.min(leftMs, limits.clientHeartbeatMs), signal);
    }
    await persist(runId, signal, async () => {
      const { events } = await readRunLog(db, runId);
      if (events.at(-1)?.type === "run-end") await clientLeases.finish(threadId, externalId, fold(events));
    });
  }

  return {
    follow(runId, threadId, externalId) {
      void jobs.track(async (signal) => {
        await followToEnd(runId, threadId, externalId, signal).catch((error: unknown) => {
          if (!signal.aborted) logger.warn({ runId, err: error }, "could not store a client's answer");
        });
      });
    },
  };
}
