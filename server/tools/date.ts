import { isJsonObject, type Json } from "#contract/json.ts";
import type { ToolWorker } from "./tool-worker.ts";
import { ToolError, type ServerToolDefinition } from "./tool.ts";

/** Dates: weekdays, the time between two dates, and a date plus a duration. Every result has an ISO date and a weekday. */
export function createDate(worker: ToolWorker): ServerToolDefinition {
  return {
    name: "date",
    readsOtherThreads: false,
    effect: "reads",
    readsStrangers: false,
    description:
      "Answers questions about dates and the present time. Without arguments: today's date, weekday and time. " +
      "With date: its weekday, week and distance from today. With date and to: the time between them in days, weeks and " +
      "calendar months. With date and add: the date that much later (or earlier, with a minus). date defaults to " +
      "today. Dates may be ISO (2027-06-01) or in words (1 June, next Friday).",
    parameters: {
      type: "object",
      properties: {
        date: { type: "string", description: "The date, or the first of two." },
        to: { type: "string", description: "The second date, for the time between two." },
        add: {
          type: "string",
          description: "A duration to add: 3 weeks, -90 days, 1 year and 2 months, 10 working days.",
        },
        time_zone: {
          type: "string",
          description: "IANA time zone, such as Europe/Berlin. Default: the person's.",
        },
      },
      additionalProperties: false,
    },
    async run(args, { signal, nowMs, timeZone: personTimeZone }) {
      if (!isJsonObject(args ?? {}))
        throw new ToolError('Give an object such as { "date": "today", "add": "3 weeks" }.');
      const given = (isJsonObject(args) ? args : {}) as Record<string, Json>;
      const date = textOf(given, "date");
      const to = textOf(given, "to");
      const add = textOf(given, "add");
      const timeZone = textOf(given, "time_zone") ?? personTimeZone;
      if (to !== undefined && add !== undefined) throw new ToolError("Give either to or add, not both.");
      return await worker.run(
        {
          name: "date",
          question: {
            timeZone,
            nowMs,
            ...(date === undefined ? {} : { date }),
            ...(to === undefined ? {} : { to }),
            ...(add === undefined ? {} : { add }),
          },
        },
        signal,
      );
    },
  };
}

/** Models send null or "" for absent arguments. */
function textOf(args: Record<string, Json>, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw new ToolError(`Give ${name} as text, such as "2027-06-01".`);
  return value;
}
