/** The time zone of a person, if it is valid, or else the server's. */
export function timeZoneOf(timeZone: string | null | undefined): string {
  return timeZone != null && isKnown(timeZone) ? timeZone : serverTimeZone();
}

function serverTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function isKnown(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

const dayMs = 86_400_000;

/** The days of a time zone, numbered since 1970. */
export function daysIn(timeZone: string): {
  dayAt(instantMs: number): number;
  /** When the day begins, in milliseconds since 1970. */
  startOf(day: number): number;
} {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset", hour: "numeric" });

  /** How far clocks in the time zone are ahead of UTC. */
  function offsetMs(instantMs: number): number {
    const name = format.formatToParts(instantMs).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours = "0", minutes = "0"] = /([+-])(\d+):(\d+)/.exec(name) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  }

  return {
    dayAt: (instantMs) => Math.floor((instantMs + offsetMs(instantMs)) / dayMs),
    startOf(day) {
      const utc = day * dayMs;
      // The offset may change between midnight UTC and local midnight.
      return utc - offsetMs(utc - offsetMs(utc));
    },
  };
}
