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
