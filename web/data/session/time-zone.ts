let chosen: string | null = null;

/** Sets the time zone of the person's profile; null: this device's. */
export function setOwnTimeZone(timeZone: string | null): void {
  chosen = timeZone;
}

/** The person's time zone as an IANA name; `undefined` if it is unknown. */
export function ownTimeZone(): string | undefined {
  if (chosen !== null) return chosen;
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions() as { timeZone: string | undefined };
  return timeZone === "Etc/Unknown" ? undefined : timeZone;
}
