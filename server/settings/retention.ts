import * as z from "zod/mini";
import { setting } from "./setting.ts";
import { integer, integerOrUnlimited } from "./setting-types.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Retention periods. */
export const retention = z.object({
  sessionsMs: setting(
    "KEEP_SESSIONS_DAYS",
    "How many days an ended session is kept. An anonymous visitor without content is deleted together with the last session.",
    integer({ min: 1, max: 3_650, unit: dayMs }),
    "7",
  ),
  eventsMs: setting(
    "KEEP_EVENTS_DAYS",
    "How many days the events that protocol clients record are kept. 0 keeps them forever.",
    integerOrUnlimited({ max: 36_500, unit: dayMs }),
    "365",
  ),
  auditMs: setting(
    "KEEP_AUDIT_DAYS",
    "How many days entries of the audit log are kept, at least 30, until administrators choose otherwise. 0 keeps them forever.",
    integerOrUnlimited({ max: 36_500, unit: dayMs }).check(
      z.refine((ms) => ms === undefined || ms >= 30 * dayMs, "must be 0, or at least 30."),
    ),
    "0",
  ),
  runLogsMs: setting(
    "KEEP_RUN_LOGS_HOURS",
    "How many hours the event log of a finished answer is kept for readers that reconnect. The answer itself stays.",
    integer({ min: 1, max: 8_760, unit: hourMs }),
    "1",
  ),
});
