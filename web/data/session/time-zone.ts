/** This device's time zone as an IANA name; `undefined` if it is unknown. */
export function ownTimeZone(): string | undefined {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions() as { timeZone: string | undefined };
  return timeZone === "Etc/Unknown" ? undefined : timeZone;
}
