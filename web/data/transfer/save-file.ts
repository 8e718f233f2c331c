export type NamedFile = { name: string; blob: Blob };

/** Saves a file in the browser's download folder. */
export function saveFile({ name, blob }: NamedFile): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser reads the URL later; a minute is enough for it to start.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
