import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as z from "zod/mini";
import type { Updates } from "#contract/endpoints/health.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import type { GuardedFetch } from "#server/fetch/guarded-fetch.ts";
import { isoTime, type Clock } from "#server/lib/clock.ts";
import { isNewerVersion, isVersion } from "#server/lib/compare-versions.ts";
import type { Logger } from "#server/lib/logger.ts";
import { installedAs } from "#server/lib/program.ts";
import type { Database } from "#storage/database/database.ts";
import { programVersion } from "#storage/lib/program-version.ts";

/** Looks for newer releases, if an administrator has switched that on. */
export type UpdateChecks = ReturnType<typeof createUpdateChecks>;

/** A day. */
const lookEveryMs = 24 * 3_600_000;
/** 10 s: somebody may wait for it. */
const lookMaxMs = 10_000;
/** 1 MiB: npm's registry returns the whole package.json. */
const bytesMax = 1024 * 1024;

const release = z.object({
  version: z.string().check(z.refine(isVersion)),
  homepage: z.optional(z.unknown()),
});

/** Null for all that a page should not link to. */
const webAddress = (value: unknown): string | null =>
  typeof value === "string" && /^https?:/i.test(value) && URL.canParse(value) ? value : null;

/** `url`: where to ask; by default the registry of npm. */
export function createUpdateChecks(options: {
  db: Database;
  clock: Clock;
  logger: Pick<Logger, "info" | "warn">;
  guardedFetch: GuardedFetch;
  url: string | undefined;
}) {
  const { db, clock, logger, guardedFetch, url } = options;
  const findRow = async () => await db.read.selectFrom("release_checks").selectAll().executeTakeFirst();

  async function report(): Promise<Updates> {
    const row = await findRow();
    const newest = row?.newest_version ?? undefined;
    return {
      version: programVersion(),
      is_on: row?.is_on === 1,
      source: url ?? (await latestInNpm()) ?? null,
      looked_at: row?.looked_at == null ? null : isoTime(row.looked_at),
      has_failed: row?.has_failed === 1,
      newer:
        newest !== undefined && isNewerVersion(newest, programVersion())
          ? { version: newest, notes_url: row?.notes_url ?? null }
          : null,
      installed_as: installedAs,
    };
  }

  /** Asks, if that is on and was not done within a day, by any server of this database. */
  async function look(signal?: AbortSignal): Promise<void> {
    const nowMs = clock.now();
    if ((await findRow())?.is_on !== 1) return;
    const { numUpdatedRows: due } = await db.write(
      async (tx) =>
        await tx.q
          .updateTable("release_checks")
          .set({ looked_at: nowMs })
          .where("is_on", "=", 1)
          .where((is) => is.or([is("looked_at", "is", null), is("looked_at", "<=", nowMs - lookEveryMs)]))
          .executeTakeFirstOrThrow(),
    );
    if (due === 0n) return;
    const found = await ask(
      AbortSignal.any([AbortSignal.timeout(lookMaxMs), ...(signal === undefined ? [] : [signal])]),
    );
    await db.write(
      async (tx) =>
        await tx.q
          .updateTable("release_checks")
          .set(
            found === undefined
              ? { has_failed: 1 }
              : { has_failed: 0, newest_version: found.version, notes_url: webAddress(found.homepage) },
          )
          .execute(),
    );
  }

  async function ask(signal: AbortSignal): Promise<z.infer<typeof release> | undefined> {
    const source = url ?? (await latestInNpm());
    try {
      if (source === undefined) throw new Error("npm is missing");
      logger.info({ url: source }, "asking for the newest release");
      const request = { url: source, field: "UPDATE_URL", types: ["application/json"], bytesMax, signal };
      const { bytes } = await guardedFetch(request);
      return release.parse(JSON.parse(bytes.toString("utf8")));
    } catch (error) {
      logger.warn(
        { err: error, url: source },
        "could not learn of the newest release; trying again after a day",
      );
      return undefined;
    }
  }

  return {
    report,
    look,

    async change(isOn: boolean, actor: Actor): Promise<Updates> {
      const is_on = isOn ? 1 : 0;
      await db.write(async (tx) => {
        await tx.q
          .insertInto("release_checks")
          .values({ id: "server", is_on })
          .onConflict((conflict) => conflict.column("id").doUpdateSet({ is_on }))
          .execute();
        await recordAudit(
          tx,
          { action: "update-check-changed", actor, details: { is_on: isOn } },
          clock.now(),
        );
      });
      await look();
      return await report();
    },
  };
}

/** As npm knows it. */
const packageName = "parlance-server";

let known: Promise<string | undefined> | undefined;

/** The URL with the newest version in the registry that npm uses on this machine; undefined without npm. */
function latestInNpm(): Promise<string | undefined> {
  return (known ??= askNpm());
}

async function askNpm(): Promise<string | undefined> {
  try {
    // A constant line, which a shell may read: on Windows, npm is a script.
    const { stdout } = await promisify(execFile)("npm", ["config", "get", "registry"], {
      shell: process.platform === "win32",
      timeout: 10_000,
    });
    return new URL(`${packageName}/latest`, stdout.trim()).href;
  } catch {
    return undefined;
  }
}
