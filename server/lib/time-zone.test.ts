import { expect, test } from "vitest";
import { daysIn } from "./time-zone.ts";

const hoursOf = (timeZone: string, day: string): number => {
  const days = daysIn(timeZone);
  const number = Date.parse(day) / 86_400_000;
  return (days.startOf(number + 1) - days.startOf(number)) / 3_600_000;
};

test("days begin at midnight of their time zone, even when clocks change", () => {
  const day = Date.parse("2026-03-29") / 86_400_000;
  const start = (timeZone: string) => new Date(daysIn(timeZone).startOf(day)).toISOString();
  expect(start("UTC")).toBe("2026-03-29T00:00:00.000Z");
  expect(start("Asia/Kathmandu")).toBe("2026-03-28T18:15:00.000Z");
  expect(start("America/Los_Angeles")).toBe("2026-03-29T07:00:00.000Z");
  expect(hoursOf("Europe/Berlin", "2026-03-28")).toBe(24);
  expect(hoursOf("Europe/Berlin", "2026-03-29")).toBe(23);
  expect(hoursOf("Europe/Berlin", "2026-10-25")).toBe(25);
  expect(hoursOf("America/New_York", "2026-03-08")).toBe(23);
});

test("an instant belongs to the day that began last", () => {
  for (const timeZone of ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin"]) {
    const { startOf, dayAt } = daysIn(timeZone);
    for (const day of [20_541, 20_542, 20_751]) {
      expect(dayAt(startOf(day))).toBe(day);
      expect(dayAt(startOf(day) - 1)).toBe(day - 1);
    }
  }
});
