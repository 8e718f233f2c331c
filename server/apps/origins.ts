import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { createApps } from "./apps.ts";

/**
 * The origins whose pages may call the service from a browser: each app has a list, and the operator's setting
 * applies to all apps. If both are empty, pages of the origins may call that `isAllowedUnlisted` accepts.
 */
export type Origins = {
  /** Whether at least one app allows pages of this origin. A preflight does not say which app it is for. */
  isAllowedBySome(origin: string): Promise<boolean>;
  isAllowed(origin: string, appId: string): Promise<boolean>;
  /** Whether the list of any app has this origin. */
  isListed(origin: string): Promise<boolean>;
};

/** Changes apply after this time, and a page with a hundred requests in it causes one database read. */
const cacheMs = 1_000;

/** Loads the lists at once, so that they are cached even if the database becomes unavailable right away. */
export async function createOrigins(options: {
  db: Database;
  clock: Clock;
  allowedForAll: readonly string[];
  isAllowedUnlisted(origin: string): boolean;
}): Promise<Origins> {
  const { clock, allowedForAll, isAllowedUnlisted } = options;
  const apps = createApps(options);
  let lists = await load();
  let loadedAt = clock.now();
  let loading: Promise<void> | undefined;

  async function load(): Promise<Map<string, readonly string[]>> {
    return new Map((await apps.list()).map(({ id, origins }) => [id, [...allowedForAll, ...origins]]));
  }

  async function reload(): Promise<void> {
    try {
      lists = await load();
      loadedAt = clock.now();
    } catch {
      // While the database is unavailable, the last lists apply. Without CORS headers, pages could not read the 503 and
      // its Retry-After.
    } finally {
      loading = undefined;
    }
  }

  async function currentLists(): Promise<Map<string, readonly string[]>> {
    const ageMs = clock.now() - loadedAt;
    if (ageMs >= cacheMs || ageMs < 0) await (loading ??= reload());
    return lists;
  }

  function includes(list: readonly string[], origin: string): boolean {
    return list.length === 0 ? isAllowedUnlisted(origin) : list.includes(origin);
  }

  return {
    async isAllowedBySome(origin) {
      return [...(await currentLists()).values()].some((list) => includes(list, origin));
    },
    async isAllowed(origin, appId) {
      return includes((await currentLists()).get(appId) ?? allowedForAll, origin);
    },
    async isListed(origin) {
      return [...(await currentLists()).values()].some((list) => list.includes(origin));
    },
  };
}
