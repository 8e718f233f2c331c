let chosen: string | null = null;
/** The device's zone while its offsets in winter and summer are these: creating a formatter takes a millisecond. */
let device: { offsets: string; timeZone: string | undefined } | undefined;

/** Sets the time zone of the person's profile; null: this device's. */
export function setOwnTimeZone(timeZone: string | null): void {
  chosen = timeZone;
}

/** The person's time zone as an IANA name; `undefined` if it is unknown. */
export function ownTimeZone(): string | undefined {
  if (chosen !== null) return chosen;
  const year = new Date().getFullYear();
  const offsets = [0, 6].map((month) => new Date(year, month).getTimezoneOffset()).join();
  if (device?.offsets !== offsets)
    device = { offsets, timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
  return device.timeZone === "Etc/Unknown" ? undefined : device.timeZone;
}
