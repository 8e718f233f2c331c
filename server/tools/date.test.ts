import { afterAll, describe, expect, test } from "vitest";
import type { Json } from "#contract/json.ts";
import { createAnswerArtifacts } from "./artifacts/answer-artifacts.ts";
import { ToolError } from "./tool.ts";
import { createTools } from "./tools.ts";

const tools = createTools({ logger: { warn: () => {} } });
afterAll(async () => await tools.close());

/** A Friday. */
const nowMs = Date.parse("2026-11-20T14:03:00Z");

async function date(args: Json, atMs = nowMs): Promise<Record<string, Json>> {
  const tool = tools.get("date");
  if (tool?.run === undefined) throw new Error("no such tool");
  const given =
    typeof args === "object" && args !== null && !Array.isArray(args) ? { time_zone: "UTC", ...args } : args;
  return (await tool.run(given, {
    signal: new AbortController().signal,
    nowMs: atMs,
    workspaceId: "wsp_0",
    threadId: "thread_0",
    question: "",
    timeZone: "Asia/Tokyo",
    cite: () => 1,
    countCall: () => 1,
    artifacts: createAnswerArtifacts([], []),
  })) as never;
}

describe("a date", () => {
  test.for([
    ["today", "2026-11-20", "Friday"],
    ["tomorrow", "2026-11-21", "Saturday"],
    ["yesterday", "2026-11-19", "Thursday"],
    ["2027-06-01", "2027-06-01", "Tuesday"],
    ["2027-06-01T10:00:00Z", "2027-06-01", "Tuesday"],
    ["1 June", "2027-06-01", "Tuesday"],
    ["June 1st", "2027-06-01", "Tuesday"],
    ["the 5th of November 2027", "2027-11-05", "Friday"],
    ["May 17, 1990", "1990-05-17", "Thursday"],
    ["31.12.2026", "2026-12-31", "Thursday"],
    ["1.6.2027", "2027-06-01", "Tuesday"],
    ["25/12/2024", "2024-12-25", "Wednesday"],
    ["01/02/2024", "2024-01-02", "Tuesday"],
    ["friday", "2026-11-20", "Friday"],
    ["next Friday", "2026-11-27", "Friday"],
    ["last Monday", "2026-11-16", "Monday"],
    ["monday next week", "2026-11-23", "Monday"],
    ["in 10 days", "2026-11-30", "Monday"],
    ["2 weeks ago", "2026-11-06", "Friday"],
    ["3 weeks from now", "2026-12-11", "Friday"],
    ["29 February 2028", "2028-02-29", "Tuesday"],
    ["the day after tomorrow", "2026-11-22", "Sunday"],
    ["90 days after 15 January 2026", "2026-04-15", "Wednesday"],
    ["٥ مايو ٢٠٢٠", "2020-05-05", "Tuesday"],
    ["بعد 10 أيام", "2026-11-30", "Monday"],
  ] as const)("%j is %s, a %s", async ([written, iso, weekday]) => {
    expect(await date({ date: written })).toMatchObject({ date: iso, weekday });
  });

  test("is described by week, day and distance", async () => {
    expect(await date({ date: "2026-12-31" })).toEqual({
      date: "2026-12-31",
      weekday: "Thursday",
      today: "2026-11-20",
      days_from_today: 41,
      iso_week: "2026-W53",
      day_of_year: 365,
      leap_year: false,
    });
  });

  test("of now has the time, in the given time zone or else in the person's", async () => {
    expect(await date({})).toMatchObject({ date: "2026-11-20", time: "14:03", time_zone: "UTC" });
    expect(await date({ time_zone: "Asia/Tokyo" }, Date.parse("2026-11-20T20:00:00Z"))).toMatchObject({
      date: "2026-11-21",
      time: "05:00",
    });
    expect(await date(null)).toMatchObject({ time: "23:03", time_zone: "Asia/Tokyo" });
  });

  test.for(
    [
      "",
      "blah",
      "my birthday",
      "christmas",
      "30 February 2025",
      "1 June and 2 July",
      "June 1 to June 5",
      "next",
      "in",
      "x".repeat(500),
    ].filter(Boolean),
  )("%j is none", async (written) => {
    await expect(date({ date: written })).rejects.toThrow(ToolError);
  });

  test.for(["2025-02-30", "2025-13-01", "32.1.2026"])("%j is not in the calendar", async (written) => {
    await expect(date({ date: written })).rejects.toThrow("There is no day");
  });
});

describe("the time between", () => {
  test.for([
    [{ date: "2024-02-28", to: "2024-03-01" }, 2, "2 days"],
    [{ date: "2025-02-28", to: "2025-03-01" }, 1, "1 day"],
    [{ to: "25 December" }, 35, "1 month and 5 days"],
    [{ date: "1990-05-17", to: "today" }, 13_336, "36 years, 6 months and 3 days"],
    [{ date: "1 June", to: "today" }, 172, "5 months and 19 days"],
    [{ date: "25 December", to: "1 January" }, 7, "7 days"],
    [{ date: "3 March", to: "19 May 2024" }, 77, "2 months and 16 days"],
    [{ date: "2026-12-31", to: "2026-01-01" }, -364, "11 months and 30 days"],
    [{ to: "today" }, 0, "0 days"],
  ] as const)("%j is %d days", async ([args, days, calendar]) => {
    expect(await date(args)).toMatchObject({ days, calendar });
  });

  test("counts Mondays to Fridays", async () => {
    expect(await date({ date: "2026-11-16", to: "2026-11-23" })).toMatchObject({ weekdays: 5 });
    expect(await date({ date: "2026-11-21", to: "2026-11-23" })).toMatchObject({ weekdays: 0 });
    expect(await date({ date: "2026-11-23", to: "2026-11-16" })).toMatchObject({ weekdays: -5 });
  });
});

describe("a date plus a duration", () => {
  test.for([
    [{ add: "3 weeks" }, "2026-12-11"],
    [{ add: "-90 days", date: "1 June" }, "2027-03-03"],
    [{ add: "1 year and 2 months" }, "2028-01-20"],
    [{ add: "P1M" }, "2026-12-20"],
    [{ add: "-P1D" }, "2026-11-19"],
    [{ add: "1 month", date: "2026-01-31" }, "2026-02-28"],
    [{ add: "10 working days" }, "2026-12-04"],
    [{ add: "1 working day" }, "2026-11-23"],
    [{ add: "-1 business day", date: "2026-11-23" }, "2026-11-20"],
    [{ add: "1 working day", date: "2026-11-21" }, "2026-11-23"],
    [{ add: "36 hours" }, "2026-11-22"],
  ] as const)("%j is %s", async ([args, iso]) => {
    expect(await date(args)).toMatchObject({ date: iso });
  });

  test.for(["", "soon", "3", "weeks", "3 weeks maybe", "2000000 years", "P"].filter(Boolean))(
    "%j is refused",
    async (add) => {
      await expect(date({ add })).rejects.toThrow(ToolError);
    },
  );
});

test.for<[Json, RegExp]>([
  [7, /Give an object/],
  [{ date: 7 }, /Give date as text/],
  [{ to: "today", add: "1 day" }, /not both/],
  [{ time_zone: "Mars/Olympus" }, /not a time zone/],
])("refuses the arguments %j with a helpful message", async ([args, sentence]) => {
  await expect(date(args)).rejects.toThrow(sentence);
});
