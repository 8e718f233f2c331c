import { isJsonObject, type Json } from "#contract/json.ts";
import type { Isolate } from "./isolate.ts";
import { ToolError, type CarriedOutTool } from "./tool.ts";

/** Dates: what day one is, the time between two, a date so much later or earlier. Every answer has ISO date and weekday. */
export function createDate(isolate: Isolate): CarriedOutTool {
  return {
    name: "date",
    description:
      "Answers questions about dates and the present time. Without arguments: today's date, weekday and time. " +
      "With date: its weekday, week and distance from today. With date and to: the time between them in days, weeks and " +
      "calendar months. With date and add: the date that much later (or earlier, with a minus). date is today where it " +
      "is absent. Dates may be ISO (2027-06-01) or in words (1 June, next Friday).",
    parameters: {
      type: "object",
      properties: {
        date: { type: "string", description: "The date asked about, or the first of two." },
        to: { type: "string", description: "The second date, for the time between two." },
        add: {
          type: "string",
          description: "A length of time to add: 3 weeks, -90 days, 1 year and 2 months, 10 working days.",
        },
        time_zone: {
          type: "string",
          description: "IANA time zone, such as Europe/Berlin; the person's where it is absent.",
        },
      },
      additionalProperties: false,
    },
    async run(args, { signal, nowMs, timeZone: here }) {
      if (!isJsonObject(args ?? {}))
        throw new ToolError('Give an object such as { "date": "today", "add": "3 weeks" }.');
      const given = (isJsonObject(args) ? args : {}) as Record<string, Json>;
      const date = textOf(given, "date");
      const to = textOf(given, "to");
      const add = textOf(given, "add");
      const timeZone = textOf(given, "time_zone") ?? here;
      if (to !== undefined && add !== undefined) throw new ToolError("Give either to or add, not both.");
      return await isolate.run(
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

/** Models write null or "" for what they leave out. */
function textOf(args: Record<string, Json>, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw new ToolError(`Give ${name} as text, such as "2027-06-01".`);
  return value;
}
