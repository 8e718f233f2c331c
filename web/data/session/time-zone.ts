/** Where this device says it is, as an IANA name; `undefined` where it does not know. */
export function ownTimeZone(): string | undefined {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions() as { timeZone: string | undefined };
  return timeZone === "Etc/Unknown" ? undefined : timeZone;
}
