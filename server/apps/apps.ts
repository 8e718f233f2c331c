import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { ensureFirstApp } from "./first-app.ts";
import * as rows from "./rows.ts";

/** A tenant of the service, with its own keys, workspaces and threads. */
export type App = Pick<Row<"apps">, "id" | "name" | "created_at"> & {
  /** Origins whose pages may call. If there are none here and in the setting, see `KnownHosts.isOriginNear`. */
  origins: string[];
};

/** Changes are in the audit log. */
export type Apps = {
  /** All apps, oldest first. Creates the first app if it is missing. */
  list(): Promise<[App, ...App[]]>;
  /** Throws `app-not-found`. */
  get(id: string): Promise<App>;
  /** Creates an app; `undefined` if the name is taken. */
  create(name: string, actor: Actor): Promise<App | undefined>;
  /**
   * Adds an origin, as `parseOrigin` returns it, to the app's list. Returns `false` if it was there already. Throws
   * `app-not-found` and `too-many-origins`.
   */
  addOrigin(appId: string, origin: string, actor: Actor): Promise<boolean>;
  /** Removes an origin. Returns `false` if it was not on the list. Throws `app-not-found`. */
  removeOrigin(appId: string, origin: string, actor: Actor): Promise<boolean>;
};

export function createApps(options: { db: Database; clock: Clock }): Apps {
  const { db, clock } = options;

  async function changeOrigins(
    appId: string,
    { action, origin, actor }: { action: OriginAction; origin: string; actor: Actor },
    change: (origins: string[]) => string[],
  ): Promise<boolean> {
    return await db.write(async (tx) => {
      const row = (await rows.lockApps(tx)).find(({ id }) => id === appId);
      if (row === undefined) throw new AppError("app-not-found");
      const before = appFrom(row).origins;
      const after = change(before);
      if (after.length === before.length) return false;
      if (after.length > limits.appOriginsMax && after.length > before.length)
        throw new AppError("too-many-origins");
      await rows.setOrigins(tx, appId, JSON.stringify(after));
      await recordAudit(tx, { action, actor, target: appId, details: { origin } }, clock.now());
      return true;
    });
  }

  return {
    async list() {
      const found = (await rows.listApps(db)).map(appFrom);
      if (isNotEmpty(found)) return found;
      await ensureFirstApp(db, clock.now());
      return (await rows.listApps(db)).map(appFrom) as [App];
    },

    async get(id) {
      const row = await rows.findApp(db, id);
      if (row === undefined) throw new AppError("app-not-found");
      return appFrom(row);
    },

    async create(name, actor) {
      await ensureFirstApp(db, clock.now());
      return await db.write(async (tx) => {
        // Locked, so that two concurrent calls cannot create the same name.
        if ((await rows.lockApps(tx)).some((app) => app.name === name)) return undefined;
        const nowMs = clock.now();
        const row = { id: newId("app", nowMs), name, allowed_origins: "[]", created_at: nowMs };
        await rows.insertApp(tx, row);
        await recordAudit(tx, { action: "app-created", actor, target: row.id, details: { name } }, nowMs);
        return appFrom(row);
      });
    },

    addOrigin: async (appId, origin, actor) =>
      await changeOrigins(appId, { action: "app-origin-added", origin, actor }, (origins) => [
        ...new Set([...origins, origin]),
      ]),
    removeOrigin: async (appId, origin, actor) =>
      await changeOrigins(appId, { action: "app-origin-removed", origin, actor }, (origins) =>
        origins.filter((listed) => listed !== origin),
      ),
  };
}

type OriginAction = "app-origin-added" | "app-origin-removed";

function appFrom({
  id,
  name,
  created_at,
  allowed_origins,
}: Pick<Row<"apps">, "id" | "name" | "created_at" | "allowed_origins">): App {
  return { id, name, created_at, origins: JSON.parse(allowed_origins) as string[] };
}

function isNotEmpty<T>(list: T[]): list is [T, ...T[]] {
  return list.length > 0;
}
