import type { Database } from "../database/database.ts";
import { nextTimestamp } from "./subscription.ts";
import { readAfter } from "./log.ts";
import type { LogPage } from "../log-entry.ts";

/** A page, there or on its way, and the moment at which it began to be read. */
export type Reading = { startedAt: number; page: LogPage | Promise<LogPage> };

const underWay = new WeakMap<Database, Map<string, Reading>>();

/**
 * Reads a page, or shares one that another reader of this process is reading of the same place: many tabs on one topic
 * wake at the same notification. Shared is only what began after `notifiedAt`, for an earlier one may miss what was published then.
 */
export function sharedRead(
  db: Database,
  topic: string,
  after: number,
  limit: number,
  notifiedAt: number,
): Reading {
  const kept = db.recentEntries?.after(topic, after, limit);
  if (kept !== undefined) return { startedAt: nextTimestamp(), page: kept };
  const readings = underWay.get(db) ?? new Map<string, Reading>();
  underWay.set(db, readings);
  const place = `${after} ${limit} ${topic}`;
  const shared = readings.get(place);
  if (shared && shared.startedAt > notifiedAt) return shared;

  const page = readAfter(db, topic, after, limit);
  const reading: Reading = { startedAt: nextTimestamp(), page };
  readings.set(place, reading);
  const forget = (): void => {
    if (readings.get(place) === reading) readings.delete(place);
  };
  page.then(forget, forget);
  return reading;
}
