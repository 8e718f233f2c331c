import type { Thread } from "#contract/endpoints/threads.ts";

export const groupNames = ["pinned", "today", "yesterday", "week", "month", "older"] as const;
export type GroupName = (typeof groupNames)[number];
export type Group = { name: GroupName; threads: Thread[] };

/**
 * Groups threads by the calendar day of their newest message: pinned, today, yesterday, the last 7 days, the last 30 days,
 * older. Keeps the order within a group and omits empty groups.
 */
export function groupThreads(threads: readonly Thread[], now: Date): Group[] {
  const today = dayOf(now);
  const groups = new Map<GroupName, Thread[]>(groupNames.map((name) => [name, []]));
  for (const thread of threads) {
    const name = thread.is_pinned ? "pinned" : nameOf(today - dayOf(new Date(thread.last_message_at)));
    groups.get(name)?.push(thread);
  }
  return [...groups]
    .map(([name, members]) => ({ name, threads: members }))
    .filter((group) => group.threads.length > 0);
}

/** Milliseconds from `now` to the next local midnight, when "today" becomes "yesterday". */
export function untilMidnightMs(now: Date): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime() - now.getTime();
}

function nameOf(daysAgo: number): GroupName {
  // A clock that is ahead can date a message tomorrow.
  if (daysAgo <= 0) return "today";
  if (daysAgo === 1) return "yesterday";
  if (daysAgo <= 7) return "week";
  if (daysAgo <= 30) return "month";
  return "older";
}

/** The number of the calendar day. Days are counted by date, because a day with a time change has 23 or 25 hours. */
function dayOf(instant: Date): number {
  return Date.UTC(instant.getFullYear(), instant.getMonth(), instant.getDate()) / 86_400_000;
}
