import type { Database } from "../database/database.ts";
import type { LogPage } from "../lib/log-entry.ts";
import { readAfter } from "./log.ts";
import { nextTimestamp } from "./subscription.ts";

/** A page, read or being read, and the logical timestamp at which the read began. */
export type Reading = { startedAt: number; page: LogPage | Promise<LogPage> };

const running = new WeakMap<Database, Map<string, Reading>>();

/**
 * Reads a page, or shares the read of another reader in this process at the same position: many tabs on one topic wake
 * at the same notification. It shares only reads that began after `notifiedAt`, because earlier ones may miss what was
 * published then.
 */
export function sharedRead(
  db: Database,
  topic: string,
  after: number,
  limit: number,
  notifiedAt: number,
): Reading {
  const cached = db.recentEntries?.after(topic, after, limit);
  if (cached !== undefined) return { startedAt: nextTimestamp(), page: cached };
  const readings = running.get(db) ?? new Map<string, Reading>();
  running.set(db, readings);
  const key = `${after} ${limit} ${topic}`;
  const shared = readings.get(key);
  if (shared && shared.startedAt > notifiedAt) return shared;

  const page = readAfter(db, topic, after, limit);
  const reading: Reading = { startedAt: nextTimestamp(), page };
  readings.set(key, reading);
  const forget = (): void => {
    if (readings.get(key) === reading) readings.delete(key);
  };
  page.then(forget, forget);
  return reading;
}
