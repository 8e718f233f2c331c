let chosen: string | null = null;
/** The device's zone when its offset was `offset`: creating a formatter takes a millisecond. */
let device: { offset: number; timeZone: string | undefined } | undefined;

/** Sets the time zone of the person's profile; null: this device's. */
export function setOwnTimeZone(timeZone: string | null): void {
  chosen = timeZone;
}

/** The person's time zone as an IANA name; `undefined` if it is unknown. */
export function ownTimeZone(): string | undefined {
  if (chosen !== null) return chosen;
  const offset = new Date().getTimezoneOffset();
  if (device?.offset !== offset)
    device = { offset, timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
  return device.timeZone === "Etc/Unknown" ? undefined : device.timeZone;
}
