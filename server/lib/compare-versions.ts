/** Whether one version, such as 0.10.0, is newer than another. A version with a suffix, such as 1.0.0-rc.1, is older than without. */
export function isNewerVersion(version: string, than: string): boolean {
  const [a, b] = [partsOf(version), partsOf(than)];
  const index = a.numbers.findIndex((number, at) => number !== b.numbers[at]);
  if (index >= 0) return a.numbers[index]! > b.numbers[index]!;
  if (a.suffix === b.suffix) return false;
  return (
    a.suffix === "" || (b.suffix !== "" && a.suffix.localeCompare(b.suffix, "en", { numeric: true }) > 0)
  );
}

/** Whether this is a version as releases have it. */
export const isVersion = (text: string): boolean => /^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(text);

function partsOf(version: string) {
  const [core = "", ...suffix] = version.split("-");
  return { numbers: core.split(".").map(Number), suffix: suffix.join("-") };
}
