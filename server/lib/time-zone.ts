/** Where a person is, for what today is to them: as they say, or else where this server is. */
export function timeZoneOf(said: string | null | undefined): string {
  return said != null && isKnown(said) ? said : serverTimeZone();
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
